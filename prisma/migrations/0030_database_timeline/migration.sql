-- The timeline of the WAL on which engines sent last, and whether a commit waited for a standby then. At most one row.
CREATE TABLE database_timeline (
  only_row boolean DEFAULT true PRIMARY KEY CHECK (only_row),
  timeline text NOT NULL,
  waited boolean NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON database_timeline TO intray_engine;

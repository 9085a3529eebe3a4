-- What the overview shows, added up while it happens: no page of figures reads history.

-- How much of what there was at a server in a stretch of time. lib/statistics/measures.ts names the measures.
-- Two sizes of stretches: hours for the last days, six hours for the last months.
CREATE TABLE statistic (
  organization_id uuid NOT NULL,
  hours smallint NOT NULL CHECK (hours IN (1, 6)),
  -- When the stretch begins.
  at timestamptz(3) NOT NULL,
  server_id uuid NOT NULL,
  measure text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (organization_id, hours, at, server_id, measure),
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id) ON DELETE CASCADE
);
-- A foreign key looks here when a server is deleted.
CREATE INDEX statistic_server ON statistic (organization_id, server_id);

-- When the open tasks of an organization were counted last: who moves it on counts, so that they are counted once.
CREATE TABLE statistic_sample (
  organization_id uuid PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
  sampled_at timestamptz(3) NOT NULL
);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['statistic', 'statistic_sample'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (organization_id = current_organization())
      WITH CHECK (organization_id = current_organization())', name);
  END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON statistic, statistic_sample TO intray_engine;
GRANT SELECT ON statistic, statistic_sample TO intray_app;

-- Open tasks are counted from this alone, whatever there is of ended ones.
CREATE INDEX task_open ON task (organization_id, server_id, state)
  WHERE state IN ('queued', 'starting', 'start_unknown', 'working', 'input_required');

-- Which engine watches a connection: an organization is told of its own connections alone.
ALTER TABLE connection ADD COLUMN watched_by uuid;
-- How late the slowest hundredth of an engine's steps began in its last minute, in ms; null: it took none.
ALTER TABLE engine ADD COLUMN lateness_ms integer;

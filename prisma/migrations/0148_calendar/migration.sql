-- When the organization works: zone, hours of each day, holidays (docs/governance.md). Times of the policy are counted in it.
CREATE TABLE working_calendar (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  -- Counts the changes. 0: a row without a calendar, made to have something to lock.
  version integer NOT NULL DEFAULT 0 CHECK (version >= 0),
  -- Null: all time is working time.
  calendar jsonb CHECK (jsonb_typeof(calendar) = 'object'),
  changed_at timestamptz(3),
  changed_by jsonb,
  -- The version that the times of open requests follow; engines move them to the latest.
  moved_version integer NOT NULL DEFAULT 0,
  PRIMARY KEY (organization_id),
  CHECK ((version = 0) = (changed_at IS NULL)),
  CHECK ((changed_at IS NULL) = (changed_by IS NULL)),
  CHECK (version > 0 OR calendar IS NULL)
);
CREATE INDEX working_calendar_moving ON working_calendar (organization_id) WHERE moved_version < version;
ALTER TABLE working_calendar ENABLE ROW LEVEL SECURITY;
ALTER TABLE working_calendar FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON working_calendar USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE ON working_calendar TO intray_app;
-- Questions of servers are judged by the engine, which captures them. It locks the row with a right to a column of it.
GRANT SELECT, INSERT ON working_calendar TO intray_engine;

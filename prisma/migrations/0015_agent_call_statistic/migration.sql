-- How calls of agents were decided, added up as `statistic` is: lib/requests/statistics/agent-calls.ts names the ways.
CREATE TABLE agent_call_statistic (
  organization_id uuid NOT NULL,
  hours smallint NOT NULL CHECK (hours IN (1, 6)),
  -- When the stretch begins.
  "at" timestamptz(3) NOT NULL,
  way text COLLATE "C" NOT NULL CHECK (way IN ('rule', 'standing_approval', 'person', 'refused')),
  amount bigint NOT NULL,
  PRIMARY KEY (organization_id, hours, at, way),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);
ALTER TABLE agent_call_statistic ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_call_statistic FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON agent_call_statistic USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT ON agent_call_statistic TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON agent_call_statistic TO intray_engine;
-- Tells a hook's question from a question that the agent itself asked.
GRANT SELECT (organization_id, task_id, name) ON agent_call TO intray_engine;

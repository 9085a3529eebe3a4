-- Rules for calls: who of agents, members and keys may make which call, and which calls a person approves first
-- (docs/call-rules.md). The list changes as a whole; each version stays as it was, for whoever asks later why a call was stopped.
CREATE TABLE call_rule_version (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  -- From 1 without gaps; the highest is in force. Without a row there are no rules.
  version integer NOT NULL CHECK (version > 0),
  rules jsonb NOT NULL CHECK (jsonb_typeof(rules) = 'array' AND jsonb_array_length(rules) <= 100),
  made_at timestamptz(3) NOT NULL DEFAULT now(),
  made_by jsonb NOT NULL,
  PRIMARY KEY (organization_id, version)
);
ALTER TABLE call_rule_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE call_rule_version FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON call_rule_version USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
-- Nobody who serves alters or deletes a version.
GRANT SELECT, INSERT ON call_rule_version TO intray_app;
-- Bulk restarts and retries are judged by the engine.
GRANT SELECT ON call_rule_version TO intray_engine;

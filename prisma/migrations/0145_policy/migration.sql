-- The organization's policy: who has to agree on which requests (docs/governance.md). It changes as a whole; each version stays as
-- it was, since requests keep the version under which they were asked.
CREATE TABLE policy_version (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  -- From 1 without gaps; the highest is in force. Without a row any one approver decides.
  version integer NOT NULL CHECK (version > 0),
  policy jsonb NOT NULL CHECK (jsonb_typeof(policy) = 'object'),
  -- Whom the addresses in it meant when it was saved: address to user id. An address that another account has later means nobody else.
  people jsonb NOT NULL CHECK (jsonb_typeof(people) = 'object'),
  made_at timestamptz(3) NOT NULL DEFAULT now(),
  made_by jsonb NOT NULL,
  PRIMARY KEY (organization_id, version)
);
ALTER TABLE policy_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE policy_version FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON policy_version USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
-- Nobody who serves alters or deletes a version.
GRANT SELECT, INSERT ON policy_version TO intray_app;
-- Questions of servers are judged by the engine, which captures them.
GRANT SELECT ON policy_version TO intray_engine;

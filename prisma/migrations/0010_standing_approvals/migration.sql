-- A yes to more calls of the same agent and tool, within bounds (docs/decisions/089). It is a part of an answer: one that is taken back
-- gives none. Calls are compared with the one that was approved, `task_id`.
CREATE TABLE standing_approval (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  answer_id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  task_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  server_id uuid NOT NULL,
  tool text NOT NULL,
  -- Arguments that may differ, by their names; the largest amount that a call may have.
  except_names text[] NOT NULL DEFAULT '{}',
  most_amount float8,
  -- Who gave it: it ends with their right to approve.
  user_id uuid NOT NULL,
  made_by jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  most_uses integer CHECK (most_uses > 0),
  uses integer NOT NULL DEFAULT 0,
  revoked_at timestamptz(3),
  revoked_by jsonb,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, answer_id) REFERENCES answer (organization_id, id) ON DELETE CASCADE,
  CHECK (expires_at > created_at),
  CHECK (uses >= 0 AND (most_uses IS NULL OR uses <= most_uses)),
  CHECK ((revoked_at IS NULL) = (revoked_by IS NULL))
);
CREATE UNIQUE INDEX standing_approval_of_answer ON standing_approval (organization_id, answer_id);
CREATE INDEX standing_approval_of_agent ON standing_approval (organization_id, agent_id, server_id, tool);
CREATE INDEX standing_approval_newest ON standing_approval (organization_id, created_at DESC, id DESC);
-- The standing approval that let the call pass; null: none did. Without a foreign key for retention's sake.
ALTER TABLE task ADD COLUMN standing_approval_id uuid;

ALTER TABLE standing_approval ENABLE ROW LEVEL SECURITY;
ALTER TABLE standing_approval FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON standing_approval USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE (uses, revoked_at, revoked_by) ON standing_approval TO intray_app;
GRANT SELECT, DELETE ON standing_approval TO intray_engine;

-- Calls of agents: which call made which task, so that a repeated call joins the task instead of making another.
CREATE TABLE agent_call (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  task_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  -- The tool as the agent names it.
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 256),
  -- Of tool and arguments in their canonical form, keyed where the organization seals.
  digest bytea NOT NULL CHECK (octet_length(digest) = 32),
  -- Of the key by which the agent says exactly which call it means.
  key_digest bytea CHECK (octet_length(key_digest) = 32),
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- The task's result was about to be sent, the first time.
  sent_at timestamptz(3),
  -- A connection has taken all of it.
  fetched_at timestamptz(3),
  PRIMARY KEY (organization_id, task_id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, agent_id) REFERENCES agent_credential (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX agent_call_by_digest ON agent_call (organization_id, agent_id, digest, created_at DESC);
CREATE UNIQUE INDEX agent_call_by_key ON agent_call (organization_id, agent_id, key_digest) WHERE key_digest IS NOT NULL;

ALTER TABLE agent_call ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_call FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON agent_call USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT ON agent_call TO intray_app;
GRANT UPDATE (sent_at, fetched_at) ON agent_call TO intray_app;

-- A call that is held open for an agent ends with the commit that ends its task, not with the engine's next look at the
-- outbox. Of tasks that no agent started nothing changes: the engine's own transactions send no notice (0097).
CREATE FUNCTION hint_agents_task() RETURNS trigger
  LANGUAGE plpgsql SECURITY INVOKER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_notify('intray_change', json_build_object('o', NEW.organization_id,
    'c', json_build_array(json_build_array('task', NEW.id)))::text);
  RETURN NULL;
END $$;
CREATE TRIGGER hint_agents_task AFTER UPDATE OF finished_at ON task FOR EACH ROW
  WHEN (NEW.agent_id IS NOT NULL AND NEW.finished_at IS NOT NULL AND OLD.finished_at IS NULL)
  EXECUTE FUNCTION hint_agents_task();

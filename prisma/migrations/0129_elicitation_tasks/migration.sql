-- Questions that a server of 2025-11-25 puts as tasks (`elicitation/create` with `task`): Intray keeps the task, and the server
-- asks for its state and its result on any session of the connection. All that it is told comes from these rows.
CREATE TABLE elicitation_task (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  -- The task id that the server is given: random, and of no use outside of the connection.
  id uuid NOT NULL,
  connection_id uuid NOT NULL,
  -- A digest of the session it was asked for on, and the JSON-RPC id with its type: where the task is announced.
  session_digest bytea NOT NULL,
  rpc_id jsonb NOT NULL,
  -- What the server was told, or may be: a completed task stays so. A working one whose question is over counts as cancelled.
  state text NOT NULL DEFAULT 'working' CHECK (state IN ('working', 'completed', 'cancelled')),
  ttl_ms bigint CHECK (ttl_ms >= 0),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  -- The server has taken the reply that names the task.
  announced_at timestamptz(3),
  -- When the server last asked for the task or its result.
  looked_at timestamptz(3),
  -- `tasks/result` that wait for the answer: session digests in hex, with the JSON-RPC ids.
  waiting jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(waiting) = 'array'),
  -- The question, once it is known whose it is.
  task_id uuid,
  input_request_id uuid,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, connection_id) REFERENCES connection (organization_id, id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id),
  CHECK ((task_id IS NULL) = (input_request_id IS NULL))
);
CREATE INDEX elicitation_task_listed ON elicitation_task (organization_id, connection_id, created_at, id);
CREATE INDEX elicitation_task_asked ON elicitation_task (organization_id, session_digest, rpc_id);
CREATE INDEX elicitation_task_unattended ON elicitation_task (organization_id, connection_id)
  WHERE announced_at IS NULL OR waiting <> '[]';
CREATE INDEX elicitation_task_request ON elicitation_task (organization_id, input_request_id)
  WHERE input_request_id IS NOT NULL;
CREATE INDEX elicitation_task_task ON elicitation_task (organization_id, task_id) WHERE task_id IS NOT NULL;
CREATE INDEX elicitation_task_nobodys ON elicitation_task (organization_id, changed_at) WHERE task_id IS NULL;
ALTER TABLE elicitation_task ENABLE ROW LEVEL SECURITY;
ALTER TABLE elicitation_task FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON elicitation_task USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON elicitation_task TO intray_engine;
GRANT SELECT ON elicitation_task TO intray_app;

-- The task of ours as which the question was put; null: the answer is sent to the JSON-RPC id. No foreign keys, which would need
-- an index each to delete a task by: rows that name a task that is gone are handled, or go with it.
ALTER TABLE stream_message ADD COLUMN elicitation_task_id uuid;
ALTER TABLE ask ADD COLUMN elicitation_task_id uuid;

-- 'fetched': the server asks for the answer (`tasks/result`).
ALTER TABLE delivery DROP CONSTRAINT delivery_rung_check, ADD CONSTRAINT delivery_rung_check
  CHECK (rung IN ('update', 'same_session', 'asked_again', 'new_session', 'retry', 'fetched')) NOT VALID;

-- For engines of before too: the answer to a question that was put as a task is fetched. Sent to the request that made the task, it
-- would be taken by nobody, and count as taken.
CREATE FUNCTION refuse_to_send_what_is_fetched() RETURNS trigger
  LANGUAGE plpgsql SECURITY INVOKER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM ask k WHERE k.organization_id = NEW.organization_id AND k.id = NEW.ask_id
    AND k.elicitation_task_id IS NOT NULL)
  THEN RAISE EXCEPTION 'the server fetches this answer: it is not sent' USING ERRCODE = 'check_violation'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse_to_send_what_is_fetched BEFORE UPDATE ON delivery FOR EACH ROW
  WHEN (NEW.state = 'sending' AND OLD.state <> 'sending' AND NEW.rung IS DISTINCT FROM 'fetched')
  EXECUTE FUNCTION refuse_to_send_what_is_fetched();

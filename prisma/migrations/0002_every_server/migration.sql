-- What it takes to work with every server there is: learned traits, servers that the operator defines, calls that end
-- with their connection, tasks found on a server, and which way an answer took.

-- What a server has been seen to do; lib/servers/traits.ts reads it.
ALTER TABLE server ADD COLUMN traits jsonb NOT NULL DEFAULT '{}';
-- Defined in the operator's file, under this name. Its address, command and secrets stay there.
ALTER TABLE server ADD COLUMN operator_entry text;
CREATE UNIQUE INDEX server_operator_entry ON server (organization_id, operator_entry)
  WHERE operator_entry IS NOT NULL AND removed_at IS NULL;

-- The last lines that the child process of a command server wrote to its stderr.
ALTER TABLE connection ADD COLUMN log_tail text;
ALTER TABLE connection ADD COLUMN log_tail_at timestamptz(3);

-- False: no task at the server but an open call, which ends with its connection.
ALTER TABLE task ADD COLUMN durable boolean NOT NULL DEFAULT true;
-- The server's task id as a keyed digest, for telling which tasks of a server are ours.
ALTER TABLE task ADD COLUMN handle_digest bytea;
CREATE INDEX task_handle ON task (organization_id, handle_digest) WHERE handle_digest IS NOT NULL;
ALTER TABLE task DROP CONSTRAINT task_check3;
ALTER TABLE task ADD CONSTRAINT task_has_handle CHECK (state <> 'working' OR sealed_handle IS NOT NULL OR NOT durable);

-- Which way the answer took: the session that asked (or the key), a question put again there, a new session's, or
-- the retry of a call that had asked before it made a task.
ALTER TABLE delivery ADD COLUMN rung text CHECK (rung IN ('update', 'same_session', 'asked_again', 'new_session', 'retry'));
-- How this ask came: as the first one, put again on the same session, or on a new one.
ALTER TABLE ask ADD COLUMN came text NOT NULL DEFAULT 'first' CHECK (came IN ('first', 'asked_again', 'new_session'));

-- A task that a server lists and Intray does not know. The handle is a bearer secret: sealed.
CREATE TABLE found_task (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  connection_id uuid NOT NULL,
  -- The start of unknown outcome that may have made it; null: nobody's.
  task_id uuid,
  sealed_handle text NOT NULL,
  handle_digest bytea NOT NULL,
  sealed_session text,
  status text NOT NULL,
  status_message text,
  -- By the server's clock, corrected by what its Date header differs from ours.
  server_created_at timestamptz(3),
  found_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, connection_id) REFERENCES connection (organization_id, id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id)
);
CREATE UNIQUE INDEX found_task_handle ON found_task (organization_id, connection_id, handle_digest);
CREATE INDEX found_task_of_start ON found_task (organization_id, task_id) WHERE task_id IS NOT NULL;
ALTER TABLE found_task ENABLE ROW LEVEL SECURITY;
ALTER TABLE found_task FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON found_task USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON found_task TO intray_app, intray_engine;

-- An open call that broke off is made again where the tool allows it: working > starting.
DROP TRIGGER state_machine ON task;
CREATE TRIGGER state_machine BEFORE UPDATE OF state ON task FOR EACH ROW WHEN (OLD.state <> NEW.state)
  EXECUTE FUNCTION refuse_wrong_move('queued>starting', 'queued>cancelled', 'starting>queued', 'starting>working',
    'starting>input_required', 'starting>completed', 'starting>failed', 'starting>cancelled', 'starting>start_unknown',
    'start_unknown>working', 'start_unknown>input_required', 'start_unknown>failed', 'working>starting',
    'working>input_required', 'working>completed', 'working>failed', 'working>cancelled', 'working>lost',
    'working>expired', 'input_required>working', 'input_required>starting', 'input_required>completed',
    'input_required>failed', 'input_required>cancelled', 'input_required>lost', 'input_required>expired');
-- An answer that the server took, and then asked for again, counts as taken where the task goes on to its end.
DROP TRIGGER state_machine ON delivery;
CREATE TRIGGER state_machine BEFORE UPDATE OF state ON delivery FOR EACH ROW WHEN (OLD.state <> NEW.state)
  EXECUTE FUNCTION refuse_wrong_move('held>pending', 'held>undone', 'held>failed', 'pending>sending', 'pending>failed',
    'pending>confirmed', 'sending>accepted', 'sending>pending', 'sending>confirmed', 'sending>failed',
    'accepted>confirmed', 'accepted>pending', 'accepted>failed');

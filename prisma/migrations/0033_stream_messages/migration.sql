-- What servers of 2025-11-25 say on their streams and would not say again: questions, and questions taken back. Stored as it
-- arrives, whatever state its task, its server or the lease is in; whose it is follows from these rows.
CREATE TABLE stream_message (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  connection_id uuid NOT NULL,
  -- A digest of the session it came on, and the JSON-RPC id with its type: where an answer goes.
  session_digest bytea NOT NULL,
  rpc_id jsonb NOT NULL,
  kind text NOT NULL CHECK (kind IN ('elicitation', 'cancelled')),
  -- The question as parsed.
  params jsonb,
  -- The task whose own call or tasks/result the stream was; null: the session's standalone stream.
  stream_task_id uuid,
  -- The server's task id that the message names, as task.handle_digest; null: it names none.
  named_digest bytea,
  -- It came on a stream that was gone on with after an event, as servers replay them: it may have been said before.
  replayed boolean NOT NULL DEFAULT false,
  received_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Those that it may be of, as long as nobody knows.
  candidates uuid[] NOT NULL DEFAULT '{}',
  -- The task that it turned out to be of.
  task_id uuid,
  handled_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, connection_id) REFERENCES connection (organization_id, id),
  FOREIGN KEY (organization_id, stream_task_id) REFERENCES task (organization_id, id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id),
  CHECK ((kind = 'elicitation') = (params IS NOT NULL))
);
CREATE INDEX stream_message_open ON stream_message (organization_id, connection_id) WHERE handled_at IS NULL;
CREATE INDEX stream_message_handled ON stream_message (organization_id, connection_id, handled_at)
  WHERE handled_at IS NOT NULL;
CREATE INDEX stream_message_task ON stream_message (organization_id, task_id) WHERE task_id IS NOT NULL;
CREATE INDEX stream_message_stream_task ON stream_message (organization_id, stream_task_id)
  WHERE stream_task_id IS NOT NULL;
ALTER TABLE stream_message ENABLE ROW LEVEL SECURITY;
ALTER TABLE stream_message FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON stream_message USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON stream_message TO intray_engine;
GRANT SELECT ON stream_message TO intray_app;

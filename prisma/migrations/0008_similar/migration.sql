-- What was decided before on requests like one: the last settled ones of a server and tool, and tasks of the same label.
CREATE INDEX input_request_settled ON input_request (organization_id, server_id, tool, created_at DESC, id DESC)
  WHERE state = 'settled';
CREATE INDEX task_label ON task (organization_id, server_id, label, created_at DESC) WHERE label IS NOT NULL;

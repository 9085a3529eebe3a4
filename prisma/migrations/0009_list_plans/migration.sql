-- What the inbox's lists need to stay quick whatever is filtered and however deep a page is, and what it takes to
-- delete tasks.

-- CASE, not coalesce: row security uses an index to find a place only where the expression is known not to leak, and
-- Postgres knows that of CASE. With coalesce a deep page read all that came before it.
DROP INDEX input_request_expiring;
CREATE INDEX input_request_expiring ON input_request
  (organization_id, state, (CASE WHEN expires_at IS NULL THEN 'infinity' ELSE expires_at END), id);
DROP INDEX input_request_amount;
CREATE INDEX input_request_amount ON input_request
  (organization_id, state, (CASE WHEN amount IS NULL THEN '-infinity' ELSE amount END), id);

-- What is somebody's in one state, however much they were assigned before; the ids are read from the index alone.
DROP INDEX input_request_assignee;
CREATE INDEX input_request_assignee ON input_request (organization_id, assignee_user_id, state) INCLUDE (id)
  WHERE assignee_user_id IS NOT NULL;

-- Foreign keys look here when a task or a request is deleted; without them each deleted row reads the whole table.
CREATE INDEX task_restart_of ON task (organization_id, restart_of) WHERE restart_of IS NOT NULL;
CREATE INDEX input_request_replaces ON input_request (organization_id, replaces) WHERE replaces IS NOT NULL;
CREATE INDEX delivery_task ON delivery (organization_id, task_id);
CREATE INDEX delivery_ask ON delivery (organization_id, ask_id) WHERE ask_id IS NOT NULL;
CREATE INDEX ask_task ON ask (organization_id, task_id);

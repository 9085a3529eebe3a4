-- What starts and searches need to stay quick with a hundred thousand open tasks and a million that are over.

-- How many open tasks each requester has: counted at every start. Kept by triggers at the very end of a transaction,
-- when it has all its other locks: whoever waits here waits for a commit and for nothing else. Who starts is first
-- let in alone (lib/task-lifecycle/quota.ts), so that what is counted then is exact.
CREATE TABLE open_tasks (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  -- `requested_by`: its kind and id.
  requester text NOT NULL,
  tasks integer NOT NULL,
  PRIMARY KEY (organization_id, requester)
) WITH (fillfactor = 50);
ALTER TABLE open_tasks ENABLE ROW LEVEL SECURITY;
ALTER TABLE open_tasks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON open_tasks USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON open_tasks TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT ON open_tasks TO intray_app, intray_engine;
GRANT SELECT, INSERT, UPDATE ON open_tasks TO intray_gate;

CREATE FUNCTION task_requester(requested_by jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT coalesce(requested_by->>'kind', '') || ' ' || coalesce(requested_by->>'id', '') $$;

ALTER TABLE task NO FORCE ROW LEVEL SECURITY;
ALTER TABLE open_tasks NO FORCE ROW LEVEL SECURITY;
INSERT INTO open_tasks SELECT organization_id, task_requester(requested_by), count(*) FROM task
  WHERE finished_at IS NULL GROUP BY 1, 2;
ALTER TABLE task FORCE ROW LEVEL SECURITY;
ALTER TABLE open_tasks FORCE ROW LEVEL SECURITY;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA public TO intray_gate;
SET LOCAL ROLE intray_gate;
CREATE FUNCTION count_open_task() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO open_tasks AS o VALUES (NEW.organization_id, task_requester(NEW.requested_by), 1)
      ON CONFLICT (organization_id, requester) DO UPDATE SET tasks = o.tasks + 1;
  ELSE
    -- With its organization the row is gone too.
    UPDATE open_tasks SET tasks = tasks - 1
      WHERE organization_id = OLD.organization_id AND requester = task_requester(OLD.requested_by);
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION count_open_task() FROM PUBLIC;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM intray_gate;
CREATE CONSTRAINT TRIGGER count_opened AFTER INSERT ON task DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.finished_at IS NULL) EXECUTE FUNCTION count_open_task();
CREATE CONSTRAINT TRIGGER count_ended AFTER UPDATE OF finished_at ON task DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL) EXECUTE FUNCTION count_open_task();
CREATE CONSTRAINT TRIGGER count_deleted AFTER DELETE ON task DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.finished_at IS NULL) EXECUTE FUNCTION count_open_task();
REVOKE intray_gate FROM CURRENT_USER;

-- Searching what is over. Of open tasks and requests there are few, and they change often: those are read one by one. An
-- index of each three letters that follow one another holds the rest, which no longer change. The organization comes
-- first in it, so that what others have is not read. Both extensions come with Postgres, and a database's owner may
-- make them.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- What a task is searched by. Where the text of the arguments is long, only its beginning.
CREATE FUNCTION task_search(tool text, label text, status_message text, arguments json) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT lower(left(tool || E'\n' || coalesce(label, '') || E'\n' || coalesce(status_message, '') || E'\n' ||
    arguments::text, 8000)) $$;
CREATE INDEX input_request_search ON input_request USING gin (organization_id, search gin_trgm_ops)
  WHERE state NOT IN ('open', 'answered');
CREATE INDEX task_search ON task USING gin
  (organization_id, task_search(tool, label, status_message, arguments) gin_trgm_ops) WHERE finished_at IS NOT NULL;

-- What is found is the ids, and only in the organization that is set. Row security would not use such an index: it takes
-- a search for something that may leak. So these look as the role that sees all, and bind the organization by themselves.
-- `p_pattern` is in lower case, as LIKE takes it.
GRANT SELECT (search) ON input_request TO intray_gate;
GRANT SELECT (organization_id, id, state, finished_at, tool, label, status_message, arguments) ON task TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA public TO intray_gate;
DO $$
DECLARE owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  CREATE FUNCTION search_ended_requests(p_state text, p_pattern text) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT r.id FROM input_request r WHERE r.organization_id = current_organization() AND r.state = p_state
      AND r.state NOT IN (''open'', ''answered'') AND r.search LIKE p_pattern';
  CREATE FUNCTION search_ended_tasks(p_state text, p_pattern text) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT t.id FROM task t WHERE t.organization_id = current_organization() AND t.state = p_state
      AND t.finished_at IS NOT NULL
      AND task_search(t.tool, t.label, t.status_message, t.arguments) LIKE p_pattern';
  REVOKE ALL ON FUNCTION search_ended_requests(text, text), search_ended_tasks(text, text) FROM PUBLIC;
  EXECUTE format('GRANT EXECUTE ON FUNCTION search_ended_requests(text, text), search_ended_tasks(text, text)
    TO intray_app, intray_engine, %I', owner);
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

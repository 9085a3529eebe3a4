-- What starts and searches need to stay quick with a hundred thousand open tasks and a million that are over.

-- How many open tasks each requester has: counted at every start. Kept by triggers at the very end of a transaction,
-- when it has all its other locks: whoever waits here waits for a commit and for nothing else. Who starts is first
-- let in alone (lib/tasks/quota.ts), so that what is counted then is exact.
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
  AS $$ SELECT (requested_by->>'kind') || ' ' || coalesce(requested_by->>'id', '') $$;

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

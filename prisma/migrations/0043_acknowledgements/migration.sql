-- Who looks after a stuck task, so that two people do not do the same. One row a task, until the task is no longer stuck.
CREATE TABLE acknowledgement (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  task_id uuid NOT NULL,
  user_id uuid NOT NULL,
  note text CHECK (length(note) BETWEEN 1 AND 500),
  acknowledged_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Since when the task has not been stuck. It may be again in a minute, when a server comes and goes.
  free_since timestamptz(3),
  PRIMARY KEY (organization_id, task_id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id)
    -- An engine of before deletes old tasks, and knows nothing of this table.
    ON DELETE CASCADE
);
ALTER TABLE acknowledgement ENABLE ROW LEVEL SECURITY;
ALTER TABLE acknowledgement FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON acknowledgement USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON acknowledgement FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON acknowledgement TO intray_app;
-- The engine ends what is over, and deletes old tasks.
GRANT SELECT, DELETE, UPDATE (free_since) ON acknowledgement TO intray_engine;
GRANT SELECT (organization_id) ON acknowledgement TO intray_gate;

-- Organizations where somebody looks after a task.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;
CREATE FUNCTION gate.organizations_with_acknowledgements() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT a.organization_id FROM acknowledgement a $$;
REVOKE ALL ON FUNCTION gate.organizations_with_acknowledgements() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_acknowledgements() TO intray_engine;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

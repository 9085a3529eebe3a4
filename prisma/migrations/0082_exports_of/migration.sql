-- The lines of exports that held a task, or tasks of a person. Functions, because row security lets no index answer
-- what is inside of a line's details; each is bound to the organization of its transaction.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA public TO intray_gate;
DO $$
DECLARE owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  CREATE FUNCTION exports_of_task(p_task uuid) RETURNS SETOF bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT e.seq FROM event e WHERE e.organization_id = current_organization() AND e.type = ''tasks.exported''
      AND e.data -> ''taskIds'' @> jsonb_build_array(p_task)';
  CREATE FUNCTION exports_of_person(p_user uuid) RETURNS SETOF bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT e.seq FROM event e WHERE e.organization_id = current_organization() AND e.type = ''tasks.exported''
      AND e.data -> ''people'' @> jsonb_build_array(p_user)';
  REVOKE ALL ON FUNCTION exports_of_task(uuid), exports_of_person(uuid) FROM PUBLIC;
  EXECUTE format('GRANT EXECUTE ON FUNCTION exports_of_task(uuid), exports_of_person(uuid) TO intray_app, %I', owner);
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- What a line says of a private task is shown only to who may see the task. Once the task is deleted nobody knows
-- whose it was, so its lines' payloads go with it; their digests stay, and the chain holds.
GRANT SELECT (id, visibility) ON task TO intray_gate;
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA public TO intray_gate;
SET LOCAL ROLE intray_gate;

CREATE FUNCTION drop_private_payloads(p_tasks uuid[]) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS '
  UPDATE event SET data = NULL FROM task t WHERE t.organization_id = current_organization() AND t.id = ANY (p_tasks)
    AND t.visibility = ''private'' AND event.organization_id = t.organization_id AND event.task_id = t.id
    AND event.data IS NOT NULL AND event.payload_digest IS NOT NULL';
REVOKE ALL ON FUNCTION drop_private_payloads(uuid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drop_private_payloads(uuid[]) TO intray_engine;

RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- How many rows of the outbox were taken stands beside each hint, so that an engine knows whether there may be more: many
-- rows of the same hint make one. Engines of before name the other columns, and go on.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;
DROP FUNCTION gate.take_changes(integer);
CREATE FUNCTION gate.take_changes(p_limit integer)
  RETURNS TABLE (organization_id uuid, topic text, entity_id uuid, rows_taken bigint)
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ WITH taken AS (DELETE FROM change WHERE (change.organization_id, change.id) IN (
      SELECT c.organization_id, c.id FROM change c LIMIT p_limit FOR UPDATE SKIP LOCKED)
    RETURNING change.organization_id, change.topic, change.entity_id)
    SELECT DISTINCT taken.organization_id, taken.topic, taken.entity_id, (SELECT count(*) FROM taken) FROM taken $$;
REVOKE ALL ON FUNCTION gate.take_changes(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.take_changes(integer) TO intray_engine;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

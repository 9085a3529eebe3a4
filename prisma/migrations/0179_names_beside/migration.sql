-- Whoever joins takes nobody's name.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- The names of everybody else where the account that an invitation's link makes will be a member: in the organization of the
-- invitation, and where a mailed link replaces an account that nobody has proved, in those of that account. By turns with all
-- that makes members there, until the transaction ends: of two who join at once, the second sees the first.
CREATE FUNCTION gate.names_beside(p_token_hash bytea) RETURNS SETOF text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  invited record;
  places uuid[];
  place uuid;
BEGIN
  SELECT * INTO invited FROM gate.open_invitation(p_token_hash);
  IF NOT FOUND THEN RETURN; END IF;
  SELECT array_agg(o ORDER BY o) INTO places FROM (
    SELECT invited.organization_id AS o
    UNION SELECT m.organization_id FROM "user" u JOIN membership m ON m.user_id = u.id
      WHERE u.email = invited.email AND u.proven_at IS NULL AND invited.mailed
    UNION SELECT s.organization_id FROM "user" u JOIN suspended_member s ON s.user_id = u.id
      WHERE u.email = invited.email AND u.proven_at IS NULL AND invited.mailed) AS its;
  FOREACH place IN ARRAY places LOOP
    PERFORM pg_advisory_xact_lock(hashtextextended('maker ' || place::text, 0));
  END LOOP;
  RETURN QUERY SELECT u.name FROM "user" u WHERE u.email <> invited.email AND u.id IN (
    SELECT m.user_id FROM membership m WHERE m.organization_id = ANY (places)
    UNION ALL SELECT s.user_id FROM suspended_member s WHERE s.organization_id = ANY (places));
END $$;

REVOKE ALL ON FUNCTION gate.names_beside(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.names_beside(bytea) TO intray_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

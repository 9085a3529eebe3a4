-- A session that nobody has used for too long is over, also by the organization's own limit: its device shows counts alone.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;
-- Whether a session is in force in an organization: only then may its device show more than counts. The function of two
-- parameters is for engines of earlier versions.
CREATE FUNCTION gate.session_works_in(p_session uuid, p_organization uuid, p_idle_ms bigint) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM session s JOIN membership m ON m.organization_id = p_organization AND m.user_id = s.user_id
    LEFT JOIN sign_in_policy p ON p.organization_id = p_organization
    WHERE s.id = p_session AND s.revoked_at IS NULL AND s.expires_at > now() AND p_organization <> ALL (s.ended_in)
      AND s.last_seen_at > now() - least(p_idle_ms, p.idle_ms) * interval '1 ms'
      AND gate.sign_in_refusal(s, p_organization, m.role) IS NULL) $$;
REVOKE ALL ON FUNCTION gate.session_works_in(uuid,uuid,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.session_works_in(uuid,uuid,bigint) TO intray_engine;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

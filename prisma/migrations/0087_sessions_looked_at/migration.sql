-- A call that is refused looks at its session and does not touch it: whoever calls from outside of the organization's
-- networks keeps no idle session alive. The web asks for gate.session without p_touch, judges, and touches then.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Whether the use of a session is to be written down: once a minute.
CREATE FUNCTION gate.use_is_due(p_session uuid) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM session s WHERE s.id = p_session AND s.last_seen_at < now() - interval '1 minute') $$;

CREATE FUNCTION gate.note_session_use(p_secret_hash bytea) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ UPDATE session SET last_seen_at = now() WHERE secret_hash = p_secret_hash AND revoked_at IS NULL
    AND last_seen_at < now() - interval '1 minute' $$;

REVOKE ALL ON FUNCTION gate.use_is_due(uuid), gate.note_session_use(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.use_is_due(uuid), gate.note_session_use(bytea) TO intray_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

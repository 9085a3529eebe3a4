-- A page can say that a link is over before anybody types a password into it. Looking uses nothing up.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

CREATE FUNCTION gate.password_link_in_force(p_token_hash bytea) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM password_link
    WHERE token_hash = p_token_hash AND used_at IS NULL AND expires_at > now()) $$;

REVOKE ALL ON FUNCTION gate.password_link_in_force(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.password_link_in_force(bytea) TO intray_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

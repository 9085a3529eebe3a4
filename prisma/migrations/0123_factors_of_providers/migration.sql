-- A sign-in at an OpenID provider counts as having shown who one is from when the provider asked, as it does with SAML
-- (0070): a provider that still knows the browser asks nobody.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;
-- As gate.open_session. `again` of the proof: the browser was signed in, so that the provider was asked to ask anew. A
-- provider that does not say when it asked is believed that alone.
CREATE FUNCTION gate.open_oidc_session(p_secret_hash bytea, p_user uuid, p_lifetime_ms bigint, p_method text,
    p_user_agent text, p_address text, p_network text, p_browser text, p_epoch integer, p_proof jsonb) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE opened uuid;
BEGIN
  opened := gate.open_session(p_secret_hash, p_user, p_lifetime_ms, p_method, p_user_agent, p_address, p_network,
    p_browser, p_epoch, p_proof);
  UPDATE session SET factor_at = CASE
      WHEN p_proof->>'authenticatedAt' IS NOT NULL THEN least(now(), (p_proof->>'authenticatedAt')::timestamptz)
      WHEN (p_proof->>'again')::boolean THEN now() END
    WHERE id = opened;
  RETURN opened;
END $$;
REVOKE ALL ON FUNCTION gate.open_oidc_session(bytea, uuid, bigint, text, text, text, text, text, integer, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.open_oidc_session(bytea, uuid, bigint, text, text, text, text, text, integer, jsonb) TO intray_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

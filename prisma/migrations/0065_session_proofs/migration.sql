-- What a session was opened by, as the provider said it. Null in all: without a provider, or by a web process of before,
-- whose sessions count as opened without one.
ALTER TABLE session
  -- The provider's id in the sign-in settings, or `saml:` and the id of an organization's own.
  ADD COLUMN provider text,
  -- Whom and which of its sessions the provider means when it ends one.
  ADD COLUMN provider_subject text,
  ADD COLUMN provider_session text,
  -- When the person proved to the provider who they are.
  ADD COLUMN authenticated_at timestamptz(3),
  -- By what, in the provider's words.
  ADD COLUMN acr text,
  ADD COLUMN amr text[],
  DROP CONSTRAINT session_method_check,
  ADD CONSTRAINT session_method_check CHECK (method IN ('password', 'passkey', 'oidc', 'saml', 'demo')) NOT VALID,
  ADD CONSTRAINT session_proof_whole CHECK ((provider IS NULL) = (provider_subject IS NULL)) NOT VALID;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;
-- As the function without p_proof: {provider, subject, session, authenticatedAt, acr, amr}, of which the first two are there.
CREATE FUNCTION gate.open_session(p_secret_hash bytea, p_user uuid, p_lifetime_ms bigint, p_method text,
    p_user_agent text, p_address text, p_network text, p_browser text, p_epoch integer, p_proof jsonb) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  opened uuid := gate.open_session(p_secret_hash, p_user, p_lifetime_ms, p_method, p_user_agent, p_address, p_network,
    p_browser, p_epoch);
BEGIN
  UPDATE session SET provider = p_proof->>'provider', provider_subject = p_proof->>'subject',
      provider_session = p_proof->>'session', authenticated_at = (p_proof->>'authenticatedAt')::timestamptz,
      acr = p_proof->>'acr', amr = CASE WHEN jsonb_typeof(p_proof->'amr') = 'array'
        THEN ARRAY(SELECT jsonb_array_elements_text(p_proof->'amr')) END
    WHERE id = opened AND p_proof IS NOT NULL;
  RETURN opened;
END $$;
REVOKE ALL ON FUNCTION gate.open_session(bytea, uuid, bigint, text, text, text, text, text, integer, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.open_session(bytea, uuid, bigint, text, text, text, text, text, integer, jsonb) TO intray_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;
-- As 0119, and locks the person before the session, as gate.provider_logout does: the two never wait for each other.
CREATE OR REPLACE FUNCTION gate.open_agent_session(p_organization uuid, p_browser uuid, p_agent uuid, p_sign_in uuid, p_client text,
    p_metadata jsonb, p_secret_hash bytea, p_lifetime_ms bigint, p_web_ms bigint) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  browser session%ROWTYPE;
  opened uuid;
BEGIN
  IF p_organization IS DISTINCT FROM current_organization() THEN RETURN NULL; END IF;
  PERFORM FROM "user" u WHERE u.id = (SELECT s.user_id FROM session s WHERE s.id = p_browser) FOR KEY SHARE;
  SELECT * INTO browser FROM session s WHERE s.id = p_browser AND s.revoked_at IS NULL AND s.expires_at > now() FOR SHARE;
  IF browser.id IS NULL OR browser.agent_id IS NOT NULL OR p_organization = ANY (browser.ended_in) THEN RETURN NULL; END IF;
  INSERT INTO session (secret_hash, user_id, created_at, expires_at, chosen_organization, method, factor_at,
      provider, provider_subject, provider_session, authenticated_at, acr, amr, ended_in, agent_id)
    VALUES (p_secret_hash, browser.user_id, browser.created_at,
      CASE WHEN browser.expires_at < browser.created_at + (p_web_ms - 60000) * interval '1 ms' THEN browser.expires_at
        ELSE now() + p_lifetime_ms * interval '1 ms' END,
      p_organization, browser.method, NULL, browser.provider, browser.provider_subject, browser.provider_session,
      browser.authenticated_at, browser.acr, browser.amr, browser.ended_in, p_agent)
    RETURNING id INTO opened;
  INSERT INTO agent_sign_in (organization_id, id, agent_id, client_id, session_id)
    VALUES (p_organization, p_sign_in, p_agent, p_client, opened);
  INSERT INTO agent_client AS known (id, metadata, used_at) VALUES (p_client, p_metadata, now())
    ON CONFLICT (id) DO UPDATE SET used_at = now(), metadata = CASE WHEN known.id LIKE 'https:%' THEN excluded.metadata ELSE known.metadata END;
  RETURN opened;
END $$;
RESET ROLE;
-- A session that a member opens for an agent copies the provider of the browser's. It is no sign-in at the provider: it ends no
-- absence there, and makes nobody's keys work longer.
DROP TRIGGER end_provider_absence ON session;
CREATE TRIGGER end_provider_absence AFTER INSERT ON session FOR EACH ROW
  WHEN (NEW.provider IS NOT NULL AND NEW.agent_id IS NULL) EXECUTE FUNCTION end_provider_absence();
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

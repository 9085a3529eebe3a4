-- Sessions that a person can tell apart and end, and that work in the organization the person chose.

ALTER TABLE session
  -- How people and the API name it; the secret's hash stays here.
  ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE,
  -- Where it works; null, or no member there any more: the one that the person joined first. Not called
  -- organization_id: a session is a person's, not a tenant's.
  ADD COLUMN chosen_organization uuid,
  -- How it was opened.
  ADD COLUMN method text NOT NULL DEFAULT 'password' CHECK (method IN ('password', 'passkey', 'oidc', 'demo')),
  ADD COLUMN user_agent text,
  ADD COLUMN address text;

-- Functions of the gate are made as its role, which the owner may be for the length of this.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

DROP FUNCTION gate.create_session(bytea, uuid, bigint);
CREATE FUNCTION gate.create_session(p_secret_hash bytea, p_user uuid, p_lifetime_ms bigint, p_method text,
    p_user_agent text, p_address text) RETURNS uuid
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ INSERT INTO session (secret_hash, user_id, expires_at, method, user_agent, address)
    VALUES (p_secret_hash, p_user, now() + p_lifetime_ms * interval '1 ms', p_method, p_user_agent, p_address)
    RETURNING id $$;

-- The person behind a session secret and the membership in force now; no row: not signed in.
DROP FUNCTION gate.session(bytea, bigint);
CREATE FUNCTION gate.session(p_secret_hash bytea, p_idle_ms bigint)
  RETURNS TABLE (session_id uuid, user_id uuid, email text, name text, organization_id uuid, slug text,
    organization_name text, role text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE opened session%ROWTYPE;
BEGIN
  SELECT * INTO opened FROM session s
    WHERE s.secret_hash = p_secret_hash AND s.revoked_at IS NULL AND s.expires_at > now()
      AND s.last_seen_at > now() - p_idle_ms * interval '1 ms';
  IF opened.id IS NULL THEN RETURN; END IF;
  IF opened.last_seen_at < now() - interval '1 minute' THEN
    UPDATE session SET last_seen_at = now() WHERE secret_hash = p_secret_hash;
  END IF;
  RETURN QUERY SELECT opened.id, u.id, u.email, u.name, o.id, o.slug, o.name, m.role FROM "user" u
    JOIN membership m ON m.user_id = u.id JOIN organization o ON o.id = m.organization_id
    WHERE u.id = opened.user_id AND (NOT o.demo OR NOT gate.setup_done())
    ORDER BY (o.id = opened.chosen_organization) IS TRUE DESC, m.created_at, o.id LIMIT 1;
END $$;

REVOKE ALL ON FUNCTION gate.create_session(bytea, uuid, bigint, text, text, text), gate.session(bytea, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.create_session(bytea, uuid, bigint, text, text, text), gate.session(bytea, bigint)
  TO intray_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

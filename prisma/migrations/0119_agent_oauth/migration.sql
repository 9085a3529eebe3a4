-- OAuth for agents that a member signs in (docs/decisions/063-agents-sign-in-here.md): clients that registered, what the
-- authorization server keeps of codes and tokens, and what each token rests on.

-- Clients: those that registered by themselves (RFC 7591), as anybody may, and of those with a metadata document, whose id
-- is its address, what it said when a member last let one in. Nothing that a client says of itself is proved.
CREATE TABLE agent_client (
  id text PRIMARY KEY CHECK (length(id) <= 1000),
  metadata jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- When a member last let it in: what came of it lasts ninety days. Null: nobody did, and the row goes after a day.
  used_at timestamptz(3)
);
CREATE INDEX agent_client_unused ON agent_client (created_at) WHERE used_at IS NULL;
CREATE INDEX agent_client_used ON agent_client (used_at);

-- Set: the session is no browser's. It keeps how the member had signed in when they let this agent in, has a secret that
-- nobody knows, and ends wherever the member's sessions are ended. Web processes of before end it, too.
ALTER TABLE session ADD COLUMN agent_id uuid;

-- One time that a member let an agent in: what its codes and tokens belong to.
CREATE TABLE agent_sign_in (
  organization_id uuid NOT NULL,
  id uuid NOT NULL UNIQUE,
  agent_id uuid NOT NULL,
  client_id text NOT NULL,
  session_id uuid NOT NULL UNIQUE REFERENCES session (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, agent_id) REFERENCES agent_credential (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX agent_sign_in_by_agent ON agent_sign_in (organization_id, agent_id);
ALTER TABLE agent_sign_in ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_sign_in FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON agent_sign_in USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON agent_sign_in TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT ON agent_sign_in TO intray_app;
GRANT SELECT, INSERT ON agent_sign_in TO intray_gate;

-- What the authorization server keeps: questions to members, codes and tokens, by the hash of what opens them.
CREATE TABLE agent_oauth_record (
  kind text NOT NULL CHECK (kind IN ('Interaction', 'AuthorizationCode', 'AccessToken', 'RefreshToken', 'Grant')),
  id_hash bytea NOT NULL CHECK (length(id_hash) = 32),
  sign_in_id uuid REFERENCES agent_sign_in (id) ON DELETE CASCADE,
  -- Whose browser is asked; nobody else may answer.
  session_id uuid REFERENCES session (id) ON DELETE CASCADE,
  payload jsonb NOT NULL,
  consumed_at timestamptz(3),
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (kind, id_hash),
  CHECK ((kind = 'Interaction') = (session_id IS NOT NULL)),
  CHECK ((kind = 'Interaction') = (sign_in_id IS NULL))
);
CREATE INDEX agent_oauth_record_by_sign_in ON agent_oauth_record (sign_in_id);
CREATE INDEX agent_oauth_record_by_session ON agent_oauth_record (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX agent_oauth_record_by_end ON agent_oauth_record (expires_at);

-- Neither belongs to an organization; functions of the gate are the only way to them.
ALTER TABLE agent_client ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_oauth_record ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON agent_client TO intray_gate USING (true) WITH CHECK (true);
CREATE POLICY gate ON agent_oauth_record TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON agent_client, agent_oauth_record TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Keeps a client that registers, unless `p_most` wait already for somebody who lets them in.
CREATE FUNCTION gate.register_agent_client(p_id text, p_metadata jsonb, p_most integer, p_unused_ms bigint) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM agent_client WHERE id IN (SELECT c.id FROM agent_client c
    WHERE c.used_at IS NULL AND c.created_at < now() - p_unused_ms * interval '1 ms' LIMIT 100 FOR UPDATE SKIP LOCKED);
  DELETE FROM agent_client WHERE id IN (SELECT c.id FROM agent_client c
    WHERE c.used_at < now() - interval '91 days' LIMIT 100 FOR UPDATE SKIP LOCKED);
  IF (SELECT count(*) FROM (SELECT FROM agent_client WHERE used_at IS NULL LIMIT p_most) waiting) >= p_most THEN
    RETURN false;
  END IF;
  INSERT INTO agent_client (id, metadata) VALUES (p_id, p_metadata);
  RETURN true;
END $$;

CREATE FUNCTION gate.agent_client(p_id text) RETURNS TABLE (metadata jsonb)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT c.metadata FROM agent_client c WHERE c.id = p_id $$;

-- Writes a record, or writes it anew, and takes some away whose time is over: as many as may come in at once.
CREATE FUNCTION gate.keep_agent_record(p_kind text, p_id_hash bytea, p_sign_in uuid, p_session uuid, p_payload jsonb,
    p_lifetime_s integer) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM agent_oauth_record WHERE (kind, id_hash) IN (SELECT r.kind, r.id_hash FROM agent_oauth_record r
    WHERE r.expires_at < now() - interval '1 hour' LIMIT 20 FOR UPDATE SKIP LOCKED);
  INSERT INTO agent_oauth_record AS kept (kind, id_hash, sign_in_id, session_id, payload, expires_at)
    VALUES (p_kind, p_id_hash, p_sign_in, p_session, p_payload, now() + p_lifetime_s * interval '1 second')
    ON CONFLICT (kind, id_hash) DO UPDATE SET payload = excluded.payload, expires_at = excluded.expires_at
      WHERE kept.sign_in_id IS NOT DISTINCT FROM excluded.sign_in_id
        AND kept.session_id IS NOT DISTINCT FROM excluded.session_id $$;

CREATE FUNCTION gate.agent_record(p_kind text, p_id_hash bytea) RETURNS TABLE (payload jsonb, consumed_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT r.payload, r.consumed_at FROM agent_oauth_record r
    WHERE r.kind = p_kind AND r.id_hash = p_id_hash AND r.expires_at > now() $$;

-- Whether the record was not used before: of two who use it at once, one is told so.
CREATE FUNCTION gate.use_agent_record(p_kind text, p_id_hash bytea) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE agent_oauth_record SET consumed_at = now() WHERE kind = p_kind AND id_hash = p_id_hash AND consumed_at IS NULL;
  RETURN FOUND;
END $$;

CREATE FUNCTION gate.remove_agent_record(p_kind text, p_id_hash bytea) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ DELETE FROM agent_oauth_record WHERE kind = p_kind AND id_hash = p_id_hash $$;

-- What the member is asked in their browser's session, while they have not answered.
CREATE FUNCTION gate.agent_question(p_id_hash bytea, p_session uuid) RETURNS TABLE (payload jsonb)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT r.payload FROM agent_oauth_record r WHERE r.kind = 'Interaction' AND r.id_hash = p_id_hash
    AND r.session_id = p_session AND r.expires_at > now() AND NOT r.payload ? 'result' $$;

-- Writes the member's answer to the question down, once. False: somebody else's question, or none.
CREATE FUNCTION gate.answer_agent_question(p_id_hash bytea, p_session uuid, p_result jsonb) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE agent_oauth_record r SET payload = r.payload || jsonb_build_object('result', p_result)
    WHERE r.kind = 'Interaction' AND r.id_hash = p_id_hash AND r.session_id = p_session AND r.expires_at > now()
      AND NOT r.payload ? 'result';
  RETURN FOUND;
END $$;

-- Opens the agent's own session beside the browser's, with its proofs and its age: whatever ends the one ends the other,
-- but for the browser's own sign-out and its eight hours. A session that its provider ends earlier than `p_web_ms` after
-- the sign-in ends the agent's then. Null: the browser's is over.
CREATE FUNCTION gate.open_agent_session(p_organization uuid, p_browser uuid, p_agent uuid, p_sign_in uuid, p_client text,
    p_metadata jsonb, p_secret_hash bytea, p_lifetime_ms bigint, p_web_ms bigint) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  browser session%ROWTYPE;
  opened uuid;
BEGIN
  IF p_organization IS DISTINCT FROM current_organization() THEN RETURN NULL; END IF;
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

-- Whether all that a sign-in rests on is there still: the agent, the membership, the member's sign-in, and what the
-- organization asks of one.
CREATE FUNCTION gate.agent_sign_in_stands(p_sign_in uuid) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM agent_sign_in i
    JOIN session s ON s.id = i.session_id
    JOIN agent_credential a ON a.organization_id = i.organization_id AND a.id = i.agent_id
    JOIN membership m ON m.organization_id = i.organization_id AND m.user_id = s.user_id
    WHERE i.id = p_sign_in AND a.user_id = s.user_id AND a.revoked_at IS NULL AND coalesce(a.expires_at > now(), true)
      AND s.revoked_at IS NULL AND s.expires_at > now() AND i.organization_id <> ALL (s.ended_in)
      AND coalesce(s.only_organization = i.organization_id, true)
      AND gate.sign_in_refusal(s, i.organization_id, m.role) IS NULL
      AND NOT gate.keys_rest(i.organization_id, s.user_id)) $$;

-- The agent and the member of a sign-in that stands, for the authorization server.
CREATE FUNCTION gate.agent_sign_in(p_sign_in uuid) RETURNS TABLE (user_id uuid, client_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT s.user_id, i.client_id FROM agent_sign_in i JOIN session s ON s.id = i.session_id
    WHERE i.id = p_sign_in AND gate.agent_sign_in_stands(p_sign_in) $$;

-- The agent that an access token for `p_resource` belongs to, while everything stands that it rests on.
CREATE FUNCTION gate.agent_of_token(p_token_hash bytea, p_resource text)
  RETURNS TABLE (organization_id uuid, agent_id uuid, sign_in_id uuid, noted boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT i.organization_id, i.agent_id, i.id, s.last_seen_at >= now() - interval '1 minute'
    FROM agent_oauth_record r JOIN agent_sign_in i ON i.id = r.sign_in_id JOIN session s ON s.id = i.session_id
    WHERE r.kind = 'AccessToken' AND r.id_hash = p_token_hash AND r.expires_at > now()
      AND r.payload ->> 'aud' = p_resource AND gate.agent_sign_in_stands(i.id) $$;

-- The use of a token is the use of its session: once a minute.
CREATE FUNCTION gate.note_agent_session(p_sign_in uuid) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE session s SET last_seen_at = now() FROM agent_sign_in i WHERE i.id = p_sign_in AND s.id = i.session_id
    AND s.revoked_at IS NULL AND s.last_seen_at < now() - interval '1 minute' $$;

-- Ends a sign-in with all its codes and tokens, and says so in the organization's history, once.
CREATE FUNCTION gate.end_agent_sign_in(p_sign_in uuid, p_why text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  ended agent_sign_in%ROWTYPE;
  member uuid;
BEGIN
  SELECT * INTO ended FROM agent_sign_in WHERE id = p_sign_in;
  IF ended.id IS NULL THEN RETURN false; END IF;
  UPDATE session SET revoked_at = now() WHERE id = ended.session_id AND revoked_at IS NULL RETURNING user_id INTO member;
  DELETE FROM agent_oauth_record WHERE sign_in_id = p_sign_in;
  IF member IS NULL THEN RETURN false; END IF;
  PERFORM gate.session_event(member, ended.organization_id, 'agent.signed_out', (SELECT jsonb_build_object(
    'agentId', a.id, 'name', a.name, 'why', p_why) FROM agent_credential a
      WHERE a.organization_id = ended.organization_id AND a.id = ended.agent_id));
  RETURN true;
END $$;

-- An agent whose member's sign-in ends is looked at again where a call of its is held open.
CREATE FUNCTION gate.tell_agent_session() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_notify('intray_change', json_build_object('o', i.organization_id,
      'c', json_build_array(json_build_array('agent', i.agent_id)))::text)
    FROM agent_sign_in i WHERE i.session_id = NEW.id;
  RETURN NULL;
END $$;

-- The name of the agent whose session it is, while the agent is one; null: a browser's.
CREATE FUNCTION gate.agent_of_session(s session) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT a.name FROM agent_sign_in i JOIN agent_credential a ON a.organization_id = i.organization_id AND a.id = i.agent_id
    WHERE s.agent_id IS NOT NULL AND i.session_id = s.id AND a.revoked_at IS NULL $$;

-- Agents' sessions are listed beside the browsers', however long they are not used: whoever may end those ends these, too.
-- Web processes of before go on with gate.sessions and gate.sessions_in.
CREATE FUNCTION gate.sessions_and_agents(p_user uuid, p_idle_ms bigint) RETURNS TABLE (id uuid, method text, user_agent text,
    address text, created_at timestamptz, last_seen_at timestamptz, expires_at timestamptz, agent text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT s.id, s.method, s.user_agent, s.address, s.created_at, s.last_seen_at, s.expires_at, gate.agent_of_session(s)
    FROM session s WHERE s.user_id = p_user AND s.revoked_at IS NULL AND s.expires_at > now()
      AND CASE WHEN s.agent_id IS NULL THEN s.last_seen_at > now() - p_idle_ms * interval '1 ms'
        ELSE gate.agent_of_session(s) IS NOT NULL END
    ORDER BY s.created_at DESC, s.id $$;
CREATE FUNCTION gate.sessions_and_agents_in(p_organization uuid, p_user uuid, p_idle_ms bigint) RETURNS TABLE (id uuid,
    method text, user_agent text, address text, created_at timestamptz, last_seen_at timestamptz, expires_at timestamptz, agent text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT s.id, s.method, s.user_agent, s.address, s.created_at, s.last_seen_at, s.expires_at, gate.agent_of_session(s)
    FROM session s WHERE p_organization = current_organization() AND s.user_id = p_user AND s.revoked_at IS NULL
      AND s.expires_at > now() AND gate.place_of(s) = p_organization
      AND CASE WHEN s.agent_id IS NULL THEN s.last_seen_at > now() - p_idle_ms * interval '1 ms'
        ELSE gate.agent_of_session(s) IS NOT NULL END
    ORDER BY s.created_at DESC, s.id $$;

-- As in 0076; an agent's session works where its agent is, used or not.
CREATE OR REPLACE FUNCTION gate.end_sessions_in(p_organization uuid, p_user uuid, p_session uuid, p_idle_ms bigint,
    p_by text) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  one session%ROWTYPE;
  worked_here boolean;
  ended integer := 0;
BEGIN
  IF p_organization IS DISTINCT FROM current_organization() THEN RETURN 0; END IF;
  FOR one IN SELECT * FROM session s WHERE s.user_id = p_user AND s.revoked_at IS NULL AND s.expires_at > now()
      AND p_organization <> ALL (s.ended_in) AND (p_session IS NULL OR s.id = p_session) ORDER BY s.id FOR UPDATE LOOP
    worked_here := (one.agent_id IS NOT NULL OR one.last_seen_at > now() - p_idle_ms * interval '1 ms')
      AND gate.place_of(one) IS NOT DISTINCT FROM p_organization;
    CONTINUE WHEN p_session IS NOT NULL AND NOT worked_here;
    one.ended_in := one.ended_in || p_organization;
    UPDATE session SET ended_in = one.ended_in, chosen_organization = gate.place_of(one),
        revoked_at = CASE WHEN gate.place_of(one) IS NULL OR one.agent_id IS NOT NULL THEN now() END WHERE id = one.id;
    IF worked_here THEN ended := ended + 1; END IF;
  END LOOP;
  IF ended > 0 AND p_by IS NOT NULL THEN
    PERFORM gate.account_event(p_user, 'account.sessions_ended', jsonb_build_object('count', ended, 'by', p_by,
      'organization', (SELECT o.name FROM organization o WHERE o.id = p_organization)));
  END IF;
  RETURN ended;
END $$;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['register_agent_client(text, jsonb, integer, bigint)', 'agent_client(text)',
      'keep_agent_record(text, bytea, uuid, uuid, jsonb, integer)', 'agent_record(text, bytea)',
      'use_agent_record(text, bytea)', 'remove_agent_record(text, bytea)', 'agent_question(bytea, uuid)',
      'answer_agent_question(bytea, uuid, jsonb)',
      'open_agent_session(uuid, uuid, uuid, uuid, text, jsonb, bytea, bigint, bigint)', 'agent_sign_in(uuid)',
      'agent_of_token(bytea, text)', 'note_agent_session(uuid)',
      'sessions_and_agents(uuid, bigint)', 'sessions_and_agents_in(uuid, uuid, bigint)', 'end_agent_sign_in(uuid, text)'] LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION gate.%s FROM PUBLIC', name);
    EXECUTE format('GRANT EXECUTE ON FUNCTION gate.%s TO intray_app', name);
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION gate.agent_sign_in_stands(uuid), gate.tell_agent_session(), gate.agent_of_session(session) FROM PUBLIC;
RESET ROLE;
CREATE TRIGGER tell_agent_session AFTER UPDATE OF revoked_at, ended_in ON session FOR EACH ROW WHEN (NEW.agent_id IS NOT NULL)
  EXECUTE FUNCTION gate.tell_agent_session();
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

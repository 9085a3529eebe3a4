-- Agents: programs that reach Intray by MCP (docs/agents.md). Each has a credential of its own, which is a secret, or an
-- OAuth client that a member signed in; and what it may call.
CREATE TABLE agent_credential (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('operator', 'approver', 'viewer')),
  -- Of a secret that was shown once; null: the agent comes with OAuth tokens.
  secret_hash bytea UNIQUE,
  -- The member who signed the agent in, as whom it acts, and the client; null: the agent has a secret, and acts as nobody.
  user_id uuid,
  oauth_client_id text,
  -- Who made it: it dies with the membership. Null: the command line.
  created_by uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Null: without an end.
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  -- As of api_key: of 14, 3 and 0 days before the end, the last of which people were told. Null: none yet.
  warned_days smallint CHECK (warned_days IN (14, 3, 0)),
  -- How long a call is held open; null: as the client's name suggests.
  hold_ms integer CHECK (hold_ms BETWEEN 0 AND 210000),
  -- The client's own user may answer, too, where a grant says nothing.
  ask_agent_too boolean NOT NULL DEFAULT false,
  -- What the client says of itself: nobody has proved it.
  client_name text,
  client_version text,
  first_seen_at timestamptz(3),
  -- To the minute, as `calls` is.
  last_seen_at timestamptz(3),
  last_seen_network text,
  calls bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (organization_id, id),
  CHECK ((secret_hash IS NULL) = (user_id IS NOT NULL)),
  CHECK ((user_id IS NULL) = (oauth_client_id IS NULL)),
  CHECK (expires_at IS NOT NULL OR warned_days IS NULL)
);
CREATE INDEX agent_credential_by_person ON agent_credential (coalesce(user_id, created_by)) WHERE revoked_at IS NULL;
-- Those that may have to be told of.
CREATE INDEX agent_credential_expiring ON agent_credential (expires_at)
  WHERE revoked_at IS NULL AND warned_days IS DISTINCT FROM 0;
-- One member signs one client in once.
CREATE UNIQUE INDEX agent_credential_of_client ON agent_credential (organization_id, user_id, oauth_client_id)
  WHERE revoked_at IS NULL AND user_id IS NOT NULL;

CREATE TABLE agent_grant (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  agent_id uuid NOT NULL,
  server_id uuid NOT NULL,
  -- Null: all tools of the server, also those to come.
  tool text,
  -- What comes before a call that no rule names; null: nothing.
  before text CHECK (before IN ('allow', 'ask', 'deny')),
  -- Null: as the credential has it.
  ask_agent_too boolean,
  -- The digest of each tool as it was granted, by name: one that has changed, or was not there, falls back to asking.
  -- Null: granted before the server had listed its tools; what it lists first is what was granted.
  digests jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, agent_id) REFERENCES agent_credential (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX agent_grant_once ON agent_grant (organization_id, agent_id, server_id, coalesce(tool, ''));
CREATE INDEX agent_grant_by_server ON agent_grant (organization_id, server_id);

-- The agent that started it, which sees it, and no task else. Processes of before start none for agents.
ALTER TABLE task ADD COLUMN agent_id uuid;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['agent_credential', 'agent_grant'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (organization_id = current_organization())
      WITH CHECK (organization_id = current_organization())', name);
  END LOOP;
END $$;
CREATE POLICY gate ON agent_credential TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE ON agent_credential TO intray_gate;
GRANT SELECT, INSERT, UPDATE ON agent_credential TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON agent_grant TO intray_app;
-- Whether a retry's agent may start it still, who is behind one, and whose secret ends.
GRANT SELECT (organization_id, id, name, role, user_id, created_by, created_at, revoked_at, expires_at, warned_days)
  ON agent_credential TO intray_engine;
GRANT UPDATE (warned_days) ON agent_credential TO intray_engine;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- An agent, while it was not revoked and the member behind it is one: also one that has ended or rests, as the caller
-- refuses it and can say why. `role` is never above the member's.
CREATE FUNCTION gate.agent_by_id(p_organization uuid, p_agent uuid)
  RETURNS TABLE (organization_id uuid, slug text, organization_name text, id uuid, name text, role text, user_id uuid,
    oauth_client_id text, ends_at timestamptz, ended boolean, rests boolean, organization_networks text[],
    hold_ms integer, ask_agent_too boolean, client_name text, client_version text, noted boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT a.organization_id, o.slug, o.name, a.id, a.name,
    CASE WHEN array_position(r.weakest_first, m.role) < array_position(r.weakest_first, a.role) THEN m.role ELSE a.role END,
    a.user_id, a.oauth_client_id, a.expires_at, coalesce(a.expires_at <= now(), false),
    m.user_id IS NOT NULL AND gate.keys_rest(a.organization_id, m.user_id), o.networks,
    a.hold_ms, a.ask_agent_too, a.client_name, a.client_version,
    coalesce(a.last_seen_at >= date_trunc('minute', now()), false)
  FROM agent_credential a JOIN organization o ON o.id = a.organization_id
    LEFT JOIN membership m ON m.organization_id = a.organization_id AND m.user_id = coalesce(a.user_id, a.created_by)
    CROSS JOIN (SELECT ARRAY['viewer', 'approver', 'operator', 'admin', 'owner'] AS weakest_first) r
  WHERE a.organization_id = p_organization AND a.id = p_agent AND a.revoked_at IS NULL
    AND (coalesce(a.user_id, a.created_by) IS NULL OR m.user_id IS NOT NULL)
    AND (NOT o.demo OR NOT gate.setup_done()) $$;

-- As gate.agent_by_id, of the agent that has this secret.
CREATE FUNCTION gate.agent_by_secret(p_secret_hash bytea)
  RETURNS TABLE (organization_id uuid, slug text, organization_name text, id uuid, name text, role text, user_id uuid,
    oauth_client_id text, ends_at timestamptz, ended boolean, rests boolean, organization_networks text[],
    hold_ms integer, ask_agent_too boolean, client_name text, client_version text, noted boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT found.* FROM agent_credential a CROSS JOIN LATERAL gate.agent_by_id(a.organization_id, a.id) found
    WHERE a.secret_hash = p_secret_hash $$;

-- Writes down that an agent was there, from where, and what its client calls itself; `p_calls` since the last note.
CREATE FUNCTION gate.note_agent_use(p_organization uuid, p_agent uuid, p_network text, p_client_name text,
    p_client_version text, p_calls integer) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE agent_credential SET first_seen_at = coalesce(first_seen_at, now()), last_seen_at = date_trunc('minute', now()),
      last_seen_network = coalesce(p_network, last_seen_network), client_name = coalesce(p_client_name, client_name),
      client_version = CASE WHEN p_client_name IS NULL THEN client_version ELSE p_client_version END,
      calls = calls + p_calls
    WHERE organization_id = p_organization AND id = p_agent $$;

-- A membership takes the agents with it that its member made or signed in, also where a web process of before ends it: a
-- later invitation of the same person must not revive them.
CREATE FUNCTION gate.revoke_agents_of_member() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE agent_credential SET revoked_at = now() WHERE organization_id = OLD.organization_id
    AND coalesce(user_id, created_by) = OLD.user_id AND revoked_at IS NULL;
  RETURN NULL;
END $$;

CREATE FUNCTION gate.organizations_with_ending_agents() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT a.organization_id FROM agent_credential a
    WHERE a.revoked_at IS NULL AND a.expires_at <= now() + interval '14 days' AND a.warned_days IS DISTINCT FROM 0
      AND (a.warned_days IS NULL OR a.expires_at <= now() + interval '3 days') $$;

-- As in 0052, with agents beside API keys.
CREATE OR REPLACE FUNCTION gate.replace_account(p_user uuid, p_name text, p_password_hash text, p_by text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  before text := coalesce(current_setting('app.organization_id', true), '');
  account "user"%ROWTYPE;
  place record;
  places jsonb := '[]';
  ended record;
  stays boolean;
BEGIN
  SELECT * INTO account FROM "user" WHERE id = p_user FOR UPDATE;
  IF account.id IS NULL OR account.proven_at IS NOT NULL THEN RETURN false; END IF;
  -- First of all: whoever makes a key or a passkey holds their session meanwhile (gate.hold_session).
  UPDATE session SET revoked_at = now() WHERE user_id = p_user AND revoked_at IS NULL;
  UPDATE api_key SET revoked_at = now() WHERE created_by = p_user AND revoked_at IS NULL;
  UPDATE agent_credential SET revoked_at = now() WHERE coalesce(user_id, created_by) = p_user AND revoked_at IS NULL;
  UPDATE "user" SET password_hash = p_password_hash, name = coalesce(p_name, name),
    proven_at = CASE WHEN p_by IS NOT NULL THEN now() END, credentials_epoch = credentials_epoch + 1 WHERE id = p_user;
  DELETE FROM passkey WHERE user_id = p_user;
  DELETE FROM passkey_challenge WHERE user_id = p_user;
  DELETE FROM second_factor WHERE user_id = p_user;
  DELETE FROM identity WHERE user_id = p_user;
  DELETE FROM pending_sign_in WHERE user_id = p_user;
  UPDATE password_link SET used_at = now() WHERE user_id = p_user AND used_at IS NULL;
  FOR place IN SELECT m.organization_id, m.id, m.role, m.granted_by FROM membership m WHERE m.user_id = p_user
      ORDER BY m.organization_id LOOP
    PERFORM set_config('app.organization_id', place.organization_id::text, true);
    UPDATE invitation SET revoked_at = now() WHERE organization_id = place.organization_id AND invited_by = p_user
      AND accepted_at IS NULL AND revoked_at IS NULL;
    DELETE FROM oauth_flow WHERE organization_id = place.organization_id AND user_id = p_user;
    FOR ended IN UPDATE oauth_grant g SET state = 'revoked', sealed_tokens = NULL, needed_scope = NULL,
        version = g.version + 1, renews = false, refresh_at = NULL, expires_at = NULL, claimed_until = NULL
        FROM connection c WHERE g.organization_id = place.organization_id AND c.organization_id = g.organization_id
          AND c.id = g.connection_id AND g.state <> 'revoked'
          AND (c.user_id = p_user OR (c.user_id IS NULL AND g.connected_by = p_user))
        RETURNING g.connection_id LOOP
      PERFORM pg_notify('intray_wake', ended.connection_id || ' tokens');
    END LOOP;
    stays := place.granted_by IS NULL OR (place.role = 'owner' AND NOT EXISTS (SELECT FROM membership m
      WHERE m.organization_id = place.organization_id AND m.role = 'owner' AND m.user_id <> p_user));
    IF stays THEN
      UPDATE membership SET inherited = true WHERE organization_id = place.organization_id AND id = place.id;
    ELSE
      UPDATE input_request SET assignee_user_id = NULL, assigned_by = NULL, assigned_at = NULL, assignment_note = NULL
        WHERE organization_id = place.organization_id AND assignee_user_id = p_user AND state = 'open';
      DELETE FROM claim WHERE organization_id = place.organization_id AND user_id = p_user;
      DELETE FROM acknowledgement WHERE organization_id = place.organization_id AND user_id = p_user;
      DELETE FROM membership WHERE organization_id = place.organization_id AND id = place.id;
    END IF;
    -- Their streams end.
    PERFORM pg_notify('intray_change', json_build_object('o', place.organization_id,
      'c', json_build_array(json_build_array('member', place.id)))::text);
    places := places || jsonb_build_array(jsonb_build_object('o', place.organization_id, 'role', place.role, 'stays', stays));
  END LOOP;
  -- The heads of the histories last, in one order for everybody.
  FOR place IN SELECT (p ->> 'o')::uuid AS o, p ->> 'role' AS role, (p ->> 'stays')::boolean AS stays
      FROM jsonb_array_elements(places) WITH ORDINALITY AS each (p, nth) ORDER BY nth LOOP
    PERFORM set_config('app.organization_id', place.o::text, true);
    PERFORM append_event('account.replaced', '{"kind": "system", "id": null, "name": "Intray"}'::jsonb, NULL, NULL,
      jsonb_build_object('userId', p_user, 'name', account.name, 'email', account.email, 'by', p_by));
    IF NOT place.stays THEN
      PERFORM append_event('member.removed', '{"kind": "system", "id": null, "name": "Intray"}'::jsonb, NULL, NULL,
        jsonb_build_object('userId', p_user, 'name', account.name, 'role', place.role));
    END IF;
  END LOOP;
  PERFORM set_config('app.organization_id', before, true);
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION gate.agent_by_id(uuid, uuid), gate.agent_by_secret(bytea),
  gate.note_agent_use(uuid, uuid, text, text, text, integer), gate.revoke_agents_of_member(),
  gate.organizations_with_ending_agents() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_ending_agents() TO intray_engine;
GRANT EXECUTE ON FUNCTION gate.agent_by_id(uuid, uuid), gate.agent_by_secret(bytea),
  gate.note_agent_use(uuid, uuid, text, text, text, integer) TO intray_app;
RESET ROLE;
CREATE TRIGGER revoke_agents_of_member AFTER DELETE ON membership
  FOR EACH ROW EXECUTE FUNCTION gate.revoke_agents_of_member();
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- Providers end sessions and, of people whom they sign out everywhere, let keys rest (OpenID Connect Back-Channel Logout 1.0).

-- Who a provider has signed out of everything, until it signs them in again.
CREATE TABLE provider_absence (
  user_id uuid NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
  provider text NOT NULL,
  since timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, provider)
);
-- Logout tokens that were taken, so that none is taken twice, until they would be too old.
CREATE TABLE logout_token (
  provider text NOT NULL,
  jti text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (provider, jti)
);
CREATE INDEX logout_token_by_end ON logout_token (expires_at);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['provider_absence', 'logout_token'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY gate ON %I TO intray_gate USING (true) WITH CHECK (true)', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO intray_gate', name);
  END LOOP;
END $$;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate, public TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Whether a person's keys rest in an organization: one of the providers that it requires has signed the person out.
CREATE FUNCTION gate.keys_rest(p_organization uuid, p_user uuid) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM provider_absence a JOIN sign_in_policy p ON a.provider = ANY (p.providers)
    WHERE a.user_id = p_user AND p.organization_id = p_organization) $$;

-- As 0060, but for keys that rest.
CREATE OR REPLACE FUNCTION gate.find_api_key(p_secret_hash bytea)
  RETURNS TABLE (organization_id uuid, slug text, organization_name text, id uuid, name text, role text,
    ends_at timestamptz, ended boolean, networks text[], permissions text[], servers uuid[], tools text[], noted boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT k.organization_id, o.slug, o.name, k.id, k.name,
    CASE WHEN array_position(r.weakest_first, m.role) < array_position(r.weakest_first, k.role) THEN m.role ELSE k.role END,
    e.ends_at, coalesce(e.ends_at <= now(), false), k.networks, k.permissions, k.servers, k.tools,
    coalesce(k.last_used_at >= date_trunc('minute', now()), false)
  FROM api_key k JOIN organization o ON o.id = k.organization_id
    LEFT JOIN membership m ON m.organization_id = k.organization_id AND m.user_id = k.created_by
    CROSS JOIN (SELECT ARRAY['viewer', 'approver', 'operator', 'admin', 'owner'] AS weakest_first) r
    CROSS JOIN LATERAL (SELECT CASE WHEN k.secret_hash = p_secret_hash THEN k.expires_at
      ELSE least(k.previous_until, k.expires_at) END AS ends_at) e
  WHERE (k.secret_hash = p_secret_hash OR k.previous_secret_hash = p_secret_hash) AND k.revoked_at IS NULL
    AND (k.created_by IS NULL OR (m.user_id IS NOT NULL AND NOT gate.keys_rest(k.organization_id, k.created_by))) $$;

-- Whether there is a key behind this secret that gate.find_api_key does not answer because it rests.
CREATE FUNCTION gate.key_rests(p_secret_hash bytea) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM api_key k JOIN membership m ON m.organization_id = k.organization_id
      AND m.user_id = k.created_by
    WHERE (k.secret_hash = p_secret_hash OR k.previous_secret_hash = p_secret_hash) AND k.revoked_at IS NULL
      AND gate.keys_rest(k.organization_id, k.created_by)) $$;

-- A provider signs a person out: of one session, or with p_session null of all that it opened; keys rest then where the
-- provider is required. p_issuer: finds the person where no session is open. Says how many sessions ended; null: this token
-- was taken before. Streams look at once.
CREATE FUNCTION gate.provider_logout(p_provider text, p_issuer text, p_subject text, p_session text, p_jti text,
    p_token_until timestamptz) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  ended jsonb;
  people uuid[];
  place record;
BEGIN
  DELETE FROM logout_token WHERE (provider, jti) IN (SELECT provider, jti FROM logout_token WHERE expires_at < now()
    LIMIT 100 FOR UPDATE SKIP LOCKED);
  INSERT INTO logout_token (provider, jti, expires_at) VALUES (p_provider, p_jti, p_token_until) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT coalesce(array_agg(DISTINCT whose.user_id ORDER BY whose.user_id), '{}') INTO people FROM (
    SELECT s.user_id FROM session s WHERE s.provider = p_provider AND s.provider_subject = p_subject
    UNION SELECT i.user_id FROM identity i WHERE p_session IS NULL AND i.issuer = p_issuer AND i.subject = p_subject) whose;
  -- Before a sign-in that is under way, or after it.
  PERFORM FROM "user" u WHERE u.id = ANY (people) ORDER BY u.id FOR UPDATE;
  WITH gone AS (UPDATE session s SET revoked_at = now() WHERE s.provider = p_provider AND s.revoked_at IS NULL
      AND s.expires_at > now() AND (p_subject IS NULL OR s.provider_subject = p_subject)
      AND (p_session IS NULL OR s.provider_session = p_session OR (s.provider_session IS NULL AND p_subject IS NOT NULL))
    RETURNING s.*)
    SELECT coalesce(jsonb_agg(jsonb_build_object('user', g.user_id, 'place', gate.place_of(g::session))), '[]') INTO ended
      FROM gone g;
  IF p_session IS NULL THEN
    INSERT INTO provider_absence (user_id, provider) SELECT person, p_provider FROM unnest(people) AS person
      ON CONFLICT (user_id, provider) DO UPDATE SET since = now();
  END IF;
  PERFORM gate.account_event(g.person, 'session.ended', jsonb_build_object('count', g.sessions, 'provider', p_provider))
    FROM (SELECT (e ->> 'user')::uuid AS person, count(*) AS sessions FROM jsonb_array_elements(ended) e GROUP BY 1) g;
  -- Streams of sessions and keys look again whether they may go on.
  PERFORM pg_notify('intray_change', json_build_object('o', m.organization_id,
      'c', json_build_array(json_build_array('member', m.id)))::text)
    FROM membership m WHERE m.user_id = ANY (people) OR m.user_id IN (
      SELECT (e ->> 'user')::uuid FROM jsonb_array_elements(ended) e);
  -- In one order for everybody, so that two who write to the same heads never wait for each other.
  FOR place IN SELECT all_of.organization_id, all_of.person, sum(all_of.sessions)::integer AS sessions,
        bool_or(all_of.rests) AS rests FROM (
      SELECT (e ->> 'place')::uuid AS organization_id, (e ->> 'user')::uuid AS person, 1 AS sessions, false AS rests
        FROM jsonb_array_elements(ended) e WHERE e ->> 'place' IS NOT NULL
      UNION ALL SELECT m.organization_id, m.user_id, 0, true FROM membership m
        JOIN sign_in_policy p ON p.organization_id = m.organization_id AND p_provider = ANY (p.providers)
        WHERE p_session IS NULL AND m.user_id = ANY (people)) all_of
      GROUP BY 1, 2 ORDER BY 1, 2 LOOP
    PERFORM gate.session_event(place.person, place.organization_id, 'session.ended', jsonb_build_object(
      'count', place.sessions, 'provider', p_provider) || CASE WHEN place.rests THEN '{"keysRest": true}' ELSE '{}' END::jsonb);
  END LOOP;
  RETURN jsonb_array_length(ended);
END $$;

-- A provider that signs a person in has the person's keys work again.
CREATE FUNCTION end_provider_absence() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM provider_absence WHERE user_id = NEW.user_id AND provider = NEW.provider;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION gate.keys_rest(uuid, uuid), gate.key_rests(bytea),
  gate.provider_logout(text, text, text, text, text, timestamptz), end_provider_absence() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.key_rests(bytea), gate.provider_logout(text, text, text, text, text, timestamptz) TO intray_app;
RESET ROLE;
CREATE TRIGGER end_provider_absence AFTER INSERT ON session FOR EACH ROW WHEN (NEW.provider IS NOT NULL)
  EXECUTE FUNCTION end_provider_absence();
REVOKE CREATE ON SCHEMA gate, public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

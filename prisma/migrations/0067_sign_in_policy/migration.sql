-- How an organization wants its people to have signed in (docs/decisions/040), and the domains that it has proved to be its own.
CREATE TABLE sign_in_policy (
  organization_id uuid PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
  -- Ids of sign-in providers, one of which has to have opened a session; empty: any way of signing in.
  providers text[] NOT NULL DEFAULT '{}',
  -- How long ago the provider may have seen the person; null: any time.
  provider_age_ms bigint CHECK (provider_age_ms > 0),
  -- One of these, and all of these, the provider has to have said; empty: nothing.
  acr_values text[] NOT NULL DEFAULT '{}',
  amr_values text[] NOT NULL DEFAULT '{}',
  -- The weakest role for which a password alone is not enough; null: none.
  second_factor_from text CHECK (second_factor_from IN ('viewer', 'approver', 'operator', 'admin', 'owner')),
  -- How long a session lasts in this organization, used and unused; null: as long as the installation lets it.
  session_ms bigint CHECK (session_ms > 0),
  idle_ms bigint CHECK (idle_ms > 0)
);

CREATE TABLE organization_domain (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  -- In lower case and ASCII.
  domain text NOT NULL,
  -- What the DNS record has to say. No secret: it stands in public.
  token text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  verified_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, domain)
);
-- A domain is one organization's.
CREATE UNIQUE INDEX organization_domain_verified ON organization_domain (domain) WHERE verified_at IS NOT NULL;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['sign_in_policy', 'organization_domain'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (organization_id = current_organization())
      WITH CHECK (organization_id = current_organization())', name);
    EXECUTE format('CREATE POLICY gate ON %I FOR SELECT TO intray_gate USING (true)', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO intray_app', name);
    EXECUTE format('GRANT SELECT ON %I TO intray_gate', name);
  END LOOP;
END $$;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- What keeps a session out of an organization where its person has this role; null: nothing. Sessions that a web process of
-- before opened at a provider have no provider, acr and amr here, so that they meet no demand of one.
CREATE FUNCTION gate.sign_in_refusal(s session, p_organization uuid, p_role text) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT CASE
    WHEN cardinality(p.providers) > 0 AND (s.provider = ANY (p.providers)) IS NOT TRUE THEN 'provider'
    WHEN s.created_at <= now() - p.session_ms * interval '1 ms' THEN 'again'
    WHEN s.method IN ('oidc', 'saml') AND s.authenticated_at <= now() - p.provider_age_ms * interval '1 ms' THEN 'again'
    WHEN s.method IN ('oidc', 'saml') AND p.provider_age_ms IS NOT NULL AND s.authenticated_at IS NULL THEN 'auth_time'
    WHEN s.method IN ('oidc', 'saml') AND cardinality(p.acr_values) > 0 AND (s.acr = ANY (p.acr_values)) IS NOT TRUE THEN 'acr'
    WHEN s.method IN ('oidc', 'saml') AND NOT p.amr_values <@ coalesce(s.amr, '{}') THEN 'amr'
    WHEN s.method = 'password' AND array_position(r.weakest_first, p_role) >= array_position(r.weakest_first, p.second_factor_from)
      AND NOT coalesce(s.amr, '{}') @> ARRAY['otp'] THEN 'second_factor'
  END FROM sign_in_policy p
    CROSS JOIN (SELECT ARRAY['viewer', 'approver', 'operator', 'admin', 'owner'] AS weakest_first) r
    WHERE p.organization_id = p_organization $$;

-- The organization that a session works in: the chosen one, whether it lets the session in or not, so that people are told
-- and not led elsewhere; else the first that lets it in. Null: none.
CREATE FUNCTION gate.place_of(s session) RETURNS uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT o.id FROM membership m JOIN organization o ON o.id = m.organization_id
    WHERE m.user_id = s.user_id AND (NOT o.demo OR NOT gate.setup_done())
    ORDER BY (o.id = s.chosen_organization) IS TRUE DESC, gate.sign_in_refusal(s, o.id, m.role) IS NOT NULL, m.inherited,
      m.created_at, o.id LIMIT 1 $$;

-- The session behind a secret while it is in force: also in the eyes of the organization that it works in, whose idle time
-- may be shorter. Nothing can be done with an idle session, also nothing that would make it count as used.
CREATE FUNCTION gate.session_in_force(p_secret_hash bytea, p_idle_ms bigint) RETURNS SETOF session
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT s.* FROM session s WHERE s.secret_hash = p_secret_hash AND s.revoked_at IS NULL AND s.expires_at > now()
    AND s.last_seen_at > now() - p_idle_ms * interval '1 ms'
    AND NOT EXISTS (SELECT FROM sign_in_policy p WHERE p.organization_id = gate.place_of(s)
      AND s.last_seen_at <= now() - p.idle_ms * interval '1 ms') $$;

-- As 0052, but for sessions that their organization does not let in: there is none then, for web processes of before too.
CREATE OR REPLACE FUNCTION gate.session(p_secret_hash bytea, p_idle_ms bigint, p_touch boolean)
  RETURNS TABLE (session_id uuid, user_id uuid, email text, name text, organization_id uuid, slug text,
    organization_name text, role text, viewed_user_id uuid, viewed_name text, viewed_role text, viewing_until timestamptz,
    viewing_left_ms double precision)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  opened session%ROWTYPE;
  place uuid;
BEGIN
  SELECT * INTO opened FROM gate.session_in_force(p_secret_hash, p_idle_ms);
  IF opened.id IS NULL THEN RETURN; END IF;
  place := gate.place_of(opened);
  IF EXISTS (SELECT FROM membership m WHERE m.organization_id = place AND m.user_id = opened.user_id
      AND gate.sign_in_refusal(opened, place, m.role) IS NOT NULL) THEN RETURN; END IF;
  IF p_touch AND opened.last_seen_at < now() - interval '1 minute' THEN
    UPDATE session SET last_seen_at = now() WHERE secret_hash = p_secret_hash;
  END IF;
  RETURN QUERY SELECT opened.id, u.id, u.email, u.name, o.id, o.slug, o.name, m.role,
      viewed.id, viewed.name, v.role, CASE WHEN viewed.id IS NOT NULL THEN opened.viewing_until END,
      CASE WHEN viewed.id IS NOT NULL THEN (extract(epoch FROM opened.viewing_until - now()) * 1000)::float8 END FROM "user" u
    JOIN membership m ON m.user_id = u.id JOIN organization o ON o.id = m.organization_id
    LEFT JOIN membership v ON v.organization_id = o.id AND v.id = opened.viewed_membership
      AND opened.viewing_until > now() AND v.user_id <> u.id
      AND (m.role = 'owner' OR (m.role = 'admin' AND v.role <> 'owner'))
    LEFT JOIN "user" viewed ON viewed.id = v.user_id
    WHERE u.id = opened.user_id AND o.id = place;
END $$;
-- That of 0042, for web processes from before 0048.
CREATE OR REPLACE FUNCTION gate.session(p_secret_hash bytea, p_idle_ms bigint)
  RETURNS TABLE (session_id uuid, user_id uuid, email text, name text, organization_id uuid, slug text,
    organization_name text, role text, viewed_user_id uuid, viewed_name text, viewed_role text, viewing_until timestamptz,
    viewing_left_ms double precision)
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT * FROM gate.session(p_secret_hash, p_idle_ms, true) $$;

-- The person of a session that gate.session does not answer, the organization that does not let it in, why, and what it asks for.
CREATE FUNCTION gate.refused_session(p_secret_hash bytea, p_idle_ms bigint)
  RETURNS TABLE (session_id uuid, user_id uuid, email text, name text, organization_id uuid, slug text,
    organization_name text, role text, refusal text, providers text[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT s.id, u.id, u.email, u.name, o.id, o.slug, o.name, m.role, gate.sign_in_refusal(s, o.id, m.role), p.providers
    FROM gate.session_in_force(p_secret_hash, p_idle_ms) s JOIN "user" u ON u.id = s.user_id
    JOIN organization o ON o.id = gate.place_of(s) JOIN membership m ON m.organization_id = o.id AND m.user_id = u.id
    JOIN sign_in_policy p ON p.organization_id = o.id
    WHERE gate.sign_in_refusal(s, o.id, m.role) IS NOT NULL $$;

-- What keeps a person's session out of an organization in which the person has, or would get, this role; null: nothing.
CREATE FUNCTION gate.refusal_of(p_session uuid, p_organization uuid, p_role text) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT gate.sign_in_refusal(s, p_organization, p_role) FROM session s WHERE s.id = p_session $$;

-- Where the person of a session is a member, and which of these do not let it in.
CREATE FUNCTION gate.organizations_of_session(p_session uuid)
  RETURNS TABLE (id uuid, slug text, name text, role text, refusal text, providers text[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT mine.id, mine.slug, mine.name, mine.role, gate.sign_in_refusal(s, mine.id, mine.role), p.providers
    FROM session s CROSS JOIN LATERAL gate.organizations_of(s.user_id) mine
    LEFT JOIN sign_in_policy p ON p.organization_id = mine.id WHERE s.id = p_session $$;

-- What an organization asks of a provider's sign-in; no row: nothing of this provider. An organization that names none asks all.
CREATE FUNCTION gate.sign_in_demand(p_organization uuid, p_provider text)
  RETURNS TABLE (provider_age_ms bigint, acr_values text[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT p.provider_age_ms, p.acr_values FROM sign_in_policy p WHERE p.organization_id = p_organization
    AND (p_provider = ANY (p.providers) OR p.providers = '{}') $$;

-- The providers of the organization that an address's domain belongs to. Looks at no account.
CREATE FUNCTION gate.providers_of_domain(p_domain text) RETURNS TABLE (organization_id uuid, providers text[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT p.organization_id, p.providers FROM organization_domain d
    JOIN sign_in_policy p ON p.organization_id = d.organization_id
    WHERE d.domain = p_domain AND d.verified_at IS NOT NULL AND p.providers <> '{}' $$;

-- As 0011, but for idle sessions.
CREATE OR REPLACE FUNCTION gate.session_person(p_secret_hash bytea, p_idle_ms bigint)
  RETURNS TABLE (session_id uuid, user_id uuid, email text, name text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT s.id, u.id, u.email, u.name FROM gate.session_in_force(p_secret_hash, p_idle_ms) s
    JOIN "user" u ON u.id = s.user_id $$;

-- As 0065, but in one: the session is told to the organization that it works in, which its proof decides with. It keeps that
-- one as chosen where it is not the first, so that a policy that comes later is told and leads nowhere else.
CREATE OR REPLACE FUNCTION gate.open_session(p_secret_hash bytea, p_user uuid, p_lifetime_ms bigint, p_method text,
    p_user_agent text, p_address text, p_network text, p_browser text, p_epoch integer, p_proof jsonb) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  opened session%ROWTYPE;
  place uuid;
  is_new boolean := false;
  one record;
BEGIN
  -- Waits for a replacement that is under way.
  PERFORM FROM "user" u WHERE u.id = p_user AND u.credentials_epoch = coalesce(p_epoch, u.credentials_epoch) FOR SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  INSERT INTO session (secret_hash, user_id, expires_at, method, user_agent, address, provider, provider_subject,
      provider_session, authenticated_at, acr, amr)
    VALUES (p_secret_hash, p_user, now() + p_lifetime_ms * interval '1 ms', p_method, p_user_agent, p_address,
      p_proof->>'provider', p_proof->>'subject', p_proof->>'session', (p_proof->>'authenticatedAt')::timestamptz,
      p_proof->>'acr', CASE WHEN jsonb_typeof(p_proof->'amr') = 'array'
        THEN ARRAY(SELECT jsonb_array_elements_text(p_proof->'amr')) END)
    RETURNING * INTO opened;
  IF p_method <> 'demo' THEN
    FOR one IN SELECT * FROM (VALUES ('network', p_network), ('browser', p_browser)) AS seen (kind, name)
        WHERE seen.name IS NOT NULL LOOP
      is_new := is_new OR (EXISTS (SELECT FROM known_place k WHERE k.user_id = p_user AND k.kind = one.kind)
        AND NOT EXISTS (SELECT FROM known_place k
          WHERE k.user_id = p_user AND k.kind = one.kind AND k.name = one.name));
      INSERT INTO known_place AS k (user_id, kind, name) VALUES (p_user, one.kind, one.name)
        ON CONFLICT (user_id, kind, name) DO UPDATE SET last_at = now();
      DELETE FROM known_place WHERE user_id = p_user AND kind = one.kind AND name IN (SELECT k.name FROM known_place k
        WHERE k.user_id = p_user AND k.kind = one.kind ORDER BY k.last_at DESC OFFSET 50);
    END LOOP;
  END IF;
  PERFORM gate.account_event(p_user, 'session.opened', jsonb_build_object('method', p_method, 'address', p_address)
    || CASE WHEN is_new THEN jsonb_build_object('new', true, 'browser', p_user_agent) ELSE '{}' END);
  place := gate.place_of(opened);
  IF place IS DISTINCT FROM gate.place_of_session(p_user, NULL) THEN
    UPDATE session SET chosen_organization = place WHERE id = opened.id;
  END IF;
  PERFORM gate.session_event(p_user, place, 'session.opened', jsonb_build_object('method', p_method, 'address', p_address))
    FROM membership m WHERE m.organization_id = place AND m.user_id = p_user
      AND gate.sign_in_refusal(opened, place, m.role) IS NULL;
  RETURN opened.id;
END $$;
-- For web processes of before.
CREATE OR REPLACE FUNCTION gate.open_session(p_secret_hash bytea, p_user uuid, p_lifetime_ms bigint, p_method text,
    p_user_agent text, p_address text, p_network text, p_browser text, p_epoch integer) RETURNS uuid
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT gate.open_session(p_secret_hash, p_user, p_lifetime_ms, p_method, p_user_agent, p_address, p_network,
    p_browser, p_epoch, NULL) $$;

-- As 0054. An organization that does not let the session in may be chosen: the next call says what it asks for. It is told
-- of no session then.
CREATE OR REPLACE FUNCTION gate.choose_organization(p_session uuid, p_organization uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  opened session%ROWTYPE;
  mine record;
BEGIN
  SELECT * INTO opened FROM session s WHERE s.id = p_session AND s.revoked_at IS NULL FOR UPDATE;
  IF opened.id IS NULL THEN RETURN false; END IF;
  SELECT * INTO mine FROM gate.organizations_of(opened.user_id) o WHERE o.id = p_organization;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE session SET chosen_organization = p_organization WHERE id = p_session;
  IF gate.place_of(opened) IS DISTINCT FROM p_organization
      AND gate.sign_in_refusal(opened, p_organization, mine.role) IS NULL THEN
    PERFORM gate.session_event(opened.user_id, p_organization, 'session.opened',
      jsonb_build_object('method', opened.method, 'address', opened.address));
  END IF;
  RETURN true;
END $$;

-- The person of a session has shown a code of an app that was set up in it.
CREATE FUNCTION gate.second_factor_shown(p_session uuid, p_user uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE session SET amr = coalesce(amr, '{}') || ARRAY['otp'] WHERE id = p_session AND user_id = p_user
    AND method = 'password' AND revoked_at IS NULL AND NOT coalesce(amr, '{}') @> ARRAY['otp'];
  RETURN FOUND;
END $$;

DO $$
DECLARE f regprocedure;
BEGIN
  FOR f IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'gate'::regnamespace AND proname IN (
      'sign_in_refusal', 'place_of', 'session_in_force', 'refused_session', 'refusal_of', 'organizations_of_session',
      'sign_in_demand', 'providers_of_domain', 'second_factor_shown') LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
    IF f::text !~ '(sign_in_refusal|place_of|session_in_force)\(' THEN
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO intray_app', f);
    END IF;
  END LOOP;
END $$;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

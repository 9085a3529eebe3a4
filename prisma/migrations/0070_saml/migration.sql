-- SAML 2.0: identity providers that organizations bring along, and sessions that stay inside the organization whose
-- provider vouches for them (docs/decisions/041-saml-stays-inside.md).

CREATE TABLE saml_provider (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  -- In addresses and in the issuer of its identities, so that no two organizations share one.
  id uuid NOT NULL UNIQUE,
  name text NOT NULL,
  -- Never changes: another identity provider may give the same names to other people.
  entity_id text NOT NULL,
  sso_url text NOT NULL,
  -- PEM; whoever holds a key of these speaks for the provider.
  certificates text[] NOT NULL CHECK (cardinality(certificates) BETWEEN 1 AND 5),
  -- A response that no browser asked for here is taken.
  idp_initiated boolean NOT NULL DEFAULT false,
  sign_requests boolean NOT NULL DEFAULT false,
  -- Null: the usual names.
  email_attribute text,
  name_attribute text,
  groups_attribute text,
  -- [{claim, role}]
  groups jsonb NOT NULL DEFAULT '[]',
  create_accounts boolean NOT NULL DEFAULT false,
  default_role text CHECK (default_role IN ('viewer', 'approver', 'operator', 'admin', 'owner')),
  -- Intray's own, for signed requests and encrypted assertions.
  certificate text NOT NULL,
  sealed_key text NOT NULL,
  -- How the last test sign-in went: a code, or null where it worked.
  tested_at timestamptz(3),
  test_failure text,
  test_report jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CHECK (tested_at IS NOT NULL OR (test_failure IS NULL AND test_report IS NULL))
);

-- Requests that a browser took to a provider. A response names one, once.
CREATE TABLE saml_request (
  organization_id uuid NOT NULL,
  id text NOT NULL,
  provider_id uuid NOT NULL,
  -- Of the cookie of the browser that began.
  browser_hash bytea NOT NULL,
  purpose text NOT NULL CHECK (purpose IN ('sign_in', 'link', 'test')),
  -- Who links or tests; who signs in is not known yet.
  user_id uuid REFERENCES "user" (id) ON DELETE CASCADE,
  callback text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  answered_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, provider_id) REFERENCES saml_provider (organization_id, id) ON DELETE CASCADE,
  CHECK ((purpose = 'sign_in') = (user_id IS NULL))
);
CREATE INDEX saml_request_by_provider ON saml_request (organization_id, provider_id, created_at);
CREATE INDEX saml_request_by_user ON saml_request (user_id) WHERE user_id IS NOT NULL;

-- Assertions that were taken, each once, until they are too old to be taken again; and what the browser's next request
-- fetches of them, once.
CREATE TABLE saml_response (
  organization_id uuid NOT NULL,
  provider_id uuid NOT NULL,
  assertion_id text NOT NULL,
  ticket_hash bytea NOT NULL UNIQUE,
  browser_hash bytea NOT NULL,
  purpose text NOT NULL CHECK (purpose IN ('sign_in', 'link', 'test')),
  user_id uuid REFERENCES "user" (id) ON DELETE CASCADE,
  callback text NOT NULL,
  -- What the assertion says; gone once it was fetched.
  claims jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  taken_at timestamptz(3),
  PRIMARY KEY (organization_id, provider_id, assertion_id),
  FOREIGN KEY (organization_id, provider_id) REFERENCES saml_provider (organization_id, id) ON DELETE CASCADE,
  CHECK ((purpose = 'sign_in') = (user_id IS NULL)),
  CHECK ((claims IS NULL) = (taken_at IS NOT NULL))
);
CREATE INDEX saml_response_by_age ON saml_response (organization_id, provider_id, created_at);
CREATE INDEX saml_response_by_user ON saml_response (user_id) WHERE user_id IS NOT NULL;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['saml_provider', 'saml_request', 'saml_response'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (organization_id = current_organization())
      WITH CHECK (organization_id = current_organization())', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO intray_app', name);
  END LOOP;
END $$;
CREATE POLICY gate ON saml_provider FOR SELECT TO intray_gate USING (true);
GRANT SELECT (organization_id, id, name, created_at) ON saml_provider TO intray_gate;

-- A session that an organization's provider vouches for reaches that organization alone. Null: what its person reaches.
-- Nothing but the trigger below sets it, whatever process opens the session.
ALTER TABLE session
  ADD COLUMN only_organization uuid,
  ADD CONSTRAINT session_only_organization_fkey FOREIGN KEY (only_organization) REFERENCES organization (id)
    ON DELETE CASCADE NOT VALID,
  ADD CONSTRAINT session_confined CHECK (only_organization IS NOT NULL OR provider IS NULL OR provider NOT LIKE 'saml:%')
    NOT VALID;
CREATE INDEX session_confined ON session (only_organization) WHERE only_organization IS NOT NULL;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate, public TO intray_gate;
SET LOCAL ROLE intray_gate;

CREATE FUNCTION confine_session() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.only_organization IS NOT NULL THEN
    NEW.only_organization := OLD.only_organization;
    NEW.provider := OLD.provider;
  ELSIF NEW.provider LIKE 'saml:%' THEN
    SELECT p.organization_id INTO NEW.only_organization FROM saml_provider p WHERE 'saml:' || p.id = NEW.provider;
    NEW.chosen_organization := NEW.only_organization;
  ELSE
    NEW.only_organization := NULL;
  END IF;
  IF NEW.only_organization IS NOT NULL AND NEW.chosen_organization IS DISTINCT FROM NEW.only_organization THEN
    -- Its organization is going, or somebody tries to leave it.
    NEW.chosen_organization := NEW.only_organization;
    NEW.revoked_at := coalesce(NEW.revoked_at, now());
  END IF;
  RETURN NEW;
END $$;

-- A provider that is gone takes along its sessions, and whom it meant.
CREATE FUNCTION end_saml_provider() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE session SET revoked_at = now() WHERE only_organization = OLD.organization_id
    AND provider = 'saml:' || OLD.id AND revoked_at IS NULL;
  DELETE FROM identity WHERE issuer = 'saml:' || OLD.id;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION confine_session(), end_saml_provider() FROM PUBLIC;

-- As 0067: the place where it may work is the one where it stays, for gate.session and all else that asks.
CREATE OR REPLACE FUNCTION gate.place_of(s session) RETURNS uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT o.id FROM membership m JOIN organization o ON o.id = m.organization_id
    WHERE m.user_id = s.user_id AND (NOT o.demo OR NOT gate.setup_done()) AND o.id = coalesce(s.only_organization, o.id)
    ORDER BY (o.id = s.chosen_organization) IS TRUE DESC, gate.sign_in_refusal(s, o.id, m.role) IS NOT NULL, m.inherited,
      m.created_at, o.id LIMIT 1 $$;
CREATE OR REPLACE FUNCTION gate.organizations_of_session(p_session uuid)
  RETURNS TABLE (id uuid, slug text, name text, role text, refusal text, providers text[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT mine.id, mine.slug, mine.name, mine.role, gate.sign_in_refusal(s, mine.id, mine.role), p.providers
    FROM session s CROSS JOIN LATERAL gate.organizations_of(s.user_id) mine
    LEFT JOIN sign_in_policy p ON p.organization_id = mine.id
    WHERE s.id = p_session AND mine.id = coalesce(s.only_organization, mine.id) $$;

-- A person is who signed in by their own means: nobody joins an organization by another one's word.
CREATE OR REPLACE FUNCTION gate.session_person(p_secret_hash bytea, p_idle_ms bigint)
  RETURNS TABLE (session_id uuid, user_id uuid, email text, name text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT s.id, u.id, u.email, u.name FROM gate.session_in_force(p_secret_hash, p_idle_ms) s
    JOIN "user" u ON u.id = s.user_id WHERE s.only_organization IS NULL $$;

-- The organization that a session stays in; null: it stays nowhere, or there is none.
CREATE FUNCTION gate.only_organization(p_session uuid) RETURNS uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT s.only_organization FROM session s WHERE s.id = p_session $$;

-- The same for what changes an account, behind the web's own refusal and for processes of before.
CREATE OR REPLACE FUNCTION gate.add_passkey(p_user uuid, p_name text, p_credential text, p_public_key bytea,
    p_counter bigint, p_session uuid) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT gate.hold_session(p_session) OR gate.only_organization(p_session) IS NOT NULL THEN RETURN NULL; END IF;
  RETURN gate.add_passkey(p_user, p_name, p_credential, p_public_key, p_counter);
END $$;

-- As 0055: what the account is told is its person's, and so is having read it.
CREATE OR REPLACE FUNCTION gate.account_notices(p_user uuid, p_session uuid) RETURNS TABLE (id uuid, cause text, data jsonb,
    more integer, created_at timestamptz, read_at timestamptz, can_read boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT n.id, n.cause, n.data, n.more, n.created_at, n.read_at, EXISTS (SELECT FROM session s
      WHERE s.id = p_session AND s.user_id = p_user AND s.created_at > n.created_at)
    FROM account_notice n WHERE n.user_id = p_user AND gate.only_organization(p_session) IS NULL
    ORDER BY n.created_at DESC LIMIT 200 $$;
ALTER FUNCTION gate.read_account_notice(uuid, uuid, uuid) RENAME TO read_own_account_notice;
REVOKE ALL ON FUNCTION gate.read_own_account_notice(uuid, uuid, uuid) FROM intray_app;
CREATE FUNCTION gate.read_account_notice(p_user uuid, p_notice uuid, p_session uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF gate.only_organization(p_session) IS NOT NULL THEN RETURN NULL; END IF;
  RETURN gate.read_own_account_notice(p_user, p_notice, p_session);
END $$;

-- As gate.open_session, for a session that an organization's provider vouches for. Null also where the person is no
-- member there.
CREATE FUNCTION gate.open_saml_session(p_secret_hash bytea, p_user uuid, p_lifetime_ms bigint, p_method text,
    p_user_agent text, p_address text, p_network text, p_browser text, p_epoch integer, p_proof jsonb) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  place uuid;
  opened uuid;
BEGIN
  SELECT p.organization_id INTO place FROM saml_provider p WHERE 'saml:' || p.id = p_proof->>'provider';
  IF place IS NULL OR NOT EXISTS (SELECT FROM membership m WHERE m.organization_id = place AND m.user_id = p_user)
    THEN RETURN NULL; END IF;
  opened := gate.open_session(p_secret_hash, p_user, p_lifetime_ms, p_method, p_user_agent, p_address, p_network,
    p_browser, p_epoch, p_proof);
  -- The person showed to the provider that it is them, and not here.
  UPDATE session SET factor_at = least(now(), (p_proof->>'authenticatedAt')::timestamptz) WHERE id = opened;
  RETURN opened;
END $$;

-- The person takes the link of their account back.
CREATE FUNCTION gate.unlink_saml(p_user uuid, p_issuer text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM identity WHERE user_id = p_user AND issuer = p_issuer AND p_issuer LIKE 'saml:%';
  UPDATE session SET revoked_at = now() WHERE user_id = p_user AND provider = p_issuer AND revoked_at IS NULL
    AND p_issuer LIKE 'saml:%';
END $$;

-- Before an organization is known: whose a provider is, and which an organization has.
CREATE FUNCTION gate.saml_provider(p_id uuid) RETURNS TABLE (organization_id uuid, name text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT p.organization_id, p.name FROM saml_provider p JOIN organization o ON o.id = p.organization_id
    WHERE p.id = p_id AND (NOT o.demo OR NOT gate.setup_done()) $$;
CREATE FUNCTION gate.saml_providers_of(p_slug text) RETURNS TABLE (id uuid, name text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT p.id, p.name FROM saml_provider p JOIN organization o ON o.id = p.organization_id
    WHERE o.slug = p_slug AND (NOT o.demo OR NOT gate.setup_done()) ORDER BY p.created_at, p.id $$;

DO $$
DECLARE f regprocedure;
BEGIN
  FOR f IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'gate'::regnamespace AND proname IN
      ('only_organization', 'read_account_notice', 'open_saml_session', 'unlink_saml', 'saml_provider', 'saml_providers_of') LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO intray_app', f);
  END LOOP;
END $$;
RESET ROLE;
CREATE TRIGGER confine_session BEFORE INSERT OR UPDATE OF provider, only_organization, chosen_organization ON session
  FOR EACH ROW EXECUTE FUNCTION confine_session();
CREATE TRIGGER end_saml_provider AFTER DELETE ON saml_provider FOR EACH ROW EXECUTE FUNCTION end_saml_provider();
REVOKE CREATE ON SCHEMA gate, public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

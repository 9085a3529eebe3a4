-- Keys rest with their people also where they belong to a service account, and where no provider has spoken for the person
-- lately: a SAML provider never says that somebody is gone.
ALTER TABLE sign_in_policy
  -- How long ago one of the providers that are required may have vouched for a key's person; null: any time.
  ADD COLUMN key_age_ms bigint CHECK (key_age_ms > 0);

-- When a provider signed a person in last. Sessions are swept.
CREATE TABLE provider_vouch (
  user_id uuid NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
  provider text NOT NULL,
  at timestamptz(3) NOT NULL,
  PRIMARY KEY (user_id, provider)
);
ALTER TABLE provider_vouch ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON provider_vouch TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON provider_vouch TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate, public TO intray_gate;
SET LOCAL ROLE intray_gate;
INSERT INTO provider_vouch (user_id, provider, at)
  SELECT s.user_id, s.provider, max(least(s.created_at, coalesce(s.authenticated_at, s.created_at)))
  FROM session s WHERE s.provider IS NOT NULL GROUP BY 1, 2;

-- As 0068, and with when it was.
CREATE OR REPLACE FUNCTION end_provider_absence() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM provider_absence WHERE user_id = NEW.user_id AND provider = NEW.provider;
  INSERT INTO provider_vouch AS v (user_id, provider, at)
    VALUES (NEW.user_id, NEW.provider, least(now(), coalesce(NEW.authenticated_at, now())))
    ON CONFLICT (user_id, provider) DO UPDATE SET at = greatest(v.at, excluded.at);
  RETURN NULL;
END $$;

-- As 0068, and of whom no required provider has signed in lately.
CREATE OR REPLACE FUNCTION gate.keys_rest(p_organization uuid, p_user uuid) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM sign_in_policy p WHERE p.organization_id = p_organization
    AND (EXISTS (SELECT FROM provider_absence a WHERE a.user_id = p_user AND a.provider = ANY (p.providers))
      OR p.key_age_ms IS NOT NULL AND p.providers <> '{}' AND NOT EXISTS (SELECT FROM provider_vouch v
        WHERE v.user_id = p_user AND v.provider = ANY (p.providers)
          AND v.at > now() - p.key_age_ms * interval '1 ms'))) $$;

-- As 0079: a key of a service account rests with the account's owner.
CREATE OR REPLACE FUNCTION gate.key_behind(p_secret_hash bytea)
  RETURNS TABLE (organization_id uuid, slug text, organization_name text, id uuid, name text, role text,
    ends_at timestamptz, ended boolean, networks text[], permissions text[], servers uuid[], tools text[], noted boolean,
    organization_networks text[], service_account_id uuid, service_account_name text, owner_name text, rests boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT k.organization_id, o.slug, o.name, k.id, k.name,
    CASE WHEN array_position(r.weakest_first, coalesce(a.role, m.role)) < array_position(r.weakest_first, k.role)
      THEN coalesce(a.role, m.role) ELSE k.role END,
    e.ends_at, coalesce(e.ends_at <= now(), false), k.networks, k.permissions, k.servers, k.tools,
    coalesce(k.last_used_at >= date_trunc('minute', now()), false), o.networks, a.id, a.name, u.name,
    a.id IS NOT NULL AND (a.rested_at IS NOT NULL OR m.role IS NULL
      OR array_position(r.weakest_first, m.role) < array_position(r.weakest_first, a.role)
      OR gate.keys_rest(k.organization_id, a.owner_id))
  FROM api_key k JOIN organization o ON o.id = k.organization_id
    LEFT JOIN service_account a ON a.organization_id = k.organization_id AND a.id = k.service_account_id
    LEFT JOIN "user" u ON u.id = a.owner_id
    LEFT JOIN membership m ON m.organization_id = k.organization_id
      AND m.user_id = CASE WHEN k.service_account_id IS NULL THEN k.created_by ELSE a.owner_id END
    CROSS JOIN (SELECT ARRAY['viewer', 'approver', 'operator', 'admin', 'owner'] AS weakest_first) r
    CROSS JOIN LATERAL (SELECT CASE WHEN k.secret_hash = p_secret_hash THEN k.expires_at
      ELSE least(k.previous_until, k.expires_at) END AS ends_at) e
  WHERE (k.secret_hash = p_secret_hash OR k.previous_secret_hash = p_secret_hash) AND k.revoked_at IS NULL
    AND CASE WHEN k.service_account_id IS NOT NULL THEN a.deleted_at IS NULL
      ELSE k.created_by IS NULL OR (m.user_id IS NOT NULL AND NOT gate.keys_rest(k.organization_id, k.created_by)) END $$;
GRANT EXECUTE ON FUNCTION gate.keys_rest(uuid, uuid) TO intray_app, intray_engine;
RESET ROLE;
DO $$
DECLARE owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  EXECUTE format('GRANT EXECUTE ON FUNCTION gate.keys_rest(uuid, uuid) TO %I', owner);
  RESET ROLE;
END $$;

-- As 0079: nor may an owner answer for it whom the organization's provider has signed out. People are told, as of one who left.
CREATE OR REPLACE FUNCTION owner_is_missing(p_organization uuid, p_owner uuid, p_role text) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT NOT EXISTS (SELECT FROM membership m WHERE m.organization_id = p_organization AND m.user_id = p_owner
    AND array_position(ARRAY['viewer', 'approver', 'operator', 'admin', 'owner'], m.role)
      >= array_position(ARRAY['viewer', 'approver', 'operator', 'admin', 'owner'], p_role))
    OR gate.keys_rest(p_organization, p_owner) $$;
REVOKE CREATE ON SCHEMA gate, public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

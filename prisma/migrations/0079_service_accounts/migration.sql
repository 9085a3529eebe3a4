-- Service accounts: named non-persons of an organization, each with a member who answers for it (docs/decisions/044).
CREATE TABLE service_account (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'operator', 'approver', 'viewer')),
  -- The user who answers for it. It rests while they are no member, or one with a weaker role than its own.
  owner_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- An admin put it to rest.
  rested_at timestamptz(3),
  -- People were told that it rests for want of an owner.
  told_at timestamptz(3),
  deleted_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX service_account_name ON service_account (organization_id, lower(name)) WHERE deleted_at IS NULL;

-- Everybody who ever owned an account or made a key of it: who counts as one with it where a second person is required.
-- Nothing is ever taken out, so that giving an account away frees nobody.
CREATE TABLE service_account_maker (
  organization_id uuid NOT NULL,
  service_account_id uuid NOT NULL,
  -- The organization's own id stands for the operator.
  user_id uuid NOT NULL,
  since timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, service_account_id, user_id),
  FOREIGN KEY (organization_id, service_account_id) REFERENCES service_account (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX service_account_maker_by_user ON service_account_maker (organization_id, user_id);

ALTER TABLE api_key
  -- Null: the key is its maker's own. `created_by` is the maker of either.
  ADD COLUMN service_account_id uuid,
  ADD CONSTRAINT api_key_of_service_account FOREIGN KEY (organization_id, service_account_id)
    REFERENCES service_account (organization_id, id) ON DELETE CASCADE NOT VALID;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['service_account', 'service_account_maker'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (organization_id = current_organization())
      WITH CHECK (organization_id = current_organization())', name);
    EXECUTE format('CREATE POLICY gate ON %I TO intray_gate USING (true) WITH CHECK (true)', name);
    EXECUTE format('GRANT SELECT ON %I TO intray_app, intray_engine, intray_gate', name);
  END LOOP;
END $$;
GRANT INSERT, UPDATE ON service_account TO intray_app;
GRANT UPDATE (told_at) ON service_account TO intray_engine;
-- Only the triggers below add to it.
GRANT INSERT ON service_account_maker TO intray_gate;
GRANT SELECT (service_account_id) ON api_key TO intray_engine;

-- Whether an account's owner may not answer for it any more. `a`'s columns, since lists ask it of many.
CREATE FUNCTION owner_is_missing(p_organization uuid, p_owner uuid, p_role text) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT NOT EXISTS (SELECT FROM membership m WHERE m.organization_id = p_organization AND m.user_id = p_owner
    AND array_position(ARRAY['viewer', 'approver', 'operator', 'admin', 'owner'], m.role)
      >= array_position(ARRAY['viewer', 'approver', 'operator', 'admin', 'owner'], p_role)) $$;

-- Whether the keys of an account are refused.
CREATE FUNCTION service_account_rests(p_organization uuid, p_account uuid) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT coalesce((SELECT a.rested_at IS NOT NULL OR a.deleted_at IS NOT NULL
      OR owner_is_missing(a.organization_id, a.owner_id, a.role)
    FROM service_account a WHERE a.organization_id = p_organization AND a.id = p_account), true) $$;

-- Everybody behind somebody: for an account the first of each line of invitations of all its makers, for a person the
-- first of their own.
CREATE FUNCTION makers_behind(p_organization uuid, p_one uuid) RETURNS uuid[] LANGUAGE sql STABLE STRICT
  AS $$ SELECT coalesce((SELECT array_agg(DISTINCT maker_of(p_organization, m.user_id)) FROM service_account_maker m
    WHERE m.organization_id = p_organization AND m.service_account_id = p_one), ARRAY[maker_of(p_organization, p_one)]) $$;

-- As before, with accounts among those who are compared.
CREATE OR REPLACE FUNCTION same_maker(p_organization uuid, p_one uuid, p_other uuid) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT coalesce(makers_behind(p_organization, p_one) && makers_behind(p_organization, p_other), false) $$;

CREATE OR REPLACE FUNCTION makers_with(p_organization uuid, p_person uuid) RETURNS uuid[] LANGUAGE sql STABLE STRICT
  AS $$ WITH RECURSIVE down (id) AS (
    SELECT unnest(makers_behind(p_organization, p_person))
    -- OFFSET makes the planner look each inviter up in the index, not read all members for each step of a chain.
    UNION ALL SELECT m.user_id FROM down CROSS JOIN LATERAL (SELECT user_id FROM maker
      WHERE organization_id = p_organization AND invited_by = down.id AND vouched_at IS NULL OFFSET 0) m)
  SELECT array_agg(id) FROM (SELECT id FROM down UNION SELECT a.service_account_id FROM service_account_maker a
    WHERE a.organization_id = p_organization AND a.user_id IN (SELECT id FROM down)) everybody $$;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

CREATE FUNCTION gate.remember_account_owner() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO service_account_maker (organization_id, service_account_id, user_id)
    VALUES (NEW.organization_id, NEW.id, NEW.owner_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE FUNCTION gate.remember_key_maker() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN RAISE EXCEPTION 'a key stays whose it is'; END IF;
  INSERT INTO service_account_maker (organization_id, service_account_id, user_id)
    VALUES (NEW.organization_id, NEW.service_account_id, coalesce(NEW.created_by, NEW.organization_id))
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

-- The key behind a secret, also one that has ended or whose account rests: the caller refuses it and can say why. `role`
-- is never above the maker's, nor for a key of a service account above the account's.
CREATE FUNCTION gate.key_behind(p_secret_hash bytea)
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
      OR array_position(r.weakest_first, m.role) < array_position(r.weakest_first, a.role))
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

-- For web processes of before, which know no service accounts and no networks of organizations: a key of an account is
-- not taken there, and any other from the networks that both lists have in common. An empty list would be every network,
-- so that one without anything in common names none.
CREATE OR REPLACE FUNCTION gate.find_api_key(p_secret_hash bytea)
  RETURNS TABLE (organization_id uuid, slug text, organization_name text, id uuid, name text, role text,
    ends_at timestamptz, ended boolean, networks text[], permissions text[], servers uuid[], tools text[], noted boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT k.organization_id, k.slug, k.organization_name, k.id, k.name, k.role, k.ends_at, k.ended,
    CASE WHEN k.organization_networks = '{}' THEN k.networks WHEN k.networks = '{}' THEN k.organization_networks
      ELSE coalesce((SELECT array_agg(CASE WHEN own::inet <<= theirs::inet THEN own ELSE theirs END)
        FROM unnest(k.networks) own, unnest(k.organization_networks) theirs
        WHERE own::inet <<= theirs::inet OR theirs::inet <<= own::inet), '{none}') END,
    k.permissions, k.servers, k.tools, k.noted
  FROM gate.key_behind(p_secret_hash) k WHERE k.service_account_id IS NULL $$;

-- Organizations where people have to be told that an account rests for want of an owner, or that it does no more.
CREATE FUNCTION gate.organizations_with_resting_accounts() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT a.organization_id FROM service_account a WHERE a.deleted_at IS NULL
    AND owner_is_missing(a.organization_id, a.owner_id, a.role) <> (a.told_at IS NOT NULL) $$;

REVOKE ALL ON FUNCTION gate.remember_account_owner(), gate.remember_key_maker(), gate.key_behind(bytea),
  gate.organizations_with_resting_accounts() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.key_behind(bytea) TO intray_app;
GRANT EXECUTE ON FUNCTION gate.organizations_with_resting_accounts() TO intray_engine;
RESET ROLE;
CREATE TRIGGER remember_account_owner AFTER INSERT OR UPDATE OF owner_id ON service_account
  FOR EACH ROW EXECUTE FUNCTION gate.remember_account_owner();
CREATE TRIGGER remember_key_maker AFTER INSERT ON api_key
  FOR EACH ROW WHEN (NEW.service_account_id IS NOT NULL) EXECUTE FUNCTION gate.remember_key_maker();
CREATE TRIGGER keep_key_holder AFTER UPDATE ON api_key
  FOR EACH ROW WHEN (OLD.service_account_id IS DISTINCT FROM NEW.service_account_id)
  EXECUTE FUNCTION gate.remember_key_maker();
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

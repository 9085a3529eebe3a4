-- Whoever holds the keys of a SAML provider signs in as whom they like (docs/decisions/041): where a second person is
-- required, everybody whom it signs in counts as one with who described it last, until another maker confirms the provider.
UPDATE saml_provider SET default_role = 'admin' WHERE default_role = 'owner';
UPDATE saml_provider SET groups = (SELECT jsonb_agg(CASE WHEN g ->> 'role' = 'owner' THEN g || '{"role": "admin"}' ELSE g END
    ORDER BY at) FROM jsonb_array_elements(groups) WITH ORDINALITY AS each (g, at))
  WHERE groups @> '[{"role": "owner"}]';
ALTER TABLE saml_provider
  -- The maker who described the provider last, as in maker.invited_by. Null: a process of before did, which does not say.
  ADD COLUMN described_by uuid,
  ADD COLUMN described_at timestamptz(3),
  -- The makers who described it since another one confirmed it; empty: it is confirmed.
  ADD COLUMN held_by uuid[] NOT NULL DEFAULT '{}',
  ADD CONSTRAINT saml_provider_makes_no_owner
    CHECK (default_role IS DISTINCT FROM 'owner' AND NOT groups @> '[{"role": "owner"}]');

-- Whom a provider could sign in while it was not confirmed, and who held it. A row outlives the link and the provider, and
-- goes when the provider is confirmed, or, once it is removed, when an owner vouches for the person.
CREATE TABLE saml_maker (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  user_id uuid NOT NULL,
  -- As in maker.invited_by.
  maker uuid NOT NULL,
  provider_id uuid NOT NULL,
  since timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, user_id, maker, provider_id),
  CHECK (maker <> user_id)
);
CREATE INDEX saml_maker_by_maker ON saml_maker (organization_id, maker);
CREATE INDEX saml_maker_by_provider ON saml_maker (organization_id, provider_id);
ALTER TABLE saml_maker ENABLE ROW LEVEL SECURITY;
ALTER TABLE saml_maker FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON saml_maker USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON saml_maker TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT ON saml_maker TO intray_app, intray_engine;
GRANT SELECT, INSERT, DELETE ON saml_maker TO intray_gate;
DROP POLICY gate ON saml_provider;
CREATE POLICY gate ON saml_provider TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT (described_by, held_by), UPDATE (described_by, described_at, held_by) ON saml_provider TO intray_gate;

-- Everybody behind somebody: the first of each line of invitations and of providers that leads up from the person, or from
-- each maker of a service account. A circle of lines has no first: all of it stands for it.
CREATE OR REPLACE FUNCTION makers_behind(p_organization uuid, p_one uuid) RETURNS uuid[] LANGUAGE sql STABLE STRICT
  AS $$ WITH RECURSIVE own AS (SELECT m.user_id AS id FROM service_account_maker m
      WHERE m.organization_id = p_organization AND m.service_account_id = p_one),
    up (id) AS (
      (SELECT id FROM own UNION ALL SELECT p_one WHERE NOT EXISTS (SELECT FROM own))
      UNION SELECT above.id FROM up CROSS JOIN LATERAL (
        SELECT m.invited_by AS id FROM maker m WHERE m.organization_id = p_organization AND m.user_id = up.id
          AND m.invited_by IS NOT NULL AND m.vouched_at IS NULL
        UNION ALL SELECT s.maker FROM saml_maker s WHERE s.organization_id = p_organization AND s.user_id = up.id) above)
  SELECT coalesce(array_agg(id) FILTER (WHERE NOT EXISTS (SELECT FROM maker m WHERE m.organization_id = p_organization
      AND m.user_id = up.id AND m.invited_by IS NOT NULL AND m.vouched_at IS NULL)), array_agg(id)) FROM up $$;

-- Everybody for whom same_maker is true: down the same lines.
CREATE OR REPLACE FUNCTION makers_with(p_organization uuid, p_person uuid) RETURNS uuid[] LANGUAGE sql STABLE STRICT
  AS $$ WITH RECURSIVE down (id) AS (
    SELECT unnest(makers_behind(p_organization, p_person))
    -- OFFSET makes the planner look each one up in the index, not read all members for each step of a chain.
    UNION SELECT below.id FROM down CROSS JOIN LATERAL (
      (SELECT user_id AS id FROM maker
        WHERE organization_id = p_organization AND invited_by = down.id AND vouched_at IS NULL OFFSET 0)
      UNION ALL (SELECT user_id FROM saml_maker
        WHERE organization_id = p_organization AND maker = down.id OFFSET 0)) below)
  SELECT array_agg(id) FROM (SELECT id FROM down UNION SELECT a.service_account_id FROM service_account_maker a
    WHERE a.organization_id = p_organization AND a.user_id IN (SELECT id FROM down)) everybody $$;

-- Whether somebody counts as one with a holder of a provider by the line of invitations alone: the provider may have signed
-- them in as well, and they can still confirm it with a session of their own means.
CREATE FUNCTION counts_by_line(p_organization uuid, p_holder uuid, p_person uuid) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT coalesce(maker_of(p_organization, p_holder) = maker_of(p_organization, p_person), true) $$;

-- The web says who describes a provider; where it does not, being of before, all owners hold it. It takes nobody out.
CREATE FUNCTION keep_saml_holders() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE holders uuid[];
BEGIN
  IF current_user <> 'intray_app' THEN RETURN NEW; END IF;
  holders := CASE WHEN TG_OP = 'UPDATE' THEN OLD.held_by ELSE '{}' END;
  IF TG_OP = 'UPDATE' AND (NEW.sso_url, NEW.certificates, NEW.idp_initiated, NEW.email_attribute, NEW.groups_attribute,
      NEW.groups, NEW.create_accounts, NEW.default_role) IS NOT DISTINCT FROM (OLD.sso_url, OLD.certificates,
      OLD.idp_initiated, OLD.email_attribute, OLD.groups_attribute, OLD.groups, OLD.create_accounts, OLD.default_role) THEN
    NEW.described_by := OLD.described_by;
    NEW.described_at := OLD.described_at;
  ELSE
    IF NEW.described_at IS DISTINCT FROM now()::timestamptz(3) THEN
      NEW.described_by := NULL;
      NEW.held_by := (SELECT array_agg(m.user_id) FROM membership m
        WHERE m.organization_id = NEW.organization_id AND m.role = 'owner');
    END IF;
    holders := holders || NEW.held_by;
  END IF;
  NEW.held_by := (SELECT coalesce(array_agg(DISTINCT id), '{}') FROM unnest(holders) id);
  RETURN NEW;
END $$;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate, public TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Providers of before under who described them, as the history says; where it does not, under all owners.
WITH described AS (
  SELECT p.id, array_agg(DISTINCT CASE WHEN e.actor ->> 'kind' = 'member' THEN (e.actor ->> 'id')::uuid
      ELSE coalesce(k.created_by, e.organization_id) END) AS by_whom,
    (array_agg(CASE WHEN e.actor ->> 'kind' = 'member' THEN (e.actor ->> 'id')::uuid
      ELSE coalesce(k.created_by, e.organization_id) END ORDER BY e.seq DESC))[1] AS last
  FROM saml_provider p JOIN event e ON e.organization_id = p.organization_id
    AND e.type IN ('saml_provider.created', 'saml_provider.updated') AND e.data ->> 'samlProviderId' = p.id::text
    LEFT JOIN api_key k ON k.organization_id = e.organization_id AND e.actor ->> 'kind' = 'key'
      AND k.id::text = e.actor ->> 'id'
  WHERE e.actor ->> 'kind' IN ('member', 'key') GROUP BY p.id)
UPDATE saml_provider p SET described_by = d.last, held_by = coalesce(d.by_whom, (SELECT coalesce(array_agg(m.user_id), '{}')
    FROM membership m WHERE m.organization_id = p.organization_id AND m.role = 'owner'))
  FROM saml_provider every LEFT JOIN described d ON d.id = every.id WHERE every.id = p.id;
INSERT INTO saml_maker (organization_id, user_id, maker, provider_id)
  SELECT p.organization_id, i.user_id, holder, p.id FROM saml_provider p JOIN identity i ON i.issuer = 'saml:' || p.id
    CROSS JOIN unnest(p.held_by) holder WHERE holder <> i.user_id ON CONFLICT DO NOTHING;
-- Members whom a provider made, and nobody vouched for, count with who described it.
UPDATE maker k SET invited_by = coalesce(p.described_by, p.organization_id)
  FROM membership m JOIN saml_provider p ON p.organization_id = m.organization_id AND m.granted_by = 'saml:' || p.id
  WHERE k.organization_id = m.organization_id AND k.user_id = m.user_id AND k.invited_by IS NULL AND k.vouched_at IS NULL
    AND k.user_id <> coalesce(p.described_by, p.organization_id)
    AND NOT k.user_id = ANY (p.held_by)
    AND maker_of(k.organization_id, coalesce(p.described_by, p.organization_id)) IS DISTINCT FROM k.user_id;

-- Whom a provider signs in counts with those who hold it, from the moment that it means them.
CREATE FUNCTION remember_saml_person() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE provider record;
BEGIN
  -- Waits for who describes the provider just now.
  SELECT p.organization_id, p.id, p.held_by INTO provider FROM saml_provider p WHERE 'saml:' || p.id = NEW.issuer
    FOR NO KEY UPDATE;
  IF FOUND THEN
    INSERT INTO saml_maker (organization_id, user_id, maker, provider_id)
      SELECT provider.organization_id, NEW.user_id, holder, provider.id FROM unnest(provider.held_by) holder
        WHERE holder <> NEW.user_id ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION spread_saml_holders() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO saml_maker (organization_id, user_id, maker, provider_id)
    SELECT NEW.organization_id, i.user_id, holder, NEW.id FROM identity i CROSS JOIN unnest(NEW.held_by) holder
      WHERE i.issuer = 'saml:' || NEW.id AND holder <> i.user_id ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
-- An owner who vouches for a person answers for what a provider that is gone said of them; not for one that is there, whose
-- holders can still sign in as the person.
CREATE FUNCTION forget_saml_makers() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM saml_maker s WHERE s.organization_id = NEW.organization_id AND s.user_id = NEW.user_id
    AND NOT EXISTS (SELECT FROM saml_provider p WHERE p.organization_id = s.organization_id AND p.id = s.provider_id);
  RETURN NULL;
END $$;

-- Another maker says that a provider is the organization's, with its keys and rules as they are. Sessions of before end:
-- its holders may have opened them. p_confirmer null: the operator. `same`: the confirmer's line is a holder's, by
-- invitations alone, since the provider may have signed the confirmer in too; the caller shows that this session is the
-- person's own. Null: there is none to confirm.
CREATE FUNCTION gate.confirm_saml_provider(p_organization uuid, p_provider uuid, p_confirmer uuid) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE holders uuid[];
BEGIN
  IF p_organization IS DISTINCT FROM current_organization() THEN RETURN NULL; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('maker ' || p_organization::text, 0));
  SELECT p.held_by INTO holders FROM saml_provider p WHERE p.organization_id = p_organization AND p.id = p_provider
    FOR NO KEY UPDATE;
  IF coalesce(cardinality(holders), 0) = 0 THEN RETURN NULL; END IF;
  IF p_confirmer IS NOT NULL AND EXISTS (SELECT FROM unnest(holders) holder
    WHERE counts_by_line(p_organization, holder, p_confirmer)) THEN RETURN 'same'; END IF;
  UPDATE saml_provider SET held_by = '{}' WHERE organization_id = p_organization AND id = p_provider;
  DELETE FROM saml_maker WHERE organization_id = p_organization AND provider_id = p_provider;
  UPDATE session SET revoked_at = now() WHERE only_organization = p_organization AND provider = 'saml:' || p_provider
    AND revoked_at IS NULL;
  RETURN 'done';
END $$;

-- As in 0075, with members whom a provider of the organization's own made: they count with who described it last.
CREATE OR REPLACE FUNCTION gate.remember_maker() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE by_whom uuid; was_invited boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('maker ' || NEW.organization_id::text, 0));
  SELECT coalesce(i.invited_by, i.organization_id) INTO by_whom FROM invitation i JOIN "user" u ON u.email = i.email
    WHERE u.id = NEW.user_id AND i.organization_id = NEW.organization_id AND i.accepted_at = now()::timestamptz(3);
  was_invited := FOUND;
  IF NOT was_invited AND NEW.granted_by LIKE 'saml:%' THEN
    SELECT coalesce(p.described_by, p.organization_id) INTO by_whom FROM saml_provider p
      WHERE p.organization_id = NEW.organization_id AND 'saml:' || p.id = NEW.granted_by;
    was_invited := true;
    by_whom := CASE WHEN FOUND THEN nullif(by_whom, NEW.user_id) ELSE NEW.organization_id END;
  END IF;
  INSERT INTO maker AS m (organization_id, user_id, invited_by) VALUES (NEW.organization_id, NEW.user_id, by_whom)
    ON CONFLICT (organization_id, user_id) DO UPDATE
      SET invited_by = excluded.invited_by, vouched_by = NULL, vouched_at = NULL
      -- Who described the provider by which they come back stays with whom they were with.
      WHERE NOT was_invited
        OR (excluded.invited_by IS NOT NULL AND NOT same_maker(m.organization_id, m.user_id, excluded.invited_by));
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION remember_saml_person(), spread_saml_holders(), forget_saml_makers(),
  gate.confirm_saml_provider(uuid, uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.confirm_saml_provider(uuid, uuid, uuid) TO intray_app;
RESET ROLE;
DO $$
DECLARE owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  EXECUTE format('GRANT EXECUTE ON FUNCTION gate.confirm_saml_provider(uuid, uuid, uuid) TO %I', owner);
  RESET ROLE;
END $$;
CREATE TRIGGER keep_saml_holders BEFORE INSERT OR UPDATE ON saml_provider
  FOR EACH ROW EXECUTE FUNCTION keep_saml_holders();
CREATE TRIGGER spread_saml_holders AFTER INSERT OR UPDATE ON saml_provider
  FOR EACH ROW WHEN (cardinality(NEW.held_by) > 0) EXECUTE FUNCTION spread_saml_holders();
CREATE TRIGGER remember_saml_person AFTER INSERT ON identity
  FOR EACH ROW WHEN (NEW.issuer LIKE 'saml:%') EXECUTE FUNCTION remember_saml_person();
CREATE TRIGGER forget_saml_makers AFTER UPDATE OF vouched_at, invited_by ON maker
  FOR EACH ROW WHEN (NEW.vouched_at IS NOT NULL AND NEW.vouched_at IS DISTINCT FROM OLD.vouched_at)
  EXECUTE FUNCTION forget_saml_makers();
REVOKE CREATE ON SCHEMA gate, public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

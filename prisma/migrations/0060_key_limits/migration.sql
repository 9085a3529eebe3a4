-- API keys end, are rotated with an overlap, come from chosen networks, are limited to actions, servers and tools, and
-- say where they were last used.
ALTER TABLE api_key
  -- Null: without an end, as keys from before this migration have none.
  ADD COLUMN expires_at timestamptz(3),
  -- Of 14, 3 and 0 days before the end: the last of which people were told. Null: none yet.
  ADD COLUMN warned_days smallint CHECK (warned_days IN (14, 3, 0)),
  -- The secret before the last rotation, which works until then.
  ADD COLUMN previous_secret_hash bytea,
  ADD COLUMN previous_until timestamptz(3),
  ADD COLUMN rotated_at timestamptz(3),
  -- The digest of the last rotation's Idempotency-Key.
  ADD COLUMN rotation_hash bytea,
  -- The networks that it may come from (CIDR); empty: any.
  ADD COLUMN networks text[] NOT NULL DEFAULT '{}',
  -- The actions (permissions) that it is limited to; null: all of its role's.
  ADD COLUMN permissions text[],
  -- The servers, and single tools as `<server>/<name>`, that it is limited to; both empty: all.
  ADD COLUMN servers uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN tools text[] NOT NULL DEFAULT '{}',
  ADD COLUMN last_used_network text,
  ADD COLUMN last_used_agent text,
  ADD CHECK ((previous_secret_hash IS NULL) = (previous_until IS NULL)),
  ADD CHECK (expires_at IS NOT NULL OR warned_days IS NULL);
-- A web process of before makes keys without naming an end.
ALTER TABLE api_key ALTER COLUMN expires_at SET DEFAULT now() + interval '90 days';

-- Whether new keys may have no end.
ALTER TABLE organization ADD COLUMN keys_without_end boolean NOT NULL DEFAULT false;

-- The engine warns of keys that end.
GRANT SELECT (name, created_at, rotated_at, expires_at, warned_days, permissions) ON api_key TO intray_engine;
GRANT UPDATE (warned_days) ON api_key TO intray_engine;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- The key behind a secret, also one that has ended: the caller refuses it and can say why. `role` is never above the
-- maker's. `noted`: its use in this minute is written down already.
CREATE FUNCTION gate.find_api_key(p_secret_hash bytea)
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
    AND (k.created_by IS NULL OR m.user_id IS NOT NULL) $$;

-- Writes down when, from where and by what a key was used, once a minute.
CREATE FUNCTION gate.note_key_use(p_organization uuid, p_key uuid, p_network text, p_agent text) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE api_key SET last_used_at = date_trunc('minute', now()), last_used_network = p_network, last_used_agent = p_agent
    WHERE organization_id = p_organization AND id = p_key
      AND (last_used_at IS NULL OR last_used_at < date_trunc('minute', now())) $$;

-- For web processes of before, which know no limits: a key that has any, or has ended, is not taken there.
CREATE OR REPLACE FUNCTION gate.api_key(p_secret_hash bytea)
  RETURNS TABLE (organization_id uuid, slug text, organization_name text, id uuid, name text, role text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT k.organization_id, k.slug, k.organization_name, k.id, k.name, k.role FROM gate.find_api_key(p_secret_hash) k
    WHERE NOT k.ended AND k.networks = '{}' AND k.permissions IS NULL AND k.servers = '{}' AND k.tools = '{}' $$;

CREATE FUNCTION gate.organizations_with_ending_keys() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT k.organization_id FROM api_key k
    WHERE k.revoked_at IS NULL AND k.expires_at <= now() + interval '14 days' AND k.warned_days IS DISTINCT FROM 0
      AND (k.warned_days IS NULL OR k.expires_at <= now() + interval '3 days') $$;

REVOKE ALL ON FUNCTION gate.find_api_key(bytea), gate.note_key_use(uuid, uuid, text, text),
  gate.organizations_with_ending_keys() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.find_api_key(bytea), gate.note_key_use(uuid, uuid, text, text) TO intray_app;
GRANT EXECUTE ON FUNCTION gate.organizations_with_ending_keys() TO intray_engine;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- A page that nobody uses, and its stream, look a session up without keeping it alive (`p_touch`: false).
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- The rest is as in 0042, whose function stays for web processes of before.
CREATE FUNCTION gate.session(p_secret_hash bytea, p_idle_ms bigint, p_touch boolean)
  RETURNS TABLE (session_id uuid, user_id uuid, email text, name text, organization_id uuid, slug text,
    organization_name text, role text, viewed_user_id uuid, viewed_name text, viewed_role text, viewing_until timestamptz,
    viewing_left_ms double precision)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE opened session%ROWTYPE;
BEGIN
  SELECT * INTO opened FROM session s
    WHERE s.secret_hash = p_secret_hash AND s.revoked_at IS NULL AND s.expires_at > now()
      AND s.last_seen_at > now() - p_idle_ms * interval '1 ms';
  IF opened.id IS NULL THEN RETURN; END IF;
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
    WHERE u.id = opened.user_id AND (NOT o.demo OR NOT gate.setup_done())
    ORDER BY (o.id = opened.chosen_organization) IS TRUE DESC, m.created_at, o.id LIMIT 1;
END $$;

REVOKE ALL ON FUNCTION gate.session(bytea, bigint, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.session(bytea, bigint, boolean) TO intray_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- A session of an admin may look at lists as a member of its organization would (docs/decisions/032). It stands in the
-- session's own row, so that it ends with the session, and every request reads it together with the admin's role.
ALTER TABLE session
  ADD COLUMN viewed_membership uuid,
  ADD COLUMN viewing_until timestamptz(3),
  ADD CONSTRAINT session_view_whole CHECK ((viewed_membership IS NULL) = (viewing_until IS NULL));

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- The person behind a session secret and the membership in force now, with the member as whom it looks; no row: not
-- signed in. The view counts only while it lasts, in the organization of its member, and while the person is an admin
-- there who may see as much as that member.
DROP FUNCTION gate.session(bytea, bigint);
CREATE FUNCTION gate.session(p_secret_hash bytea, p_idle_ms bigint)
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
  IF opened.last_seen_at < now() - interval '1 minute' THEN
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

-- Has a session look as this member for a while. Who may begin that is judged before; gate.session judges again each time.
CREATE FUNCTION gate.begin_view(p_session uuid, p_membership uuid, p_ms bigint) RETURNS timestamptz
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ UPDATE session SET viewed_membership = p_membership, viewing_until = now() + p_ms * interval '1 ms'
    WHERE id = p_session AND revoked_at IS NULL RETURNING viewing_until $$;

-- False: it was over already, or is a view in another organization, which goes on there.
CREATE FUNCTION gate.end_view(p_session uuid, p_organization uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE session SET viewed_membership = NULL, viewing_until = NULL
    WHERE id = p_session AND viewing_until > now()
      AND viewed_membership IN (SELECT m.id FROM membership m WHERE m.organization_id = p_organization);
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION gate.session(bytea, bigint), gate.begin_view(uuid, uuid, bigint), gate.end_view(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.session(bytea, bigint), gate.begin_view(uuid, uuid, bigint), gate.end_view(uuid, uuid)
  TO intray_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

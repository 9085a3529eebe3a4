-- An organization ends a member's session for itself alone (docs/decisions/043-accounts-of-companies.md): the session goes on in the
-- person's other organizations, and signing in anew opens one that reaches all of them.
ALTER TABLE session
  -- Organizations that the session reaches no more. A web process of before opens sessions that none has ended.
  ADD COLUMN ended_in uuid[] NOT NULL DEFAULT '{}';

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- As in 0070, but for the organizations that have ended the session: gate.session and all else that asks knows it by this.
CREATE OR REPLACE FUNCTION gate.place_of(s session) RETURNS uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT o.id FROM membership m JOIN organization o ON o.id = m.organization_id
    WHERE m.user_id = s.user_id AND (NOT o.demo OR NOT gate.setup_done()) AND o.id = coalesce(s.only_organization, o.id)
      AND o.id <> ALL (s.ended_in)
    ORDER BY (o.id = s.chosen_organization) IS TRUE DESC, gate.sign_in_refusal(s, o.id, m.role) IS NOT NULL, m.inherited,
      m.created_at, o.id LIMIT 1 $$;

-- As in 0067, but for the organizations that have ended the session.
CREATE OR REPLACE FUNCTION gate.choose_organization(p_session uuid, p_organization uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  opened session%ROWTYPE;
  mine record;
BEGIN
  SELECT * INTO opened FROM session s WHERE s.id = p_session AND s.revoked_at IS NULL FOR UPDATE;
  IF opened.id IS NULL OR p_organization = ANY (opened.ended_in) THEN RETURN false; END IF;
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

-- Whether one of the person's organizations has ended the session: signing in anew leads there.
CREATE FUNCTION gate.is_ended_in(p_session uuid, p_organization uuid) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM session s JOIN membership m ON m.user_id = s.user_id AND m.organization_id = p_organization
    WHERE s.id = p_session AND s.revoked_at IS NULL AND p_organization = ANY (s.ended_in)) $$;

-- A member's sessions in force that work in the organization now, newest first. Nothing shows of those that work elsewhere.
CREATE FUNCTION gate.sessions_in(p_organization uuid, p_user uuid, p_idle_ms bigint) RETURNS TABLE (id uuid, method text,
    user_agent text, address text, created_at timestamptz, last_seen_at timestamptz, expires_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT s.id, s.method, s.user_agent, s.address, s.created_at, s.last_seen_at, s.expires_at FROM session s
    WHERE p_organization = current_organization() AND s.user_id = p_user AND s.revoked_at IS NULL AND s.expires_at > now()
      AND s.last_seen_at > now() - p_idle_ms * interval '1 ms' AND gate.place_of(s) = p_organization
    ORDER BY s.created_at DESC, s.id $$;

-- Ends a member's sessions for the organization: one that works in it, or with p_session null all, also those that work
-- elsewhere now and could come over. A session that reaches no organization after it has ended. Returns how many of those
-- that ended worked in it, and tells the person so. p_by: who ended them; null: it goes along with a suspension.
CREATE FUNCTION gate.end_sessions_in(p_organization uuid, p_user uuid, p_session uuid, p_idle_ms bigint,
    p_by text) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  one session%ROWTYPE;
  worked_here boolean;
  ended integer := 0;
BEGIN
  IF p_organization IS DISTINCT FROM current_organization() THEN RETURN 0; END IF;
  FOR one IN SELECT * FROM session s WHERE s.user_id = p_user AND s.revoked_at IS NULL AND s.expires_at > now()
      AND p_organization <> ALL (s.ended_in) AND (p_session IS NULL OR s.id = p_session) ORDER BY s.id FOR UPDATE LOOP
    worked_here := one.last_seen_at > now() - p_idle_ms * interval '1 ms'
      AND gate.place_of(one) IS NOT DISTINCT FROM p_organization;
    CONTINUE WHEN p_session IS NOT NULL AND NOT worked_here;
    one.ended_in := one.ended_in || p_organization;
    UPDATE session SET ended_in = one.ended_in, chosen_organization = gate.place_of(one),
        revoked_at = CASE WHEN gate.place_of(one) IS NULL THEN now() END WHERE id = one.id;
    IF worked_here THEN ended := ended + 1; END IF;
  END LOOP;
  IF ended > 0 AND p_by IS NOT NULL THEN
    PERFORM gate.account_event(p_user, 'account.sessions_ended', jsonb_build_object('count', ended, 'by', p_by,
      'organization', (SELECT o.name FROM organization o WHERE o.id = p_organization)));
  END IF;
  RETURN ended;
END $$;

DO $$
DECLARE f regprocedure;
BEGIN
  FOR f IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'gate'::regnamespace AND proname IN (
      'place_of', 'is_ended_in', 'sessions_in', 'end_sessions_in') LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
    IF f::text !~ 'place_of' THEN EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO intray_app', f); END IF;
  END LOOP;
END $$;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

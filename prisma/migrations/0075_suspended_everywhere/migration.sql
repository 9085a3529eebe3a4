-- What goes along with a suspension: who counts with whom, views of the person, and accounts that change hands meanwhile.
ALTER TABLE suspended_member
  -- As in membership. A web process of before suspends without it: signing in then leads to the organization as to others.
  ADD COLUMN inherited boolean NOT NULL DEFAULT false;
DROP POLICY gate ON suspended_member;
CREATE POLICY gate ON suspended_member TO intray_gate USING (true) WITH CHECK (true);
GRANT UPDATE, DELETE ON suspended_member TO intray_gate;
-- Admins see which members have not proved their address.
GRANT SELECT (proven_at) ON "user" TO intray_app;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate, public TO intray_gate;
SET LOCAL ROLE intray_gate;

-- As in 0064, with a state of its own, by which callers know it from other failures.
CREATE OR REPLACE FUNCTION refuse_suspended() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM suspended_member s WHERE s.organization_id = NEW.organization_id AND s.user_id = NEW.user_id) THEN
    RAISE EXCEPTION 'the person is suspended in this organization' USING ERRCODE = 'INSUS';
  END IF;
  RETURN NULL;
END $$;

-- Brings a membership back. Who counts with whom stays as it was: else an admin could suspend somebody whom they invited,
-- and reinstate them as a person of their own. Null: nobody is suspended under the id. `unproven`: the account belongs to
-- another organization by now, and nobody has proved whose it is.
CREATE FUNCTION gate.reinstate_member(p_organization uuid, p_member uuid) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  back suspended_member%ROWTYPE;
  counted maker%ROWTYPE;
BEGIN
  IF p_organization IS DISTINCT FROM current_organization() THEN RETURN NULL; END IF;
  SELECT * INTO back FROM suspended_member WHERE organization_id = p_organization AND id = p_member FOR UPDATE;
  IF back.id IS NULL THEN RETURN NULL; END IF;
  IF back.granted_by IS NULL AND EXISTS (SELECT FROM "user" u WHERE u.id = back.user_id AND u.proven_at IS NULL)
      AND EXISTS (SELECT FROM membership m WHERE m.user_id = back.user_id) THEN RETURN 'unproven'; END IF;
  DELETE FROM suspended_member WHERE organization_id = p_organization AND id = p_member;
  PERFORM pg_advisory_xact_lock(hashtextextended('maker ' || p_organization::text, 0));
  SELECT * INTO counted FROM maker WHERE organization_id = p_organization AND user_id = back.user_id FOR UPDATE;
  INSERT INTO membership (organization_id, id, user_id, role, granted_by, inherited, single_keys, tour_seen, density,
      locale, created_at)
    VALUES (back.organization_id, back.id, back.user_id, back.role, back.granted_by, back.inherited, back.single_keys,
      back.tour_seen, back.density, back.locale, back.joined_at);
  IF counted.user_id IS NOT NULL THEN
    UPDATE maker SET invited_by = counted.invited_by, vouched_by = counted.vouched_by, vouched_at = counted.vouched_at
      WHERE organization_id = p_organization AND user_id = back.user_id;
  END IF;
  RETURN 'done';
END $$;

-- Takes back that an owner vouched for a member. Whoever invited the member may count with the member by now (a link to a
-- password, an invitation back): nobody is then the first of the circle, and nobody one with anybody, so that the older
-- line goes. By turns, as all that changes who counts with whom. False: nobody has vouched.
CREATE FUNCTION gate.take_vouch_back(p_organization uuid, p_user uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF p_organization IS DISTINCT FROM current_organization() THEN RETURN false; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('maker ' || p_organization::text, 0));
  UPDATE maker SET vouched_by = NULL, vouched_at = NULL,
      invited_by = CASE WHEN maker_of(organization_id, invited_by) IS DISTINCT FROM user_id THEN invited_by END
    WHERE organization_id = p_organization AND user_id = p_user AND vouched_at IS NOT NULL;
  RETURN FOUND;
END $$;

-- As in 0057, by turns.
CREATE OR REPLACE FUNCTION gate.remember_maker() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE by_whom uuid; was_invited boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('maker ' || NEW.organization_id::text, 0));
  SELECT coalesce(i.invited_by, i.organization_id) INTO by_whom FROM invitation i JOIN "user" u ON u.email = i.email
    WHERE u.id = NEW.user_id AND i.organization_id = NEW.organization_id AND i.accepted_at = now()::timestamptz(3);
  was_invited := FOUND;
  INSERT INTO maker AS m (organization_id, user_id, invited_by) VALUES (NEW.organization_id, NEW.user_id, by_whom)
    ON CONFLICT (organization_id, user_id) DO UPDATE
      SET invited_by = excluded.invited_by, vouched_by = NULL, vouched_at = NULL
      WHERE NOT was_invited OR NOT same_maker(m.organization_id, m.user_id, excluded.invited_by);
  RETURN NULL;
END $$;

-- Admins who look as the person see as themselves again, and do not go on when the same membership comes back.
CREATE FUNCTION end_views_of_suspended() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE session SET viewed_membership = NULL, viewing_until = NULL WHERE viewed_membership = NEW.id;
  RETURN NULL;
END $$;

-- A suspended membership of an account that was given to another person, as gate.replace_account does it with others: one
-- that people gave was given to the address and waits for its person; one that a provider's group gave goes.
CREATE FUNCTION replace_suspended() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM suspended_member WHERE user_id = NEW.id AND granted_by IS NOT NULL;
  UPDATE suspended_member SET inherited = true WHERE user_id = NEW.id;
  RETURN NULL;
END $$;

-- As in 0052, but an account that is suspended somewhere belongs to that organization too: an unproven one is not another
-- organization's to take, which would come back with it.
CREATE OR REPLACE FUNCTION gate.join_with_account(p_token_hash bytea, p_user uuid, p_name text, p_password_hash text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  invited record;
  account "user"%ROWTYPE;
BEGIN
  SELECT * INTO invited FROM gate.open_invitation(p_token_hash);
  IF NOT FOUND THEN RETURN NULL; END IF;
  INSERT INTO "user" (id, email, name, password_hash, proven_at)
    VALUES (p_user, invited.email, p_name, p_password_hash, CASE WHEN invited.mailed THEN now() END)
    ON CONFLICT (email) DO NOTHING;
  IF FOUND THEN RETURN p_user; END IF;
  SELECT * INTO account FROM "user" u WHERE u.email = invited.email FOR UPDATE;
  IF account.id IS NULL OR account.proven_at IS NOT NULL THEN RETURN NULL; END IF;
  IF NOT invited.mailed AND (EXISTS (SELECT FROM membership m WHERE m.user_id = account.id)
    OR EXISTS (SELECT FROM suspended_member s WHERE s.user_id = account.id)) THEN RETURN NULL; END IF;
  PERFORM gate.replace_account(account.id, p_name, p_password_hash, CASE WHEN invited.mailed THEN 'invitation' END);
  RETURN account.id;
END $$;
CREATE OR REPLACE FUNCTION gate.may_join(p_user uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE account "user"%ROWTYPE;
BEGIN
  SELECT * INTO account FROM "user" u WHERE u.id = p_user FOR NO KEY UPDATE;
  RETURN account.proven_at IS NOT NULL OR (account.id IS NOT NULL AND account.password_hash IS NULL
    AND NOT EXISTS (SELECT FROM passkey p WHERE p.user_id = p_user)
    AND NOT EXISTS (SELECT FROM membership m WHERE m.user_id = p_user)
    AND NOT EXISTS (SELECT FROM suspended_member s WHERE s.user_id = p_user));
END $$;

-- As in 0011. Accounts that are suspended in another organization stay; those that are suspended in this one alone go.
CREATE OR REPLACE FUNCTION gate.delete_organization(p_organization uuid, p_slug text, p_export_ms bigint) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  doomed organization%ROWTYPE;
  people uuid[];
BEGIN
  -- Nothing can be put into it from here on: each new row of it waits for this lock.
  SELECT * INTO doomed FROM organization WHERE id = p_organization AND slug = p_slug FOR UPDATE;
  IF doomed.id IS NULL THEN RETURN 'not_found'; END IF;
  IF (doomed.exported_at > now() - p_export_ms * interval '1 ms') IS NOT TRUE THEN RETURN 'export_first'; END IF;
  IF EXISTS (SELECT FROM task WHERE organization_id = p_organization AND watched) THEN RETURN 'tasks_open'; END IF;
  SELECT array_agg(user_id ORDER BY user_id) INTO people FROM (
    SELECT user_id FROM membership WHERE organization_id = p_organization
    UNION SELECT user_id FROM suspended_member WHERE organization_id = p_organization) AS of_it;
  -- Those who join another one meanwhile wait, and so do two deletions of organizations with the same people.
  PERFORM 1 FROM "user" WHERE id = ANY (people) ORDER BY id FOR UPDATE;
  IF NOT doomed.demo THEN
    INSERT INTO installation AS i (set_up) VALUES (doomed.set_up)
      ON CONFLICT (only_row) DO UPDATE SET set_up = i.set_up OR excluded.set_up;
  END IF;
  DELETE FROM change WHERE organization_id = p_organization;
  DELETE FROM organization WHERE id = p_organization;
  UPDATE session SET chosen_organization = NULL WHERE chosen_organization = p_organization;
  -- Streams of its members end.
  PERFORM pg_notify('intray_change', json_build_object('o', p_organization,
    'c', json_build_array(json_build_array('member', p_organization)))::text);
  DELETE FROM "user" u WHERE u.id = ANY (people) AND NOT EXISTS (SELECT FROM membership m WHERE m.user_id = u.id)
    AND NOT EXISTS (SELECT FROM suspended_member s WHERE s.user_id = u.id);
  RETURN NULL;
END $$;

-- A person is told of a sign-in provider that their account is linked to: a way in that somebody else may hold. Not of the
-- one that made the account in the same transaction.
CREATE FUNCTION tell_of_identity() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM "user" u WHERE u.id = NEW.user_id AND u.created_at <> now()::timestamptz(3)) THEN
    PERFORM gate.account_event(NEW.user_id, 'account.identity_linked', jsonb_build_object('issuer', NEW.issuer));
  END IF;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION gate.reinstate_member(uuid, uuid), gate.take_vouch_back(uuid, uuid), end_views_of_suspended(), replace_suspended(), tell_of_identity()
  FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.reinstate_member(uuid, uuid), gate.take_vouch_back(uuid, uuid) TO intray_app;
RESET ROLE;
CREATE TRIGGER end_views_of_suspended AFTER INSERT ON suspended_member FOR EACH ROW EXECUTE FUNCTION end_views_of_suspended();
CREATE TRIGGER replace_suspended AFTER UPDATE OF credentials_epoch ON "user" FOR EACH ROW
  WHEN (OLD.credentials_epoch <> NEW.credentials_epoch) EXECUTE FUNCTION replace_suspended();
CREATE TRIGGER tell_of_identity AFTER INSERT ON identity FOR EACH ROW EXECUTE FUNCTION tell_of_identity();
REVOKE CREATE ON SCHEMA gate, public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- Links with which people set a password: beside the operator's, a mailed one that its person asked for, and one that an
-- admin passes on (docs/decisions/043-accounts-of-companies.md).
ALTER TABLE password_link
  -- Processes of before make the operator's alone.
  ADD COLUMN source text NOT NULL DEFAULT 'operator' CHECK (source IN ('operator', 'mail', 'admin')),
  ADD COLUMN made_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Of an admin's: for which organization, and who made it. Without foreign keys: the link is over when either is gone.
  ADD COLUMN for_organization uuid,
  ADD COLUMN made_by uuid,
  ADD CONSTRAINT password_link_of_admin CHECK ((source = 'admin') = (for_organization IS NOT NULL AND made_by IS NOT NULL));

-- Somebody asked for a link for an address, whether or not an account has it. The web writes the address down and answers;
-- an engine looks the account up afterwards, so that the answer can't tell. Neither of the two makes a link alone.
CREATE TABLE password_reset (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  email text NOT NULL UNIQUE CHECK (length(email) <= 254),
  asked_at timestamptz(3) NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamptz(3) NOT NULL DEFAULT now()
);
ALTER TABLE password_reset ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON password_reset TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON password_reset TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Reads no account. No more than p_most addresses wait at a time, and none for more than an hour.
CREATE FUNCTION gate.ask_password_reset(p_email text, p_most integer) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ DELETE FROM password_reset WHERE asked_at < now() - interval '1 hour';
    INSERT INTO password_reset (email) SELECT lower(p_email)
    WHERE (SELECT count(*) FROM (SELECT FROM password_reset LIMIT p_most) AS waiting) < p_most ON CONFLICT (email) DO NOTHING $$;

CREATE FUNCTION gate.password_resets_waiting() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT r.id FROM password_reset r WHERE r.not_before <= now() $$;

-- Claims one that waits, and makes the link of p_token_hash for its account. `no_password`: the person signs in otherwise.
-- No row: somebody else has it, no account has the address, or it was mailed often enough within an hour; the last mail
-- then still works. Earlier mailed links end.
CREATE FUNCTION gate.take_password_reset(p_reset uuid, p_token_hash bytea, p_lifetime_ms bigint, p_claim_ms bigint,
    p_an_hour integer) RETURNS TABLE (attempt integer, kind text, name text, address text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  asked password_reset%ROWTYPE;
  account "user"%ROWTYPE;
  sets boolean;
BEGIN
  UPDATE password_reset r SET attempts = r.attempts + 1, not_before = now() + p_claim_ms * interval '1 ms'
    WHERE r.id = p_reset AND r.not_before <= now() RETURNING * INTO asked;
  IF asked.id IS NULL THEN RETURN; END IF;
  SELECT * INTO account FROM "user" u WHERE u.email = asked.email FOR UPDATE;
  IF account.id IS NULL OR asked.asked_at < now() - interval '1 hour' OR (SELECT count(*) FROM password_link l
      WHERE l.user_id = account.id AND l.source = 'mail' AND l.made_at > now() - interval '1 hour') >= p_an_hour THEN
    DELETE FROM password_reset WHERE id = asked.id;
    RETURN;
  END IF;
  sets := account.password_hash IS NOT NULL OR NOT (EXISTS (SELECT FROM identity i WHERE i.user_id = account.id)
    OR EXISTS (SELECT FROM passkey p WHERE p.user_id = account.id));
  UPDATE password_link SET used_at = now() WHERE user_id = account.id AND source = 'mail' AND used_at IS NULL;
  -- A row also where there is nothing to set, so that mails are counted.
  INSERT INTO password_link (token_hash, user_id, expires_at, used_at, source)
    VALUES (p_token_hash, account.id, now() + p_lifetime_ms * interval '1 ms', CASE WHEN NOT sets THEN now() END, 'mail');
  RETURN QUERY SELECT asked.attempts, CASE WHEN sets THEN 'link' ELSE 'no_password' END, account.name, account.email;
END $$;

-- Ends an attempt. p_wait_ms null: for good.
CREATE FUNCTION gate.end_password_reset(p_reset uuid, p_attempt integer, p_wait_ms bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF p_wait_ms IS NULL THEN DELETE FROM password_reset WHERE id = p_reset AND attempts = p_attempt;
  ELSE UPDATE password_reset SET not_before = now() + p_wait_ms * interval '1 ms' WHERE id = p_reset AND attempts = p_attempt;
  END IF;
END $$;

-- Whether the account of a member belongs to the organization alone.
CREATE FUNCTION gate.is_of_one_organization(p_user uuid, p_organization uuid) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM membership m WHERE m.user_id = p_user AND m.organization_id = p_organization)
    AND NOT EXISTS (SELECT FROM membership m WHERE m.user_id = p_user AND m.organization_id <> p_organization)
    AND NOT EXISTS (SELECT FROM suspended_member s WHERE s.user_id = p_user AND s.organization_id <> p_organization) $$;

-- An admin's link for a member whose account is the organization's alone, and who has or had a password. False: not for
-- this account. An earlier one of the organization's ends.
CREATE FUNCTION gate.make_admin_password_link(p_organization uuid, p_user uuid, p_by uuid, p_token_hash bytea,
    p_lifetime_ms bigint) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE account "user"%ROWTYPE;
BEGIN
  IF p_organization IS DISTINCT FROM current_organization() THEN RETURN false; END IF;
  SELECT * INTO account FROM "user" u WHERE u.id = p_user FOR UPDATE;
  IF NOT gate.is_of_one_organization(p_user, p_organization) OR (account.password_hash IS NULL
      AND (EXISTS (SELECT FROM identity i WHERE i.user_id = p_user) OR EXISTS (SELECT FROM passkey p WHERE p.user_id = p_user)))
    THEN RETURN false; END IF;
  UPDATE password_link SET used_at = now() WHERE user_id = p_user AND source = 'admin' AND used_at IS NULL;
  INSERT INTO password_link (token_hash, user_id, expires_at, source, for_organization, made_by)
    VALUES (p_token_hash, p_user, now() + p_lifetime_ms * interval '1 ms', 'admin', p_organization, p_by);
  PERFORM gate.account_event(p_user, 'account.password_link_made', jsonb_build_object(
    'organization', (SELECT o.name FROM organization o WHERE o.id = p_organization),
    'by', (SELECT u.name FROM "user" u WHERE u.id = p_by)));
  RETURN true;
END $$;

-- As in 0052. Who uses the operator's link, or a mailed one, is the person of the address. Who uses an admin's may be that
-- admin: it works while the account is still the organization's alone and the admin still one of its admins; the address
-- counts as unproven from then on, and the member as one person with the admin until an owner vouches.
CREATE OR REPLACE FUNCTION gate.set_password(p_token_hash bytea, p_password_hash text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE link password_link%ROWTYPE;
BEGIN
  SELECT * INTO link FROM password_link WHERE token_hash = p_token_hash;
  -- Two links at once take turns at the person, so that one of them wins.
  PERFORM FROM "user" WHERE id = link.user_id FOR UPDATE;
  UPDATE password_link SET used_at = now() WHERE token_hash = p_token_hash AND used_at IS NULL AND expires_at > now();
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF link.source = 'admin' THEN
    IF NOT gate.is_of_one_organization(link.user_id, link.for_organization) OR NOT inviter_may(link.for_organization, link.made_by,
      (SELECT m.role FROM membership m WHERE m.organization_id = link.for_organization AND m.user_id = link.user_id))
      THEN RETURN NULL; END IF;
    UPDATE "user" SET proven_at = NULL WHERE id = link.user_id;
    PERFORM pg_advisory_xact_lock(hashtextextended('maker ' || link.for_organization::text, 0));
    UPDATE maker SET invited_by = link.made_by, vouched_by = NULL, vouched_at = NULL
      WHERE organization_id = link.for_organization AND user_id = link.user_id
        AND NOT same_maker(link.for_organization, link.user_id, link.made_by);
  ELSIF gate.replace_account(link.user_id, NULL, p_password_hash, link.source) THEN
    RETURN link.user_id;
  END IF;
  UPDATE password_link SET used_at = now() WHERE user_id = link.user_id AND used_at IS NULL;
  UPDATE "user" SET password_hash = p_password_hash WHERE id = link.user_id;
  UPDATE session SET revoked_at = now() WHERE user_id = link.user_id AND revoked_at IS NULL;
  DELETE FROM pending_sign_in WHERE user_id = link.user_id;
  PERFORM gate.account_event(link.user_id, 'account.password_changed', jsonb_build_object('byLink', true, 'source', link.source));
  RETURN link.user_id;
END $$;

DO $$
DECLARE f regprocedure;
BEGIN
  FOR f IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'gate'::regnamespace AND proname IN (
      'ask_password_reset', 'password_resets_waiting', 'take_password_reset', 'end_password_reset',
      'is_of_one_organization', 'make_admin_password_link') LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION gate.ask_password_reset(text, integer),
  gate.make_admin_password_link(uuid, uuid, uuid, bytea, bigint) TO intray_app;
GRANT EXECUTE ON FUNCTION gate.password_resets_waiting(), gate.take_password_reset(uuid, bytea, bigint, bigint, integer),
  gate.end_password_reset(uuid, integer, bigint) TO intray_engine;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

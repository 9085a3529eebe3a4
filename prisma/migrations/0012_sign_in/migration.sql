-- How people prove who they are: identities of other providers, second factors, passkeys; and what they do about
-- their accounts, in the history of every organization they belong to. None of these are tenant tables: an account
-- is a person's, and is reached through the gate alone. Not forced on the owner, who seals secrets again.

ALTER TABLE membership
  -- The sign-in provider whose groups gave it; null: people did. Only such a membership ends with the group.
  ADD COLUMN granted_by text;

-- A person at a provider (OpenID Connect): the issuer and its subject, never the e-mail address.
CREATE TABLE identity (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
  issuer text NOT NULL,
  subject text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (issuer, subject)
);
CREATE INDEX identity_by_user ON identity (user_id);

-- One-time codes of an app (RFC 6238). It counts once it is confirmed.
CREATE TABLE second_factor (
  user_id uuid PRIMARY KEY REFERENCES "user" (id) ON DELETE CASCADE,
  sealed_secret text NOT NULL,
  -- The time step of the newest code that was taken: no code works twice.
  last_step bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  confirmed_at timestamptz(3)
);

-- Ten of them, each for one sign-in without the app. 80 random bits, so that a plain hash is enough.
CREATE TABLE recovery_code (
  user_id uuid NOT NULL REFERENCES second_factor (user_id) ON DELETE CASCADE,
  code_hash bytea NOT NULL,
  used_at timestamptz(3),
  PRIMARY KEY (user_id, code_hash)
);

CREATE TABLE passkey (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
  name text NOT NULL CHECK (name <> ''),
  -- As the authenticator names it, in base64url.
  credential_id text NOT NULL UNIQUE,
  public_key bytea NOT NULL,
  -- Raised by authenticators that count; one that goes back was copied.
  counter bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3)
);
CREATE INDEX passkey_by_user ON passkey (user_id);

-- A challenge that a passkey signs, once.
CREATE TABLE passkey_challenge (
  challenge_hash bytea PRIMARY KEY,
  -- Who registers a passkey; null: somebody who signs in.
  user_id uuid REFERENCES "user" (id) ON DELETE CASCADE,
  expires_at timestamptz(3) NOT NULL
);

-- A sign-in that had the right password and still needs a code. It is not a session, and may do nothing.
CREATE TABLE pending_sign_in (
  secret_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
  tries integer NOT NULL DEFAULT 0,
  expires_at timestamptz(3) NOT NULL
);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['identity', 'second_factor', 'recovery_code', 'passkey', 'passkey_challenge',
      'pending_sign_in'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY gate ON %I TO intray_gate USING (true) WITH CHECK (true)', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO intray_gate', name);
  END LOOP;
END $$;

-- History of an account: one organization at a time, under the policy of every other writer.
GRANT SELECT, INSERT, UPDATE ON event_head TO intray_gate;
GRANT INSERT ON event TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Appends one line to the history of each organization that the person belongs to. Call it last, as append_event.
CREATE FUNCTION gate.account_event(p_user uuid, p_type text, p_data jsonb) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  before text := coalesce(current_setting('app.organization_id', true), '');
  actor jsonb;
  place uuid;
BEGIN
  SELECT jsonb_build_object('kind', 'member', 'id', u.id, 'name', u.name) INTO actor FROM "user" u WHERE u.id = p_user;
  -- In one order for everybody, so that two who write to the same heads never wait for each other.
  FOR place IN SELECT m.organization_id FROM membership m WHERE m.user_id = p_user ORDER BY m.organization_id LOOP
    PERFORM set_config('app.organization_id', place::text, true);
    PERFORM append_event(p_type, actor, NULL, NULL, p_data);
  END LOOP;
  PERFORM set_config('app.organization_id', before, true);
END $$;

-- Sessions ---------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION gate.create_session(p_secret_hash bytea, p_user uuid, p_lifetime_ms bigint, p_method text,
    p_user_agent text, p_address text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE opened uuid;
BEGIN
  INSERT INTO session (secret_hash, user_id, expires_at, method, user_agent, address)
    VALUES (p_secret_hash, p_user, now() + p_lifetime_ms * interval '1 ms', p_method, p_user_agent, p_address)
    RETURNING id INTO opened;
  PERFORM gate.account_event(p_user, 'session.opened', jsonb_build_object('method', p_method, 'address', p_address));
  RETURN opened;
END $$;

CREATE OR REPLACE FUNCTION gate.revoke_session(p_secret_hash bytea) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE whose uuid;
BEGIN
  UPDATE session SET revoked_at = now() WHERE secret_hash = p_secret_hash AND revoked_at IS NULL
    RETURNING user_id INTO whose;
  IF whose IS NOT NULL THEN PERFORM gate.account_event(whose, 'session.ended', '{"count": 1}'); END IF;
END $$;

-- A person's sessions in force, newest first.
CREATE FUNCTION gate.sessions(p_user uuid, p_idle_ms bigint) RETURNS TABLE (id uuid, method text, user_agent text,
    address text, created_at timestamptz, last_seen_at timestamptz, expires_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT s.id, s.method, s.user_agent, s.address, s.created_at, s.last_seen_at, s.expires_at FROM session s
    WHERE s.user_id = p_user AND s.revoked_at IS NULL AND s.expires_at > now()
      AND s.last_seen_at > now() - p_idle_ms * interval '1 ms' ORDER BY s.created_at DESC, s.id $$;

-- Ends one session of a person's, or with p_others all but it. Returns how many ended.
CREATE FUNCTION gate.end_sessions(p_user uuid, p_session uuid, p_others boolean) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE ended integer;
BEGIN
  UPDATE session SET revoked_at = now() WHERE user_id = p_user AND revoked_at IS NULL AND expires_at > now()
    AND (id = p_session) <> p_others;
  GET DIAGNOSTICS ended = ROW_COUNT;
  IF ended > 0 THEN
    PERFORM gate.account_event(p_user, 'session.ended', jsonb_build_object('count', ended));
  END IF;
  RETURN ended;
END $$;

-- Passwords --------------------------------------------------------------------------------------------------------

CREATE FUNCTION gate.password_hash(p_user uuid) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT u.password_hash FROM "user" u WHERE u.id = p_user $$;

-- Replaces the password that was checked, and ends the person's other sessions. False: it changed meanwhile.
CREATE FUNCTION gate.change_password(p_user uuid, p_before text, p_after text, p_session uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE "user" SET password_hash = p_after WHERE id = p_user AND password_hash = p_before;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE session SET revoked_at = now() WHERE user_id = p_user AND revoked_at IS NULL AND id <> p_session;
  DELETE FROM pending_sign_in WHERE user_id = p_user;
  UPDATE password_link SET used_at = now() WHERE user_id = p_user AND used_at IS NULL;
  PERFORM gate.account_event(p_user, 'account.password_changed', '{}');
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION gate.set_password(p_token_hash bytea, p_password_hash text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE found_user uuid;
BEGIN
  UPDATE password_link SET used_at = now() WHERE token_hash = p_token_hash AND used_at IS NULL AND expires_at > now()
    RETURNING user_id INTO found_user;
  IF found_user IS NULL THEN RETURN NULL; END IF;
  UPDATE "user" SET password_hash = p_password_hash WHERE id = found_user;
  UPDATE session SET revoked_at = now() WHERE user_id = found_user AND revoked_at IS NULL;
  DELETE FROM pending_sign_in WHERE user_id = found_user;
  PERFORM gate.account_event(found_user, 'account.password_changed', '{"byLink": true}');
  RETURN found_user;
END $$;

-- The same password under stronger parameters.
CREATE FUNCTION gate.rehash_password(p_user uuid, p_before text, p_after text) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ UPDATE "user" SET password_hash = p_after WHERE id = p_user AND password_hash = p_before $$;

-- Second factor ----------------------------------------------------------------------------------------------------

CREATE FUNCTION gate.second_factor(p_user uuid)
  RETURNS TABLE (sealed_secret text, confirmed boolean, codes_left integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT f.sealed_secret, f.confirmed_at IS NOT NULL, (SELECT count(*)::integer FROM recovery_code r
      WHERE r.user_id = f.user_id AND r.used_at IS NULL) FROM second_factor f WHERE f.user_id = p_user $$;

-- Keeps a secret until it is confirmed, in place of one that never was. False: there is a confirmed one.
CREATE FUNCTION gate.start_second_factor(p_user uuid, p_sealed_secret text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO second_factor AS f (user_id, sealed_secret) VALUES (p_user, p_sealed_secret)
    ON CONFLICT (user_id) DO UPDATE SET sealed_secret = excluded.sealed_secret, last_step = 0, created_at = now()
      WHERE f.confirmed_at IS NULL;
  RETURN FOUND;
END $$;

-- Puts it in force with the first code of the app, and keeps the recovery codes. False: no longer what was started.
CREATE FUNCTION gate.confirm_second_factor(p_user uuid, p_sealed_secret text, p_step bigint, p_codes bytea[])
  RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE second_factor SET confirmed_at = now(), last_step = p_step
    WHERE user_id = p_user AND confirmed_at IS NULL AND sealed_secret = p_sealed_secret;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO recovery_code (user_id, code_hash) SELECT p_user, unnest(p_codes);
  PERFORM gate.account_event(p_user, 'account.second_factor_added', '{}');
  RETURN true;
END $$;

-- Uses up a code of the app, or a recovery code: exactly one of the two is given. False: used before, or not one.
CREATE FUNCTION gate.use_code(p_user uuid, p_step bigint, p_code bytea) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF p_step IS NOT NULL THEN
    UPDATE second_factor SET last_step = p_step
      WHERE user_id = p_user AND confirmed_at IS NOT NULL AND last_step < p_step;
    RETURN FOUND;
  END IF;
  UPDATE recovery_code SET used_at = now() WHERE user_id = p_user AND code_hash = p_code AND used_at IS NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM gate.account_event(p_user, 'account.recovery_code_used', jsonb_build_object('left',
    (SELECT count(*) FROM recovery_code WHERE user_id = p_user AND used_at IS NULL)));
  RETURN true;
END $$;

CREATE FUNCTION gate.replace_recovery_codes(p_user uuid, p_codes bytea[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM recovery_code WHERE user_id = p_user;
  INSERT INTO recovery_code (user_id, code_hash) SELECT p_user, unnest(p_codes);
END $$;

CREATE FUNCTION gate.remove_second_factor(p_user uuid, p_by_operator boolean) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM second_factor WHERE user_id = p_user AND confirmed_at IS NOT NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM gate.account_event(p_user, 'account.second_factor_removed',
    CASE WHEN p_by_operator THEN '{"byOperator": true}'::jsonb ELSE '{}' END);
  RETURN true;
END $$;

CREATE FUNCTION gate.open_pending_sign_in(p_secret_hash bytea, p_user uuid, p_lifetime_ms bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM pending_sign_in WHERE expires_at < now();
  INSERT INTO pending_sign_in (secret_hash, user_id, expires_at)
    VALUES (p_secret_hash, p_user, now() + p_lifetime_ms * interval '1 ms');
END $$;

-- Counts one try. No row: unknown, too old, or tried too often.
CREATE FUNCTION gate.try_pending_sign_in(p_secret_hash bytea, p_tries integer) RETURNS uuid
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ UPDATE pending_sign_in SET tries = tries + 1
    WHERE secret_hash = p_secret_hash AND expires_at > now() AND tries < p_tries RETURNING user_id $$;

-- Ends it; of two at once, one gets the person.
CREATE FUNCTION gate.take_pending_sign_in(p_secret_hash bytea) RETURNS uuid
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ DELETE FROM pending_sign_in WHERE secret_hash = p_secret_hash AND expires_at > now() RETURNING user_id $$;

-- Passkeys ---------------------------------------------------------------------------------------------------------

CREATE FUNCTION gate.make_challenge(p_challenge_hash bytea, p_user uuid, p_lifetime_ms bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM passkey_challenge WHERE expires_at < now();
  INSERT INTO passkey_challenge (challenge_hash, user_id, expires_at)
    VALUES (p_challenge_hash, p_user, now() + p_lifetime_ms * interval '1 ms');
END $$;

-- Uses up a challenge; p_user null: one of signing in.
CREATE FUNCTION gate.take_challenge(p_challenge_hash bytea, p_user uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM passkey_challenge WHERE challenge_hash = p_challenge_hash AND expires_at > now()
    AND user_id IS NOT DISTINCT FROM p_user;
  RETURN FOUND;
END $$;

CREATE FUNCTION gate.passkeys(p_user uuid) RETURNS TABLE (id uuid, name text, credential_id text,
    created_at timestamptz, last_used_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT p.id, p.name, p.credential_id, p.created_at, p.last_used_at FROM passkey p
    WHERE p.user_id = p_user ORDER BY p.created_at, p.id $$;

CREATE FUNCTION gate.passkey(p_credential text) RETURNS TABLE (user_id uuid, public_key bytea, counter bigint)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT p.user_id, p.public_key, p.counter FROM passkey p WHERE p.credential_id = p_credential $$;

-- Null: the credential is somebody's already.
CREATE FUNCTION gate.add_passkey(p_user uuid, p_name text, p_credential text, p_public_key bytea, p_counter bigint)
  RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE made uuid;
BEGIN
  INSERT INTO passkey (user_id, name, credential_id, public_key, counter)
    VALUES (p_user, p_name, p_credential, p_public_key, p_counter) ON CONFLICT DO NOTHING RETURNING id INTO made;
  IF made IS NOT NULL THEN
    PERFORM gate.account_event(p_user, 'account.passkey_added', jsonb_build_object('name', p_name));
  END IF;
  RETURN made;
END $$;

-- Notes a use. False: another use counted further meanwhile, or it is gone.
CREATE FUNCTION gate.use_passkey(p_credential text, p_before bigint, p_after bigint) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE passkey SET counter = p_after, last_used_at = now()
    WHERE credential_id = p_credential AND counter = p_before AND (p_after > p_before OR (p_after = 0 AND p_before = 0));
  RETURN FOUND;
END $$;

CREATE FUNCTION gate.remove_passkey(p_user uuid, p_passkey uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE removed text;
BEGIN
  DELETE FROM passkey WHERE user_id = p_user AND id = p_passkey RETURNING name INTO removed;
  IF removed IS NULL THEN RETURN false; END IF;
  PERFORM gate.account_event(p_user, 'account.passkey_removed', jsonb_build_object('name', removed));
  RETURN true;
END $$;

-- Identities -------------------------------------------------------------------------------------------------------

CREATE FUNCTION gate.identity(p_issuer text, p_subject text) RETURNS uuid
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ UPDATE identity SET last_used_at = now() WHERE issuer = p_issuer AND subject = p_subject RETURNING user_id $$;

CREATE FUNCTION gate.identities(p_user uuid) RETURNS TABLE (issuer text, created_at timestamptz, last_used_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT i.issuer, i.created_at, i.last_used_at FROM identity i WHERE i.user_id = p_user ORDER BY i.created_at $$;

-- Whose the identity is from now on; of two at once, one decides for both.
CREATE FUNCTION gate.link_identity(p_user uuid, p_issuer text, p_subject text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE whose uuid;
BEGIN
  INSERT INTO identity (user_id, issuer, subject) VALUES (p_user, p_issuer, p_subject) ON CONFLICT DO NOTHING;
  SELECT user_id INTO STRICT whose FROM identity WHERE issuer = p_issuer AND subject = p_subject;
  RETURN whose;
END $$;

-- An account without a password, and the identity that signs in to it; of two at once, one makes it and both get it.
-- Null: the address has an account already, of somebody else for all we know.
CREATE FUNCTION gate.create_account(p_user uuid, p_email text, p_name text, p_issuer text, p_subject text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE whose uuid;
BEGIN
  INSERT INTO "user" (id, email, name) VALUES (p_user, lower(p_email), p_name) ON CONFLICT (email) DO NOTHING;
  IF FOUND THEN RETURN gate.link_identity(p_user, p_issuer, p_subject); END IF;
  SELECT user_id INTO whose FROM identity WHERE issuer = p_issuer AND subject = p_subject;
  RETURN whose;
END $$;

-- Whether an invitation in force is for the address. Said to nobody whom a provider has not verified it for.
CREATE FUNCTION gate.is_invited(p_email text) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM invitation i WHERE i.email = lower(p_email) AND i.accepted_at IS NULL
    AND i.revoked_at IS NULL AND i.expires_at > now() AND inviter_may(i.organization_id, i.invited_by, i.role)) $$;

-- What a provider's groups act on: the organization of a slug, and whether the person is in it.
CREATE FUNCTION gate.place(p_user uuid, p_slug text)
  RETURNS TABLE (organization_id uuid, member_id uuid, granted_by text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id, m.id, m.granted_by FROM organization o
    LEFT JOIN membership m ON m.organization_id = o.id AND m.user_id = p_user WHERE o.slug = p_slug $$;

CREATE FUNCTION gate.person(p_user uuid) RETURNS TABLE (name text, email text, memberships integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT u.name, u.email, (SELECT count(*)::integer FROM membership m JOIN organization o ON o.id = m.organization_id
      WHERE m.user_id = u.id AND (NOT o.demo OR NOT gate.setup_done())) FROM "user" u WHERE u.id = p_user $$;

DO $$
DECLARE f regprocedure;
BEGIN
  FOR f IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'gate'::regnamespace AND proname IN (
      'account_event', 'sessions', 'end_sessions', 'password_hash', 'change_password', 'rehash_password',
      'second_factor', 'start_second_factor', 'confirm_second_factor', 'use_code', 'replace_recovery_codes',
      'remove_second_factor', 'open_pending_sign_in', 'try_pending_sign_in', 'take_pending_sign_in',
      'make_challenge', 'take_challenge', 'passkeys', 'passkey', 'add_passkey', 'use_passkey', 'remove_passkey',
      'identity', 'identities', 'link_identity', 'create_account', 'is_invited', 'place', 'person') LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO intray_app', f);
  END LOOP;
END $$;
RESET ROLE;
-- The command line lets somebody in who has lost the phone and the codes.
DO $$
DECLARE owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  EXECUTE format('GRANT EXECUTE ON FUNCTION gate.remove_second_factor(uuid, boolean) TO %I', owner);
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

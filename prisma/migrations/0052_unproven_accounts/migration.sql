-- An account is its person's once somebody has proved its address (docs/decisions/034-unproven-accounts.md). Processes of
-- before write neither column, so that what they make counts as unproven and as not mailed. Accounts that exist are taken
-- as proven.
ALTER TABLE "user"
  ADD COLUMN proven_at timestamptz(3),
  -- Raised when the account is replaced: a sign-in that was checked before opens no session after.
  ADD COLUMN credentials_epoch integer NOT NULL DEFAULT 0;
UPDATE "user" SET proven_at = now();

ALTER TABLE invitation
  -- The link was handed to the mail server and shown to nobody: whoever opens it reads the mail of that address.
  ADD COLUMN mailed boolean NOT NULL DEFAULT false;

ALTER TABLE membership
  -- It was the account's already when somebody proved the address, who may know nothing of the organization: signing in
  -- leads there last.
  ADD COLUMN inherited boolean NOT NULL DEFAULT false;

-- A web process of before that renews a link shows the new one, and knows nothing of `mailed`.
CREATE FUNCTION new_link_is_not_mailed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.mailed := false;
  RETURN NEW;
END $$;
CREATE TRIGGER new_link_is_not_mailed BEFORE UPDATE OF token_hash ON invitation FOR EACH ROW
  WHEN (OLD.token_hash IS DISTINCT FROM NEW.token_hash) EXECUTE FUNCTION new_link_is_not_mailed();

-- What the replacement of an account ends in its organizations, under the policy of every other writer.
GRANT SELECT, DELETE ON oauth_flow TO intray_gate;
GRANT SELECT, UPDATE ON oauth_grant TO intray_gate;
GRANT SELECT (server_id, user_id) ON connection TO intray_gate;
GRANT UPDATE (revoked_at) ON invitation TO intray_gate;
GRANT SELECT (organization_id, id, state, assignee_user_id),
  UPDATE (assignee_user_id, assigned_by, assigned_at, assignment_note) ON input_request TO intray_gate;
GRANT SELECT, DELETE ON claim, acknowledgement TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate, public TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Gives an account that nobody has proved to whoever has proved its address: every way in of the person before is gone.
-- `p_by`: invitation, operator or provider; null: nobody has proved it, and one unproven person follows on another.
-- Memberships stay, as each was given to this address by its organization or by the operator; those that a sign-in
-- provider's group gave were given to its identity, and go with it, but for a last owner's. False: it is proven already.
CREATE FUNCTION gate.replace_account(p_user uuid, p_name text, p_password_hash text, p_by text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  before text := coalesce(current_setting('app.organization_id', true), '');
  account "user"%ROWTYPE;
  place record;
  places jsonb := '[]';
  ended record;
  stays boolean;
BEGIN
  SELECT * INTO account FROM "user" WHERE id = p_user FOR UPDATE;
  IF account.id IS NULL OR account.proven_at IS NOT NULL THEN RETURN false; END IF;
  -- First of all: whoever makes a key or a passkey holds their session meanwhile (gate.hold_session).
  UPDATE session SET revoked_at = now() WHERE user_id = p_user AND revoked_at IS NULL;
  UPDATE api_key SET revoked_at = now() WHERE created_by = p_user AND revoked_at IS NULL;
  UPDATE "user" SET password_hash = p_password_hash, name = coalesce(p_name, name),
    proven_at = CASE WHEN p_by IS NOT NULL THEN now() END, credentials_epoch = credentials_epoch + 1 WHERE id = p_user;
  DELETE FROM passkey WHERE user_id = p_user;
  DELETE FROM passkey_challenge WHERE user_id = p_user;
  DELETE FROM second_factor WHERE user_id = p_user;
  DELETE FROM identity WHERE user_id = p_user;
  DELETE FROM pending_sign_in WHERE user_id = p_user;
  UPDATE password_link SET used_at = now() WHERE user_id = p_user AND used_at IS NULL;
  FOR place IN SELECT m.organization_id, m.id, m.role, m.granted_by FROM membership m WHERE m.user_id = p_user
      ORDER BY m.organization_id LOOP
    PERFORM set_config('app.organization_id', place.organization_id::text, true);
    UPDATE invitation SET revoked_at = now() WHERE organization_id = place.organization_id AND invited_by = p_user
      AND accepted_at IS NULL AND revoked_at IS NULL;
    DELETE FROM oauth_flow WHERE organization_id = place.organization_id AND user_id = p_user;
    FOR ended IN UPDATE oauth_grant g SET state = 'revoked', sealed_tokens = NULL, needed_scope = NULL,
        version = g.version + 1, renews = false, refresh_at = NULL, expires_at = NULL, claimed_until = NULL
        FROM connection c WHERE g.organization_id = place.organization_id AND c.organization_id = g.organization_id
          AND c.id = g.connection_id AND g.state <> 'revoked'
          AND (c.user_id = p_user OR (c.user_id IS NULL AND g.connected_by = p_user))
        RETURNING g.connection_id LOOP
      PERFORM pg_notify('intray_wake', ended.connection_id || ' tokens');
    END LOOP;
    stays := place.granted_by IS NULL OR (place.role = 'owner' AND NOT EXISTS (SELECT FROM membership m
      WHERE m.organization_id = place.organization_id AND m.role = 'owner' AND m.user_id <> p_user));
    IF stays THEN
      UPDATE membership SET inherited = true WHERE organization_id = place.organization_id AND id = place.id;
    ELSE
      UPDATE input_request SET assignee_user_id = NULL, assigned_by = NULL, assigned_at = NULL, assignment_note = NULL
        WHERE organization_id = place.organization_id AND assignee_user_id = p_user AND state = 'open';
      DELETE FROM claim WHERE organization_id = place.organization_id AND user_id = p_user;
      DELETE FROM acknowledgement WHERE organization_id = place.organization_id AND user_id = p_user;
      DELETE FROM membership WHERE organization_id = place.organization_id AND id = place.id;
    END IF;
    -- Their streams end.
    PERFORM pg_notify('intray_change', json_build_object('o', place.organization_id,
      'c', json_build_array(json_build_array('member', place.id)))::text);
    places := places || jsonb_build_array(jsonb_build_object('o', place.organization_id, 'role', place.role, 'stays', stays));
  END LOOP;
  -- The heads of the histories last, in one order for everybody.
  FOR place IN SELECT (p ->> 'o')::uuid AS o, p ->> 'role' AS role, (p ->> 'stays')::boolean AS stays
      FROM jsonb_array_elements(places) WITH ORDINALITY AS each (p, nth) ORDER BY nth LOOP
    PERFORM set_config('app.organization_id', place.o::text, true);
    PERFORM append_event('account.replaced', '{"kind": "system", "id": null, "name": "Intray"}'::jsonb, NULL, NULL,
      jsonb_build_object('userId', p_user, 'name', account.name, 'email', account.email, 'by', p_by));
    IF NOT place.stays THEN
      PERFORM append_event('member.removed', '{"kind": "system", "id": null, "name": "Intray"}'::jsonb, NULL, NULL,
        jsonb_build_object('userId', p_user, 'name', account.name, 'role', place.role));
    END IF;
  END LOOP;
  PERFORM set_config('app.organization_id', before, true);
  RETURN true;
END $$;

-- The invitation behind a link, while it is in force. Reads no account, so that it takes as long with one as without.
CREATE FUNCTION gate.open_invitation(p_token_hash bytea)
  RETURNS TABLE (organization_id uuid, organization_name text, id uuid, email text, role text, inviter text, mailed boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id, o.name, i.id, i.email, i.role, inviter.name, i.mailed
    FROM invitation i JOIN organization o ON o.id = i.organization_id LEFT JOIN "user" inviter ON inviter.id = i.invited_by
    WHERE i.token_hash = p_token_hash AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > now()
      AND inviter_may(i.organization_id, i.invited_by, i.role) AND (NOT o.demo OR NOT gate.setup_done()) $$;

-- Makes the account of somebody who was invited, for the address of the invitation alone; a mailed link proves it, and
-- replaces an account that nobody has proved. So does a shown one where that account belongs to no organization. Null:
-- the invitation is not in force, or the account is another's for all we know.
CREATE FUNCTION gate.join_with_account(p_token_hash bytea, p_user uuid, p_name text, p_password_hash text) RETURNS uuid
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
  IF NOT invited.mailed AND EXISTS (SELECT FROM membership m WHERE m.user_id = account.id) THEN RETURN NULL; END IF;
  PERFORM gate.replace_account(account.id, p_name, p_password_hash, CASE WHEN invited.mailed THEN 'invitation' END);
  RETURN account.id;
END $$;

-- Whether who is signed in may join by that: a proven account may; an unproven one only as its first organization, and
-- only with no way in but a sign-in provider's identity, which has made it.
CREATE FUNCTION gate.may_join(p_user uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE account "user"%ROWTYPE;
BEGIN
  SELECT * INTO account FROM "user" u WHERE u.id = p_user FOR NO KEY UPDATE;
  RETURN account.proven_at IS NOT NULL OR (account.id IS NOT NULL AND account.password_hash IS NULL
    AND NOT EXISTS (SELECT FROM passkey p WHERE p.user_id = p_user)
    AND NOT EXISTS (SELECT FROM membership m WHERE m.user_id = p_user));
END $$;

-- Behind that, for processes of before too: people and the operator attach no unproven account to a second organization.
CREATE FUNCTION refuse_unproven_elsewhere() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM "user" u WHERE u.id = NEW.user_id AND u.proven_at IS NULL) AND EXISTS (SELECT FROM membership m
      WHERE m.user_id = NEW.user_id AND m.organization_id <> NEW.organization_id) THEN
    RAISE EXCEPTION 'nobody has proved the address of this account, which belongs to another organization'
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;

-- What a sign-in has to know of the account of an address.
CREATE FUNCTION gate.account_by_email(p_email text)
  RETURNS TABLE (user_id uuid, password_hash text, proven boolean, epoch integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT u.id, u.password_hash, u.proven_at IS NOT NULL, u.credentials_epoch FROM "user" u
    WHERE u.email = lower(p_email) $$;

CREATE FUNCTION gate.credentials_epoch(p_user uuid) RETURNS integer
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT u.credentials_epoch FROM "user" u WHERE u.id = p_user $$;

-- Keeps a session from ending before the transaction does, which makes another way in. False: it has ended.
CREATE FUNCTION gate.hold_session(p_session uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM session s WHERE s.id = p_session AND s.revoked_at IS NULL FOR SHARE;
  RETURN FOUND;
END $$;

-- As gate.add_passkey of 0012, by a session that is in force still. Null also where it is not.
CREATE FUNCTION gate.add_passkey(p_user uuid, p_name text, p_credential text, p_public_key bytea, p_counter bigint,
    p_session uuid) RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT gate.hold_session(p_session) THEN RETURN NULL; END IF;
  RETURN gate.add_passkey(p_user, p_name, p_credential, p_public_key, p_counter);
END $$;

-- As 0048 and 0011, but for the order.
CREATE OR REPLACE FUNCTION gate.session(p_secret_hash bytea, p_idle_ms bigint, p_touch boolean)
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
    ORDER BY (o.id = opened.chosen_organization) IS TRUE DESC, m.inherited, m.created_at, o.id LIMIT 1;
END $$;
CREATE OR REPLACE FUNCTION gate.organizations_of(p_user uuid) RETURNS TABLE (id uuid, slug text, name text, role text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id, o.slug, o.name, m.role FROM membership m JOIN organization o ON o.id = m.organization_id
    WHERE m.user_id = p_user AND (NOT o.demo OR NOT gate.setup_done()) ORDER BY m.inherited, m.created_at, o.id $$;

-- Identities -------------------------------------------------------------------------------------------------------

-- Whose the identity is from now on; of two at once, one decides for both.
CREATE FUNCTION gate.keep_identity(p_user uuid, p_issuer text, p_subject text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE whose uuid;
BEGIN
  INSERT INTO identity (user_id, issuer, subject) VALUES (p_user, p_issuer, p_subject) ON CONFLICT DO NOTHING;
  SELECT user_id INTO STRICT whose FROM identity WHERE issuer = p_issuer AND subject = p_subject;
  RETURN whose;
END $$;

-- To a proven account alone, also for web processes of before. Null: nobody has proved it.
CREATE OR REPLACE FUNCTION gate.link_identity(p_user uuid, p_issuer text, p_subject text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM "user" u WHERE u.id = p_user AND u.proven_at IS NOT NULL FOR SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  RETURN gate.keep_identity(p_user, p_issuer, p_subject);
END $$;

-- A provider that is trusted for the address has proved it: the account is its person's. Null: it is proven already.
CREATE FUNCTION gate.replace_by_identity(p_user uuid, p_name text, p_issuer text, p_subject text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT gate.replace_account(p_user, p_name, NULL, 'provider') THEN RETURN NULL; END IF;
  RETURN gate.keep_identity(p_user, p_issuer, p_subject);
END $$;

-- The same for an account that this very identity has made: it has no other person.
CREATE FUNCTION gate.prove_by_identity(p_user uuid, p_email text) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ UPDATE "user" SET proven_at = now() WHERE id = p_user AND email = lower(p_email) AND proven_at IS NULL $$;

CREATE FUNCTION gate.create_account(p_user uuid, p_email text, p_name text, p_issuer text, p_subject text, p_proven boolean)
  RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE whose uuid;
BEGIN
  INSERT INTO "user" (id, email, name, proven_at)
    VALUES (p_user, lower(p_email), p_name, CASE WHEN p_proven THEN now() END) ON CONFLICT (email) DO NOTHING;
  IF FOUND THEN RETURN gate.keep_identity(p_user, p_issuer, p_subject); END IF;
  SELECT user_id INTO whose FROM identity WHERE issuer = p_issuer AND subject = p_subject;
  RETURN whose;
END $$;

-- For web processes of before, which do not know which domains a provider is trusted for.
CREATE OR REPLACE FUNCTION gate.create_account(p_user uuid, p_email text, p_name text, p_issuer text, p_subject text)
  RETURNS uuid LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT gate.create_account(p_user, p_email, p_name, p_issuer, p_subject, false) $$;

-- The operator's word -----------------------------------------------------------------------------------------------

-- As 0049. A link is made by the operator alone, so that who uses it is the person of the address.
CREATE OR REPLACE FUNCTION gate.set_password(p_token_hash bytea, p_password_hash text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE found_user uuid;
BEGIN
  SELECT user_id INTO found_user FROM password_link WHERE token_hash = p_token_hash;
  -- Two links at once take turns at the person, so that one of them wins.
  PERFORM FROM "user" WHERE id = found_user FOR UPDATE;
  UPDATE password_link SET used_at = now() WHERE token_hash = p_token_hash AND used_at IS NULL AND expires_at > now();
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF gate.replace_account(found_user, NULL, p_password_hash, 'operator') THEN RETURN found_user; END IF;
  UPDATE password_link SET used_at = now() WHERE user_id = found_user AND used_at IS NULL;
  UPDATE "user" SET password_hash = p_password_hash WHERE id = found_user;
  UPDATE session SET revoked_at = now() WHERE user_id = found_user AND revoked_at IS NULL;
  DELETE FROM pending_sign_in WHERE user_id = found_user;
  PERFORM gate.account_event(found_user, 'account.password_changed', '{"byLink": true}');
  RETURN found_user;
END $$;

-- As 0001: whoever has the setup token speaks for the operator.
CREATE OR REPLACE FUNCTION gate.set_up(p_organization uuid, p_slug text, p_organization_name text, p_user uuid, p_email text,
    p_name text, p_password_hash text, p_membership uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('intray.set_up'));
  IF NOT gate.setup_possible() THEN RETURN false; END IF;
  INSERT INTO organization (id, slug, name, set_up) VALUES (p_organization, p_slug, p_organization_name, true);
  INSERT INTO "user" (id, email, name, password_hash, proven_at) VALUES (p_user, p_email, p_name, p_password_hash, now());
  INSERT INTO membership (organization_id, id, user_id, role) VALUES (p_organization, p_membership, p_user, 'owner');
  UPDATE session SET revoked_at = now() WHERE revoked_at IS NULL AND user_id IN (
    SELECT m.user_id FROM membership m JOIN organization o ON o.id = m.organization_id WHERE o.demo);
  UPDATE api_key SET revoked_at = now() WHERE revoked_at IS NULL AND organization_id IN (
    SELECT id FROM organization WHERE demo);
  RETURN true;
END $$;

-- Accounts that a shown link has made, in the very transaction that took the invitation, and that are in several
-- organizations: what the operator may want to look at after this migration, which takes all accounts as proven.
CREATE FUNCTION gate.accounts_made_by_link() RETURNS TABLE (email text, organizations text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT u.email, string_agg(o.slug, ', ' ORDER BY m.created_at, o.slug) FROM "user" u
    JOIN membership m ON m.user_id = u.id JOIN organization o ON o.id = m.organization_id
    WHERE EXISTS (SELECT FROM invitation i WHERE i.email = u.email AND i.accepted_at = u.created_at AND NOT i.mailed)
    GROUP BY u.id HAVING count(*) > 1 ORDER BY u.email $$;

DO $$
DECLARE f regprocedure;
BEGIN
  FOR f IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'gate'::regnamespace AND proname IN (
      'replace_account', 'accounts_made_by_link', 'open_invitation', 'join_with_account', 'may_join', 'account_by_email', 'credentials_epoch',
      'hold_session', 'add_passkey', 'keep_identity', 'link_identity', 'replace_by_identity', 'prove_by_identity',
      'create_account') LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
    IF f::text !~ '(replace_account|keep_identity|accounts_made_by_link)' THEN EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO intray_app', f); END IF;
  END LOOP;
  REVOKE ALL ON FUNCTION refuse_unproven_elsewhere() FROM PUBLIC;
END $$;
RESET ROLE;
CREATE TRIGGER refuse_unproven_elsewhere BEFORE INSERT ON membership FOR EACH ROW WHEN (NEW.granted_by IS NULL)
  EXECUTE FUNCTION refuse_unproven_elsewhere();
-- The command line makes people members on the operator's word, and lists accounts.
DO $$
DECLARE owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  EXECUTE format('GRANT EXECUTE ON FUNCTION gate.replace_account(uuid, text, text, text), gate.accounts_made_by_link() TO %I', owner);
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA gate, public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

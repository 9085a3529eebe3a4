-- Tries to sign in are counted by pairs of an account and a network (or browser), by account and by network: pauses,
-- never locks (docs/decisions/035-pauses-not-locks.md). And the history of an account is its own.

-- What tries are counted by, under a keyed hash: whether an account has the address is not told by the row.
CREATE TABLE sign_in_try (
  key bytea PRIMARY KEY CHECK (length(key) = 32),
  -- Of 4,096 places, by the hash. A place has 16 rows at most, and so the table 65,536.
  place integer NOT NULL GENERATED ALWAYS AS ((get_byte(key, 0) << 4) | (get_byte(key, 1) >> 4)) STORED,
  -- Of a pair: wrong tries in a row.
  wrong integer NOT NULL DEFAULT 0,
  tried_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Of an account or a network: when its allowance is whole again.
  full_at timestamptz NOT NULL DEFAULT '-infinity'
);
CREATE INDEX sign_in_try_by_place ON sign_in_try (place, tried_at);
CREATE INDEX sign_in_try_by_time ON sign_in_try (tried_at);

-- Networks and browsers that an account has signed in from.
CREATE TABLE known_place (
  user_id uuid NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('network', 'browser')),
  -- A network as people write it (192.0.2.7, 2001:db8::/64), a browser by the hash of its cookie.
  name text NOT NULL,
  last_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, kind, name)
);
CREATE INDEX known_place_by_time ON known_place (last_at);

-- What happened to an account. It is the person's: an organization has its own history.
CREATE TABLE account_event (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
  type text NOT NULL,
  data jsonb NOT NULL,
  -- Refused sign-ins of one kind within an hour are one row.
  times integer NOT NULL DEFAULT 1,
  at timestamptz(3) NOT NULL DEFAULT now(),
  last_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX account_event_by_user ON account_event (user_id, at DESC);
CREATE INDEX account_event_by_time ON account_event (at);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['sign_in_try', 'known_place', 'account_event'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY gate ON %I TO intray_gate USING (true) WITH CHECK (true)', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO intray_gate', name);
  END LOOP;
END $$;

-- Networks of sessions that were opened before, so that nobody is new in their own office.
DO $$
DECLARE
  one record;
  ip inet;
BEGIN
  FOR one IN SELECT user_id, address, max(created_at) AS last_at FROM session
      WHERE address IS NOT NULL AND method <> 'demo' GROUP BY user_id, address LOOP
    BEGIN
      ip := one.address::inet;
      INSERT INTO known_place (user_id, kind, name, last_at) VALUES (one.user_id, 'network',
        CASE family(ip) WHEN 4 THEN host(ip) ELSE host(network(set_masklen(ip, 64))) || '/64' END, one.last_at)
        ON CONFLICT DO NOTHING;
    EXCEPTION WHEN invalid_text_representation THEN NULL;
    END;
  END LOOP;
END $$;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate, public TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Locks a row of tries until the end of the transaction, making it if there is none, and keeps its place small.
CREATE FUNCTION gate.lock_tries(p_key bytea) RETURNS sign_in_try
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE found_row sign_in_try;
BEGIN
  INSERT INTO sign_in_try AS t (key) VALUES (p_key) ON CONFLICT (key) DO UPDATE SET wrong = t.wrong
    RETURNING * INTO found_row;
  DELETE FROM sign_in_try WHERE key IN (SELECT key FROM sign_in_try
    WHERE place = found_row.place AND key <> p_key ORDER BY tried_at DESC OFFSET 15 FOR UPDATE SKIP LOCKED);
  RETURN found_row;
END $$;

-- Counts a try to sign in as wrong before it is looked at, so that many at once are no more than one after the other;
-- gate.was_right takes that back. wait_ms > 0: it has to wait, and nothing was counted. `known`: the account has signed
-- in from this network or browser before, so that neither the account's nor the network's allowance is asked.
CREATE FUNCTION gate.begin_try(p_email text, p_account bytea, p_network bytea, p_network_name text, p_browser text,
    p_free integer, p_first_ms bigint, p_most_ms bigint, p_most_known_ms bigint,
    p_account_tries integer, p_account_every_ms bigint, p_network_tries integer, p_network_every_ms bigint)
  RETURNS TABLE (wait_ms bigint, pair bytea, known boolean, user_id uuid)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  whose uuid;
  known_browser boolean;
  known_network boolean;
  moment timestamptz;
  of_network sign_in_try;
  of_account sign_in_try;
  of_pair sign_in_try;
  next_at timestamptz;
BEGIN
  SELECT u.id INTO whose FROM "user" u WHERE u.email = p_email;
  known_browser := EXISTS (SELECT FROM known_place k
    WHERE k.user_id = whose AND k.kind = 'browser' AND k.name = p_browser);
  known_network := EXISTS (SELECT FROM known_place k
    WHERE k.user_id = whose AND k.kind = 'network' AND k.name = p_network_name);
  user_id := whose;
  known := known_browser OR known_network;
  -- A browser of the account's has a row of its own, which nobody else of its network adds to.
  pair := sha256(p_account || CASE WHEN known_browser THEN convert_to(p_browser, 'UTF8') ELSE p_network END);
  -- Rows are locked in one order (network, account, pair), so that two tries never wait for each other.
  IF NOT known THEN
    of_network := gate.lock_tries(p_network);
    of_account := gate.lock_tries(p_account);
  END IF;
  of_pair := gate.lock_tries(pair);
  moment := clock_timestamp();
  next_at := CASE WHEN of_pair.wrong < p_free THEN moment ELSE of_pair.tried_at + least(
    p_first_ms * 2 ^ least(of_pair.wrong - p_free, 30), CASE WHEN known THEN p_most_known_ms ELSE p_most_ms END)
    * interval '1 ms' END;
  IF NOT known THEN
    next_at := greatest(next_at,
      of_account.full_at - (p_account_tries - 1) * p_account_every_ms * interval '1 ms',
      of_network.full_at - (p_network_tries - 1) * p_network_every_ms * interval '1 ms');
  END IF;
  wait_ms := greatest(0, ceil(extract(epoch FROM next_at - moment) * 1000))::bigint;
  IF wait_ms = 0 THEN
    UPDATE sign_in_try SET wrong = wrong + 1, tried_at = moment WHERE key = of_pair.key;
    IF NOT known THEN
      UPDATE sign_in_try SET full_at = greatest(full_at, moment) + p_account_every_ms * interval '1 ms',
        tried_at = moment WHERE key = p_account;
      UPDATE sign_in_try SET full_at = greatest(full_at, moment) + p_network_every_ms * interval '1 ms',
        tried_at = moment WHERE key = p_network;
    END IF;
  END IF;
  RETURN NEXT;
END $$;

-- Takes a try back that was right: the pair begins anew, and account and network get back what it took.
CREATE FUNCTION gate.was_right(p_pair bytea, p_known boolean, p_account bytea, p_account_every_ms bigint,
    p_network bytea, p_network_every_ms bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT p_known THEN
    UPDATE sign_in_try SET full_at = full_at - p_network_every_ms * interval '1 ms' WHERE key = p_network;
    UPDATE sign_in_try SET full_at = full_at - p_account_every_ms * interval '1 ms' WHERE key = p_account;
  END IF;
  DELETE FROM sign_in_try WHERE key = p_pair;
END $$;

-- How long a code of the app has to wait after gate.try_app_code refused one, by its numbers.
CREATE FUNCTION gate.app_code_wait(p_user uuid, p_free integer, p_first_ms bigint, p_most_ms bigint) RETURNS bigint
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT coalesce((SELECT ceil(extract(epoch FROM f.tried_at
      + least(p_first_ms * 2 ^ least(f.wrong_codes - p_free, 30), p_most_ms) * interval '1 ms' - now()) * 1000)::bigint
    FROM second_factor f WHERE f.user_id = p_user AND f.wrong_codes >= p_free), 0) $$;

-- Adds to the account's own history. An organization's gets what happened for it alone: sessions that work in it.
CREATE OR REPLACE FUNCTION gate.account_event(p_user uuid, p_type text, p_data jsonb) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF p_type = 'session.refused' THEN
    -- By turns, so that two at once are one row.
    PERFORM pg_advisory_xact_lock(hashtextextended('account_event ' || p_user::text, 0));
    UPDATE account_event SET times = times + 1, last_at = now() WHERE user_id = p_user AND type = p_type
      AND data = p_data AND at > now() - interval '1 hour';
    IF FOUND THEN RETURN; END IF;
  END IF;
  INSERT INTO account_event (user_id, type, data) SELECT u.id, p_type, p_data FROM "user" u WHERE u.id = p_user;
  -- Who signs in all day long has a shorter history.
  DELETE FROM account_event WHERE id IN (SELECT e.id FROM account_event e WHERE e.user_id = p_user
    ORDER BY e.at DESC OFFSET 2000 LIMIT 10);
END $$;

-- A line in the history of one organization, in the name of a member of it. Call it last, as append_event.
CREATE FUNCTION gate.session_event(p_user uuid, p_organization uuid, p_type text, p_data jsonb) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE before text := coalesce(current_setting('app.organization_id', true), '');
BEGIN
  PERFORM set_config('app.organization_id', p_organization::text, true);
  PERFORM append_event(p_type, jsonb_build_object('kind', 'member', 'id', u.id, 'name', u.name), NULL, NULL, p_data)
    FROM "user" u JOIN membership m ON m.user_id = u.id AND m.organization_id = p_organization WHERE u.id = p_user;
  PERFORM set_config('app.organization_id', before, true);
END $$;

-- The organization that a session of the person's works in, as gate.session chooses it; null: none.
CREATE FUNCTION gate.place_of_session(p_user uuid, p_chosen uuid) RETURNS uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id FROM membership m JOIN organization o ON o.id = m.organization_id
    WHERE m.user_id = p_user AND (NOT o.demo OR NOT gate.setup_done())
    ORDER BY (o.id = p_chosen) IS TRUE DESC, m.inherited, m.created_at, o.id LIMIT 1 $$;

-- Notes that sessions ended in the account's history, and in those of the organizations that they worked in.
CREATE FUNCTION gate.sessions_ended(p_user uuid, p_chosen uuid[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE place record;
BEGIN
  PERFORM gate.account_event(p_user, 'session.ended', jsonb_build_object('count', cardinality(p_chosen)));
  -- In one order for everybody, so that two who write to the same heads never wait for each other.
  FOR place IN SELECT worked.id, count(*) AS ended FROM unnest(p_chosen) AS chosen,
      gate.place_of_session(p_user, chosen) AS worked (id) WHERE worked.id IS NOT NULL GROUP BY 1 ORDER BY 1 LOOP
    PERFORM gate.session_event(p_user, place.id, 'session.ended', jsonb_build_object('count', place.ended));
  END LOOP;
END $$;

-- Opens a session. A network or browser that the account never signed in from is noted, and said: nothing is new where
-- the account has none so far. p_network and p_browser null: nothing is known of them. p_epoch: the account's, as it was
-- before the sign-in was checked; null: not known. Returns null if the account was replaced since.
CREATE FUNCTION gate.open_session(p_secret_hash bytea, p_user uuid, p_lifetime_ms bigint, p_method text,
    p_user_agent text, p_address text, p_network text, p_browser text, p_epoch integer) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  opened uuid;
  place uuid;
  is_new boolean := false;
  one record;
BEGIN
  -- Waits for a replacement that is under way.
  PERFORM FROM "user" u WHERE u.id = p_user AND u.credentials_epoch = coalesce(p_epoch, u.credentials_epoch) FOR SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  INSERT INTO session (secret_hash, user_id, expires_at, method, user_agent, address)
    VALUES (p_secret_hash, p_user, now() + p_lifetime_ms * interval '1 ms', p_method, p_user_agent, p_address)
    RETURNING id INTO opened;
  IF p_method <> 'demo' THEN
    FOR one IN SELECT * FROM (VALUES ('network', p_network), ('browser', p_browser)) AS seen (kind, name)
        WHERE seen.name IS NOT NULL LOOP
      is_new := is_new OR (EXISTS (SELECT FROM known_place k WHERE k.user_id = p_user AND k.kind = one.kind)
        AND NOT EXISTS (SELECT FROM known_place k
          WHERE k.user_id = p_user AND k.kind = one.kind AND k.name = one.name));
      INSERT INTO known_place AS k (user_id, kind, name) VALUES (p_user, one.kind, one.name)
        ON CONFLICT (user_id, kind, name) DO UPDATE SET last_at = now();
      DELETE FROM known_place WHERE user_id = p_user AND kind = one.kind AND name IN (SELECT k.name FROM known_place k
        WHERE k.user_id = p_user AND k.kind = one.kind ORDER BY k.last_at DESC OFFSET 50);
    END LOOP;
  END IF;
  PERFORM gate.account_event(p_user, 'session.opened', jsonb_build_object('method', p_method, 'address', p_address)
    || CASE WHEN is_new THEN jsonb_build_object('new', true, 'browser', p_user_agent) ELSE '{}' END);
  place := gate.place_of_session(p_user, NULL);
  IF place IS NOT NULL THEN
    PERFORM gate.session_event(p_user, place, 'session.opened',
      jsonb_build_object('method', p_method, 'address', p_address));
  END IF;
  RETURN opened;
END $$;

-- For web processes of before.
CREATE OR REPLACE FUNCTION gate.create_session(p_secret_hash bytea, p_user uuid, p_lifetime_ms bigint, p_method text,
    p_user_agent text, p_address text) RETURNS uuid
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT gate.open_session(p_secret_hash, p_user, p_lifetime_ms, p_method, p_user_agent, p_address, NULL, NULL, NULL) $$;

-- The organization that the session comes to is told of it, as the one that it was opened in was.
CREATE OR REPLACE FUNCTION gate.choose_organization(p_session uuid, p_organization uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE opened session%ROWTYPE;
BEGIN
  SELECT * INTO opened FROM session s WHERE s.id = p_session AND s.revoked_at IS NULL FOR UPDATE;
  IF opened.id IS NULL OR NOT EXISTS (
    SELECT FROM gate.organizations_of(opened.user_id) mine WHERE mine.id = p_organization) THEN RETURN false; END IF;
  UPDATE session SET chosen_organization = p_organization WHERE id = p_session;
  IF gate.place_of_session(opened.user_id, opened.chosen_organization) IS DISTINCT FROM p_organization THEN
    PERFORM gate.session_event(opened.user_id, p_organization, 'session.opened',
      jsonb_build_object('method', opened.method, 'address', opened.address));
  END IF;
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION gate.revoke_session(p_secret_hash bytea) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE ended session%ROWTYPE;
BEGIN
  UPDATE session SET revoked_at = now() WHERE secret_hash = p_secret_hash AND revoked_at IS NULL RETURNING * INTO ended;
  IF ended.id IS NOT NULL THEN PERFORM gate.sessions_ended(ended.user_id, ARRAY[ended.chosen_organization]); END IF;
END $$;

CREATE OR REPLACE FUNCTION gate.end_sessions(p_user uuid, p_session uuid, p_others boolean) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE chosen uuid[];
BEGIN
  WITH ended AS (UPDATE session SET revoked_at = now() WHERE user_id = p_user AND revoked_at IS NULL
      AND expires_at > now() AND (id = p_session) <> p_others RETURNING chosen_organization)
    SELECT coalesce(array_agg(chosen_organization), '{}') INTO chosen FROM ended;
  IF cardinality(chosen) > 0 THEN PERFORM gate.sessions_ended(p_user, chosen); END IF;
  RETURN cardinality(chosen);
END $$;

-- Networks and browsers of the person before are new to the person that the account is given to.
CREATE FUNCTION forget_places() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM known_place WHERE user_id = NEW.id;
  RETURN NULL;
END $$;

-- What happened to the account lately, newest first.
CREATE FUNCTION gate.account_events(p_user uuid, p_most integer)
  RETURNS TABLE (id uuid, type text, data jsonb, times integer, at timestamptz, last_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT e.id, e.type, e.data, e.times, e.at, e.last_at FROM account_event e WHERE e.user_id = p_user
    ORDER BY e.at DESC, e.id LIMIT p_most $$;

-- Also forgets tries after a day, networks and browsers and what happened to accounts after 90, refused sign-ins after 30.
CREATE OR REPLACE FUNCTION gate.sweep_throttle() RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE gone integer;
BEGIN
  DELETE FROM throttle WHERE key IN (SELECT key FROM throttle
    WHERE window_started_at < now() - interval '10 minutes'
      AND (key LIKE 'calls %' OR window_started_at < now() - interval '1 day')
    LIMIT 5000 FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS gone = ROW_COUNT;
  DELETE FROM sign_in_try WHERE key IN (SELECT key FROM sign_in_try WHERE tried_at < now() - interval '1 day'
    LIMIT 5000 FOR UPDATE SKIP LOCKED);
  DELETE FROM known_place WHERE (user_id, kind, name) IN (SELECT user_id, kind, name FROM known_place
    WHERE last_at < now() - interval '90 days' LIMIT 1000 FOR UPDATE SKIP LOCKED);
  DELETE FROM account_event WHERE id IN (SELECT id FROM account_event WHERE at < now() - interval '30 days'
    AND (type = 'session.refused' OR at < now() - interval '90 days') LIMIT 1000 FOR UPDATE SKIP LOCKED);
  RETURN gone;
END $$;

DO $$
DECLARE f regprocedure;
BEGIN
  FOR f IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'gate'::regnamespace AND proname IN (
      'lock_tries', 'begin_try', 'was_right', 'app_code_wait', 'session_event', 'place_of_session', 'sessions_ended',
      'open_session', 'account_events') LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
    IF f::text !~ 'lock_tries|session_event|place_of_session|sessions_ended' THEN
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO intray_app', f);
    END IF;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION forget_places() FROM PUBLIC;
RESET ROLE;
CREATE TRIGGER forget_places AFTER UPDATE OF credentials_epoch ON "user" FOR EACH ROW
  WHEN (OLD.credentials_epoch <> NEW.credentials_epoch) EXECUTE FUNCTION forget_places();
REVOKE CREATE ON SCHEMA gate, public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- A person is told what concerns the safety of their account: in the app, whichever organization they work in, and by
-- mail to the account's address. Made with the change itself; no preference, undo or end of a membership takes it back.
CREATE TABLE account_notice (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
  cause text NOT NULL,
  -- The name of a passkey, the browser and address of a session: texts of whoever was there.
  data jsonb NOT NULL,
  -- How many more of this cause there were within a day.
  more integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  read_at timestamptz(3),
  -- The account's address when it happened.
  address text NOT NULL,
  mail_state text NOT NULL DEFAULT 'waiting' CHECK (mail_state IN ('waiting', 'sent', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamptz(3) NOT NULL DEFAULT now(),
  mail_error text
);
CREATE INDEX account_notice_by_user ON account_notice (user_id, created_at DESC);
CREATE INDEX account_notice_waiting ON account_notice (not_before) WHERE mail_state = 'waiting';
CREATE INDEX account_notice_by_time ON account_notice (created_at);

ALTER TABLE account_notice ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON account_notice TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON account_notice TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- At most five rows of a cause, and so five mails, in a day for one account; those after them are counted on the fifth.
CREATE FUNCTION gate.tell_person(p_user uuid, p_cause text, p_data jsonb) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE newest uuid[];
BEGIN
  -- By turns, so that two at once are not six.
  PERFORM pg_advisory_xact_lock(hashtextextended('account_notice ' || p_user::text, 0));
  SELECT array_agg(n.id ORDER BY n.created_at DESC) INTO newest FROM account_notice n
    WHERE n.user_id = p_user AND n.cause = p_cause AND n.created_at > now() - interval '1 day';
  IF cardinality(newest) >= 5 THEN
    UPDATE account_notice SET more = more + 1, read_at = NULL WHERE id = newest[1];
  ELSE
    INSERT INTO account_notice (user_id, cause, data, address)
      SELECT u.id, p_cause, p_data, u.email FROM "user" u WHERE u.id = p_user;
  END IF;
END $$;

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
  IF p_type LIKE 'account.%' THEN
    PERFORM gate.tell_person(p_user, p_type, p_data);
  ELSIF p_type = 'session.opened' AND p_data ? 'new' THEN
    PERFORM gate.tell_person(p_user, 'account.new_sign_in', p_data - 'new');
  END IF;
END $$;

-- What the person is told of the account. A few hundred at most: five of a cause in a day, for 90 days, and 200 shown.
-- can_read: the session was opened after it.
CREATE FUNCTION gate.account_notices(p_user uuid, p_session uuid) RETURNS TABLE (id uuid, cause text, data jsonb,
    more integer, created_at timestamptz, read_at timestamptz, can_read boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT n.id, n.cause, n.data, n.more, n.created_at, n.read_at, EXISTS (SELECT FROM session s
      WHERE s.id = p_session AND s.user_id = p_user AND s.created_at > n.created_at)
    FROM account_notice n WHERE n.user_id = p_user ORDER BY n.created_at DESC LIMIT 200 $$;

-- Marks one as read, for a session that was opened after it: a session that did the thing, or was there, can't hide it.
-- Null: there is none. False: it stays unread.
CREATE FUNCTION gate.read_account_notice(p_user uuid, p_notice uuid, p_session uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM account_notice n WHERE n.user_id = p_user AND n.id = p_notice) THEN RETURN NULL; END IF;
  UPDATE account_notice n SET read_at = coalesce(n.read_at, now()) FROM session s WHERE n.user_id = p_user
    AND n.id = p_notice AND s.id = p_session AND s.user_id = p_user AND s.created_at > n.created_at;
  RETURN FOUND;
END $$;

-- People whose mail is due; none is sent that is older than a day.
CREATE FUNCTION gate.people_with_mail() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT n.user_id FROM account_notice n WHERE n.mail_state = 'waiting' AND n.not_before <= now()
    AND n.created_at > now() - interval '1 day' $$;

-- Claims one mail of a person's for a while. Another engine may send it again when the claim is over.
CREATE FUNCTION gate.take_account_mail(p_user uuid, p_claim_ms bigint) RETURNS TABLE (id uuid, attempt integer,
    name text, address text, cause text, data jsonb, is_last boolean, created_at timestamptz)
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ WITH taken AS (UPDATE account_notice n SET attempts = n.attempts + 1,
      not_before = now() + p_claim_ms * interval '1 ms' WHERE n.id = (SELECT due.id FROM account_notice due
        WHERE due.user_id = p_user AND due.mail_state = 'waiting' AND due.not_before <= now()
          AND due.created_at > now() - interval '1 day' ORDER BY due.created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING n.*)
    SELECT t.id, t.attempts, u.name, t.address, t.cause, t.data, (SELECT count(*) >= 5 FROM account_notice o
      WHERE o.user_id = t.user_id AND o.cause = t.cause AND o.created_at <= t.created_at
        AND o.created_at > t.created_at - interval '1 day'), t.created_at
    FROM taken t JOIN "user" u ON u.id = t.user_id $$;

-- Ends an attempt: `sent`, `failed` for good, or `waiting` for p_wait_ms more.
CREATE FUNCTION gate.end_account_mail(p_notice uuid, p_attempt integer, p_state text, p_error text, p_wait_ms bigint)
  RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ UPDATE account_notice SET mail_state = p_state, mail_error = p_error,
      not_before = now() + p_wait_ms * interval '1 ms'
    WHERE id = p_notice AND attempts = p_attempt AND mail_state = 'waiting' $$;

-- Forgets what was told 90 days ago.
CREATE FUNCTION gate.sweep_account_notices() RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE gone integer;
BEGIN
  DELETE FROM account_notice WHERE id IN (SELECT id FROM account_notice WHERE created_at < now() - interval '90 days'
    LIMIT 1000 FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;

DO $$
DECLARE f regprocedure;
BEGIN
  FOR f IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'gate'::regnamespace AND proname IN (
      'tell_person', 'account_notices', 'read_account_notice', 'people_with_mail', 'take_account_mail',
      'end_account_mail', 'sweep_account_notices') LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION gate.account_notices(uuid, uuid), gate.read_account_notice(uuid, uuid, uuid) TO intray_app;
GRANT EXECUTE ON FUNCTION gate.people_with_mail(), gate.take_account_mail(uuid, bigint),
  gate.end_account_mail(uuid, integer, text, text, bigint), gate.sweep_account_notices() TO intray_engine;
RESET ROLE;
-- Tests and the command line read as the owner.
DO $$
DECLARE owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  EXECUTE format('GRANT EXECUTE ON FUNCTION gate.account_notices(uuid, uuid) TO %I', owner);
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

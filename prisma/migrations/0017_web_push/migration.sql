-- Push notifications on a member's devices (docs/decisions/093).

-- Whether push notifications may carry the text of questions; the member chooses it too, for each device.
ALTER TABLE organization ADD COLUMN push_text boolean NOT NULL DEFAULT false;
-- To be pushed from then on; null: not to be.
ALTER TABLE notice ADD COLUMN push_after timestamptz(3);
-- Null: as the default of the kind.
ALTER TABLE notice_preference ADD COLUMN push boolean;

-- The key by which push services recognize this installation (VAPID, RFC 8292). Made once: browsers subscribe to this key.
CREATE TABLE push_key (
  id uuid PRIMARY KEY,
  public_key text NOT NULL,
  sealed_private_key text NOT NULL,
  made_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX push_key_one ON push_key ((true));

-- A browser that shows a member's notices as push notifications. It goes with the membership, and with its session's end.
CREATE TABLE push_device (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- The session that added the device, or used it last.
  session_id uuid NOT NULL,
  user_agent text,
  -- {endpoint, p256dh, auth}: anybody who has them can reach the browser's push service.
  sealed_subscription text NOT NULL,
  endpoint_digest bytea NOT NULL,
  shows_text boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  seen_at timestamptz(3) NOT NULL DEFAULT now(),
  -- The notifications that the device shows, or will with the message that is on its way (push-state.ts).
  shown jsonb NOT NULL DEFAULT '{"version": 0, "keys": [], "items": []}',
  -- Something may have changed by then; null: the device shows everything.
  due_at timestamptz(3),
  -- Not to be sent before: an engine is sending, the push service failed, or the last message was just sent.
  not_before timestamptz(3) NOT NULL DEFAULT now(),
  -- Since the push service last took a message.
  attempts integer NOT NULL DEFAULT 0,
  failing_since timestamptz(3),
  error text,
  sent_at timestamptz(3),
  -- A test that the member asked for, and when the device said that it showed it.
  test_id uuid,
  test_asked_at timestamptz(3),
  test_sent_at timestamptz(3),
  test_shown_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, user_id, endpoint_digest),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, user_id) REFERENCES membership (organization_id, user_id) ON DELETE CASCADE,
  FOREIGN KEY (session_id) REFERENCES session (id) ON DELETE CASCADE,
  CHECK ((test_id IS NULL) = (test_asked_at IS NULL) AND (test_sent_at IS NULL OR test_id IS NOT NULL)
    AND (test_shown_at IS NULL OR test_sent_at IS NOT NULL)),
  CHECK ((failing_since IS NULL) = (error IS NULL))
);
CREATE INDEX push_device_due ON push_device (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX push_device_by_session ON push_device (session_id);

ALTER TABLE push_key ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON push_key TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON push_key TO intray_gate;

ALTER TABLE push_device ENABLE ROW LEVEL SECURITY;
ALTER TABLE push_device FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON push_device USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON push_device TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, DELETE, UPDATE (session_id, user_agent, sealed_subscription, shows_text, seen_at, due_at, not_before, test_id,
  test_asked_at, test_sent_at, test_shown_at) ON push_device TO intray_app;
GRANT SELECT, DELETE, UPDATE (shown, due_at, not_before, attempts, failing_since, error, sent_at, test_sent_at) ON push_device
  TO intray_engine;
GRANT SELECT (organization_id, session_id, due_at, not_before), DELETE ON push_device TO intray_gate;

-- A device is due with every change to what its member is to be shown.
CREATE FUNCTION push_follows_notices() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE push_device d SET due_at = least(d.due_at, n.due_at) FROM (
      SELECT organization_id, user_id, min(push_after) AS due_at FROM new_rows WHERE push_after IS NOT NULL GROUP BY 1, 2) n
    WHERE d.organization_id = n.organization_id AND d.user_id = n.user_id AND (d.due_at IS NULL OR d.due_at > n.due_at);
  ELSIF TG_OP = 'UPDATE' THEN
    UPDATE push_device d SET due_at = least(d.due_at, n.due_at) FROM (
      SELECT a.organization_id, a.user_id, min(CASE WHEN a.read_at IS NULL AND a.withdrawn_at IS NULL
          THEN coalesce(a.push_after, now()) ELSE now() END) AS due_at
      FROM new_rows a JOIN old_rows b ON b.organization_id = a.organization_id AND b.id = a.id
      WHERE coalesce(a.push_after, b.push_after) IS NOT NULL
        AND (a.read_at, a.withdrawn_at, a.push_after) IS DISTINCT FROM (b.read_at, b.withdrawn_at, b.push_after)
      GROUP BY 1, 2) n
    WHERE d.organization_id = n.organization_id AND d.user_id = n.user_id AND (d.due_at IS NULL OR d.due_at > n.due_at);
  ELSE
    UPDATE push_device d SET due_at = now() FROM (
      SELECT DISTINCT organization_id, user_id FROM old_rows
      WHERE push_after IS NOT NULL AND read_at IS NULL AND withdrawn_at IS NULL) n
    WHERE d.organization_id = n.organization_id AND d.user_id = n.user_id AND (d.due_at IS NULL OR d.due_at > now());
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER push_follows_new_notices AFTER INSERT ON notice
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION push_follows_notices();
CREATE TRIGGER push_follows_notices AFTER UPDATE ON notice
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION push_follows_notices();
CREATE TRIGGER push_follows_deleted_notices AFTER DELETE ON notice
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION push_follows_notices();
CREATE TRIGGER wake_engines AFTER INSERT OR UPDATE ON push_device
  FOR EACH STATEMENT WHEN (session_user <> 'intray_engine') EXECUTE FUNCTION wake_engines();

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

CREATE FUNCTION gate.push_public_key() RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$ SELECT k.public_key FROM push_key k $$;
REVOKE ALL ON FUNCTION gate.push_public_key() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.push_public_key() TO intray_app;

-- Keeps the first key. Of two that are made at once one stays.
CREATE FUNCTION gate.keep_push_key(p_id uuid, p_public text, p_sealed text) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO push_key (id, public_key, sealed_private_key) VALUES (p_id, p_public, p_sealed) ON CONFLICT DO NOTHING $$;
REVOKE ALL ON FUNCTION gate.keep_push_key(uuid,text,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.keep_push_key(uuid,text,text) TO intray_app;

CREATE FUNCTION gate.push_signing_key() RETURNS TABLE (id uuid, public_key text, sealed_private_key text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT k.id, k.public_key, k.sealed_private_key FROM push_key k $$;
REVOKE ALL ON FUNCTION gate.push_signing_key() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.push_signing_key() TO intray_engine;

CREATE FUNCTION gate.organizations_with_pushes() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT d.organization_id FROM push_device d WHERE d.due_at <= now() AND d.not_before <= now() $$;
REVOKE ALL ON FUNCTION gate.organizations_with_pushes() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_pushes() TO intray_engine;

-- Whether a session is in force in an organization: only then may its device show more than counts.
CREATE FUNCTION gate.session_works_in(p_session uuid, p_organization uuid) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM session s JOIN membership m ON m.organization_id = p_organization AND m.user_id = s.user_id
    WHERE s.id = p_session AND s.revoked_at IS NULL AND s.expires_at > now() AND p_organization <> ALL (s.ended_in)
      AND gate.sign_in_refusal(s, p_organization, m.role) IS NULL) $$;
REVOKE ALL ON FUNCTION gate.session_works_in(uuid,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.session_works_in(uuid,uuid) TO intray_engine;

-- Signing out, and whatever else ends a session, takes its devices along. A session that expires leaves them.
CREATE FUNCTION gate.end_devices_of_session() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM push_device d WHERE d.session_id = NEW.id
    AND (NEW.revoked_at IS NOT NULL OR d.organization_id = ANY (NEW.ended_in));
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION gate.end_devices_of_session() FROM PUBLIC;

-- As before, and the next push.
CREATE OR REPLACE FUNCTION gate.next_due() RETURNS TABLE (job text, in_ms float8)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT due.job, (extract(epoch FROM due.at - now()) * 1000)::float8 FROM (
    SELECT 'mail' AS job, least(
      (SELECT min(n.mail_after) FROM notice n WHERE n.mail_id IS NULL AND n.mail_after > now()),
      (SELECT min(m.not_before) FROM mail m WHERE m.state = 'waiting' AND m.not_before > now())) AS at
    UNION ALL SELECT 'account mail', (SELECT min(a.not_before) FROM account_notice a
      WHERE a.mail_state = 'waiting' AND a.not_before > now())
    UNION ALL SELECT 'password resets', (SELECT min(r.not_before) FROM password_reset r WHERE r.not_before > now())
    UNION ALL SELECT 'webhook deliveries', (SELECT min(d.not_before) FROM webhook_delivery d
      WHERE d.state = 'pending' AND d.not_before > now())
    UNION ALL SELECT 'audit streams', (SELECT min(greatest(s.not_before, s.claimed_until)) FROM audit_stream s
      JOIN event_head head ON head.organization_id = s.organization_id
      WHERE s.paused_at IS NULL AND head.seq > s.seq AND greatest(s.not_before, s.claimed_until) > now())
    UNION ALL SELECT 'proposals', (SELECT min(p.takes_effect_at) FROM four_eyes_proposal p
      WHERE p.state = 'open' AND p.takes_effect_at > now())
    UNION ALL SELECT 'deletions', (SELECT min(o.deletion_requested_at + interval '72 hours') FROM organization o
      WHERE o.hold_at IS NULL AND o.deletion_requested_at + interval '72 hours' > now())
    UNION ALL SELECT 'own questions', least(
      (SELECT min(r.expires_at) FROM input_request r
        WHERE r.origin = 'intray' AND r.state = 'open' AND r.expires_at > now()),
      (SELECT min(d.deliver_after) FROM input_request r
        JOIN delivery d ON d.organization_id = r.organization_id AND d.input_request_id = r.id AND d.state = 'held'
        WHERE r.origin = 'intray' AND r.state = 'answered' AND d.deliver_after > now()))
    UNION ALL SELECT 'request callbacks', (SELECT min(c.not_before) FROM request_callback c
      JOIN task t ON t.organization_id = c.organization_id AND t.id = c.task_id AND t.finished_at IS NOT NULL
      WHERE c.state = 'pending' AND c.not_before > now())
    UNION ALL SELECT 'push', (SELECT min(greatest(d.due_at, d.not_before)) FROM push_device d
      WHERE d.due_at IS NOT NULL AND greatest(d.due_at, d.not_before) > now())
    UNION ALL SELECT 'request timers', (SELECT min(t.due_at) FROM request_timer t
      WHERE t.fired_at IS NULL AND t.due_at > now())) due
  WHERE due.at IS NOT NULL $$;

RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
CREATE TRIGGER end_devices_of_session AFTER UPDATE OF revoked_at, ended_in ON session FOR EACH ROW
  WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at OR OLD.ended_in <> NEW.ended_in)
  EXECUTE FUNCTION gate.end_devices_of_session();
REVOKE intray_gate FROM CURRENT_USER;

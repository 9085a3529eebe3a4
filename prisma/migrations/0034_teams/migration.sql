-- Teams tells members what waits for them, and they decide there (docs/decisions/098).

-- To be told in Teams from then on; null: not to be.
ALTER TABLE notice ADD COLUMN teams_after timestamptz(3);
-- Null: as the default of the kind.
ALTER TABLE notice_preference ADD COLUMN teams boolean;

-- The organization's own app, registered in its own tenant of Entra.
CREATE TABLE teams_app (
  organization_id uuid NOT NULL UNIQUE REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  -- Of the registered app, which is also the bot.
  app_id text NOT NULL,
  tenant_id text NOT NULL,
  sealed_client_secret text NOT NULL,
  -- With which Intray calls Teams until then; null: one has to be asked for.
  sealed_token text,
  token_until timestamptz(3),
  -- Whether messages may carry the text of questions.
  shows_text boolean NOT NULL DEFAULT false,
  set_up_at timestamptz(3) NOT NULL DEFAULT now(),
  -- No call before: Teams asked for a pause (Retry-After).
  not_before timestamptz(3) NOT NULL DEFAULT now(),
  -- Since then Microsoft takes the secret no more, and why.
  revoked_at timestamptz(3),
  revoked_because text,
  PRIMARY KEY (organization_id, id),
  CHECK ((revoked_at IS NULL) = (revoked_because IS NULL)),
  CHECK ((sealed_token IS NULL) = (token_until IS NULL))
);

-- A member's account in the tenant, which they linked themselves. It goes with the membership, and with the app.
CREATE TABLE teams_account (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- The person's object id in the tenant.
  oid text NOT NULL,
  name text NOT NULL,
  linked_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Something may have changed by then; null: all messages are as they have to be.
  due_at timestamptz(3),
  -- Not to be sent before: an engine is sending, Teams failed, or the last message was just sent.
  not_before timestamptz(3) NOT NULL DEFAULT now(),
  -- Since Teams last took a message.
  attempts integer NOT NULL DEFAULT 0,
  failing_since timestamptz(3),
  error text,
  sent_at timestamptz(3),
  -- A test that the member asked for, and when Teams had it in their messages.
  test_asked_at timestamptz(3),
  test_sent_at timestamptz(3),
  PRIMARY KEY (organization_id, user_id),
  UNIQUE (organization_id, oid),
  FOREIGN KEY (organization_id) REFERENCES teams_app (organization_id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, user_id) REFERENCES membership (organization_id, user_id) ON DELETE CASCADE,
  CHECK (test_sent_at IS NULL OR test_asked_at IS NOT NULL),
  CHECK ((failing_since IS NULL) = (error IS NULL))
);
CREATE INDEX teams_account_due ON teams_account (due_at) WHERE due_at IS NOT NULL;

-- A person's conversation with the bot, which Teams says when they add the app or write to it, linked or not.
CREATE TABLE teams_conversation (
  organization_id uuid NOT NULL REFERENCES teams_app (organization_id) ON DELETE CASCADE,
  oid text NOT NULL,
  conversation text NOT NULL,
  -- Where it is reached.
  service_url text NOT NULL,
  PRIMARY KEY (organization_id, oid)
);

-- The one message about a matter in a member's conversation with the bot. Written before it is posted.
CREATE TABLE teams_message (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- The request, what else the notice is about, or the member, of the message that counts the rest.
  matter uuid NOT NULL,
  -- About a request.
  is_request boolean NOT NULL,
  -- By which Teams knows it in the conversation; null: it was not posted, or it is not known whether it was. Empty: it was deleted there.
  activity_id text,
  -- It was deleted in Teams, and posted once again.
  is_second boolean NOT NULL DEFAULT false,
  -- Tells what it shows from what it has to show, and nothing of it.
  digest text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Since then it says how the matter ended.
  closed_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, user_id, matter),
  FOREIGN KEY (organization_id, user_id) REFERENCES teams_account (organization_id, user_id) ON DELETE CASCADE
);
CREATE INDEX teams_message_by_matter ON teams_message (organization_id, matter);

-- A press on a button in Teams, written before it is carried out, once.
CREATE TABLE teams_press (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  -- By the conversation and Teams' own id of the press in it: one that comes twice is carried out once.
  activity_digest bytea NOT NULL,
  oid text NOT NULL,
  -- What was pressed, with the reason that was written; null once it was carried out.
  sealed_press text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  done_at timestamptz(3),
  -- `recorded`, `voted`, `asked` (a reason), `lost`, or the code of a refusal.
  outcome text,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, activity_digest),
  CHECK ((done_at IS NULL) = (outcome IS NULL) AND (done_at IS NULL) = (sealed_press IS NOT NULL))
);
CREATE INDEX teams_press_waiting ON teams_press (created_at) WHERE done_at IS NULL;

ALTER TABLE teams_app ENABLE ROW LEVEL SECURITY;
ALTER TABLE teams_app FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON teams_app USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON teams_app TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON teams_app TO intray_app;
GRANT SELECT, UPDATE (sealed_token, token_until, not_before, revoked_at, revoked_because) ON teams_app TO intray_engine;
GRANT SELECT (organization_id, not_before, revoked_at) ON teams_app TO intray_gate;

ALTER TABLE teams_account ENABLE ROW LEVEL SECURITY;
ALTER TABLE teams_account FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON teams_account USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON teams_account TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, DELETE, UPDATE (oid, name, linked_at, due_at, not_before, failing_since, error, test_asked_at, test_sent_at)
  ON teams_account TO intray_app;
GRANT SELECT, UPDATE (due_at, not_before, attempts, failing_since, error, sent_at, test_sent_at) ON teams_account TO intray_engine;
GRANT SELECT (organization_id, user_id, due_at, not_before), DELETE ON teams_account TO intray_gate;

ALTER TABLE teams_conversation ENABLE ROW LEVEL SECURITY;
ALTER TABLE teams_conversation FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON teams_conversation USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, DELETE, UPDATE (conversation, service_url) ON teams_conversation TO intray_app;
GRANT SELECT ON teams_conversation TO intray_engine;

ALTER TABLE teams_message ENABLE ROW LEVEL SECURITY;
ALTER TABLE teams_message FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON teams_message USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, UPDATE (digest) ON teams_message TO intray_app;
GRANT SELECT, INSERT, DELETE, UPDATE (activity_id, is_second, digest, closed_at) ON teams_message TO intray_engine;

ALTER TABLE teams_press ENABLE ROW LEVEL SECURITY;
ALTER TABLE teams_press FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON teams_press USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON teams_press TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE (sealed_press, done_at, outcome) ON teams_press TO intray_app;
GRANT SELECT, DELETE, UPDATE (sealed_press, done_at, outcome) ON teams_press TO intray_engine;
GRANT SELECT (organization_id, created_at, done_at) ON teams_press TO intray_gate;

-- A member who links their account is told of what waits already.
GRANT UPDATE (teams_after) ON notice TO intray_app;

CREATE TRIGGER wake_engines AFTER INSERT OR UPDATE ON teams_account
  FOR EACH STATEMENT WHEN (session_user <> 'intray_engine') EXECUTE FUNCTION wake_engines();

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

CREATE FUNCTION gate.organizations_with_teams_messages() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT a.organization_id FROM teams_account a JOIN teams_app s ON s.organization_id = a.organization_id
  WHERE a.due_at <= now() AND a.not_before <= now() AND s.not_before <= now() AND s.revoked_at IS NULL $$;
REVOKE ALL ON FUNCTION gate.organizations_with_teams_messages() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_teams_messages() TO intray_engine;

-- As before, and those of Teams.
CREATE OR REPLACE FUNCTION gate.organizations_with_lost_presses(p_after_ms integer) RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT p.organization_id FROM slack_press p
  WHERE p.done_at IS NULL AND p.created_at < now() - p_after_ms * interval '1 ms'
  UNION SELECT p.organization_id FROM teams_press p
  WHERE p.done_at IS NULL AND p.created_at < now() - p_after_ms * interval '1 ms' $$;

-- As before (0031), and the account at Teams.
CREATE OR REPLACE FUNCTION gate.forget_channels() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM calendar_feed f WHERE f.organization_id = NEW.organization_id AND f.user_id = NEW.user_id;
  DELETE FROM daily_digest d WHERE d.organization_id = NEW.organization_id AND d.user_id = NEW.user_id;
  DELETE FROM slack_account a WHERE a.organization_id = NEW.organization_id AND a.user_id = NEW.user_id;
  DELETE FROM teams_account a WHERE a.organization_id = NEW.organization_id AND a.user_id = NEW.user_id;
  RETURN NULL;
END $$;

-- As before (0020), and the next message to Teams.
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
    UNION ALL SELECT 'slack', (SELECT min(greatest(a.due_at, a.not_before, s.not_before)) FROM slack_account a
      JOIN slack_app s ON s.organization_id = a.organization_id AND s.revoked_at IS NULL
      WHERE a.due_at IS NOT NULL AND greatest(a.due_at, a.not_before, s.not_before) > now())
    UNION ALL SELECT 'teams', (SELECT min(greatest(a.due_at, a.not_before, s.not_before)) FROM teams_account a
      JOIN teams_app s ON s.organization_id = a.organization_id AND s.revoked_at IS NULL
      WHERE a.due_at IS NOT NULL AND greatest(a.due_at, a.not_before, s.not_before) > now())
    UNION ALL SELECT 'request timers', (SELECT min(t.due_at) FROM request_timer t
      WHERE t.fired_at IS NULL AND t.due_at > now())) due
  WHERE due.at IS NOT NULL $$;

RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

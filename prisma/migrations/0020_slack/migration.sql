-- Slack tells members what waits for them (docs/decisions/095).

-- To be told in Slack from then on; null: not to be.
ALTER TABLE notice ADD COLUMN slack_after timestamptz(3);
-- Null: as the default of the kind.
ALTER TABLE notice_preference ADD COLUMN slack boolean;

-- The organization's own app in one workspace of Slack.
CREATE TABLE slack_app (
  organization_id uuid NOT NULL UNIQUE REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  team_id text NOT NULL,
  team_name text NOT NULL,
  bot_name text NOT NULL,
  client_id text NOT NULL,
  sealed_client_secret text NOT NULL,
  sealed_bot_token text NOT NULL,
  -- Slack signs its calls with it.
  sealed_signing_secret text NOT NULL,
  -- Whether messages may carry the text of questions.
  shows_text boolean NOT NULL DEFAULT false,
  set_up_at timestamptz(3) NOT NULL DEFAULT now(),
  -- No call before: Slack asked for a pause (Retry-After).
  not_before timestamptz(3) NOT NULL DEFAULT now(),
  -- Since then Slack takes the token no more, and why.
  revoked_at timestamptz(3),
  revoked_because text,
  PRIMARY KEY (organization_id, id),
  CHECK ((revoked_at IS NULL) = (revoked_because IS NULL))
);

-- A member's account at Slack, which they linked themselves. It goes with the membership, and with the app.
CREATE TABLE slack_account (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  slack_user_id text NOT NULL,
  slack_name text NOT NULL,
  -- Their conversation with the app; null: not opened yet.
  channel text,
  linked_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Something may have changed by then; null: all messages are as they have to be.
  due_at timestamptz(3),
  -- Not to be sent before: an engine is sending, Slack failed, or the last message was just sent.
  not_before timestamptz(3) NOT NULL DEFAULT now(),
  -- Since Slack last took a message.
  attempts integer NOT NULL DEFAULT 0,
  failing_since timestamptz(3),
  error text,
  sent_at timestamptz(3),
  -- A test that the member asked for, and when Slack had it in their messages.
  test_asked_at timestamptz(3),
  test_sent_at timestamptz(3),
  PRIMARY KEY (organization_id, user_id),
  UNIQUE (organization_id, slack_user_id),
  FOREIGN KEY (organization_id) REFERENCES slack_app (organization_id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, user_id) REFERENCES membership (organization_id, user_id) ON DELETE CASCADE,
  CHECK (test_sent_at IS NULL OR test_asked_at IS NOT NULL),
  CHECK ((failing_since IS NULL) = (error IS NULL))
);
CREATE INDEX slack_account_due ON slack_account (due_at) WHERE due_at IS NOT NULL;

-- The one message about a matter in a member's messages at Slack. Written before it is posted.
CREATE TABLE slack_message (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- The request, what else the notice is about, or the member, of the message that counts the rest.
  matter uuid NOT NULL,
  -- About a request.
  is_request boolean NOT NULL,
  -- By which Slack knows it in the conversation; null: it was not posted, or it is not known whether it was. Empty: it was deleted there.
  ts text,
  -- It was deleted in Slack, and posted once again.
  is_second boolean NOT NULL DEFAULT false,
  -- Tells what it shows from what it has to show, and nothing of it.
  digest text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Since then it says how the matter ended.
  closed_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, user_id, matter),
  FOREIGN KEY (organization_id, user_id) REFERENCES slack_account (organization_id, user_id) ON DELETE CASCADE
);
CREATE INDEX slack_message_by_matter ON slack_message (organization_id, matter);

ALTER TABLE slack_app ENABLE ROW LEVEL SECURITY;
ALTER TABLE slack_app FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON slack_app USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON slack_app TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON slack_app TO intray_app;
GRANT SELECT, UPDATE (not_before, revoked_at, revoked_because) ON slack_app TO intray_engine;
GRANT SELECT (organization_id, not_before, revoked_at) ON slack_app TO intray_gate;

ALTER TABLE slack_account ENABLE ROW LEVEL SECURITY;
ALTER TABLE slack_account FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON slack_account USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON slack_account TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, DELETE, UPDATE (slack_user_id, slack_name, channel, linked_at, due_at, not_before, test_asked_at, test_sent_at)
  ON slack_account TO intray_app;
GRANT SELECT, UPDATE (channel, due_at, not_before, attempts, failing_since, error, sent_at, test_sent_at) ON slack_account TO intray_engine;
GRANT SELECT (organization_id, due_at, not_before) ON slack_account TO intray_gate;

ALTER TABLE slack_message ENABLE ROW LEVEL SECURITY;
ALTER TABLE slack_message FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON slack_message USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, UPDATE (digest) ON slack_message TO intray_app;
GRANT SELECT, INSERT, DELETE, UPDATE (ts, is_second, digest, closed_at) ON slack_message TO intray_engine;

-- A member who links their account is told of what waits already.
GRANT UPDATE (slack_after) ON notice TO intray_app;

-- Engines read requests as members do, for what a message shows.
GRANT SELECT (fetched_at) ON agent_call TO intray_engine;

CREATE TRIGGER wake_engines AFTER INSERT OR UPDATE ON slack_account
  FOR EACH STATEMENT WHEN (session_user <> 'intray_engine') EXECUTE FUNCTION wake_engines();

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

CREATE FUNCTION gate.organizations_with_slack_messages() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT a.organization_id FROM slack_account a JOIN slack_app s ON s.organization_id = a.organization_id
  WHERE a.due_at <= now() AND a.not_before <= now() AND s.not_before <= now() AND s.revoked_at IS NULL $$;
REVOKE ALL ON FUNCTION gate.organizations_with_slack_messages() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_slack_messages() TO intray_engine;

-- As before, and the next message to Slack.
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
    UNION ALL SELECT 'request timers', (SELECT min(t.due_at) FROM request_timer t
      WHERE t.fired_at IS NULL AND t.due_at > now())) due
  WHERE due.at IS NOT NULL $$;

RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- Questions of Intray's own: what a program asks people without any server (tasks of the built-in server), and approvals in
-- front of calls (gates). Nothing is sent for them: one transaction settles an answer and acts on it.

-- The server "Intray", made with its first task. It has no address and is never called. Its id follows from the
-- organization's, so that there is at most one (a UUID of version 8).
CREATE FUNCTION builtin_server_id(p_organization uuid) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT overlay(overlay(md5('intray ' || p_organization::text) placing '8' from 13) placing 'a' from 17)::uuid $$;
ALTER TABLE server ADD COLUMN builtin boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT server_builtin_is_one CHECK (NOT builtin OR id = builtin_server_id(organization_id));

ALTER TABLE task
  -- A task of the built-in server: no engine watches it.
  ADD COLUMN builtin boolean NOT NULL DEFAULT false,
  -- An approval in front of the call. Until it is approved no engine watches the task, and nothing calls its tool. Once it
  -- is not approved the task has ended: failed (declined, expired) or cancelled (withdrawn).
  ADD COLUMN gate text,
  -- Why it was asked for: {name, version, before} of the rule, null for a gate without one.
  ADD COLUMN gate_rule jsonb,
  -- Of server, tool and arguments as they were shown. Keyed where the organization seals content.
  ADD COLUMN gate_digest bytea,
  ADD COLUMN gate_expires_at timestamptz(3),
  ADD CONSTRAINT task_gate_check CHECK (gate IN ('waiting', 'approved', 'declined', 'expired', 'withdrawn')) NOT VALID,
  DROP CONSTRAINT task_check,
  ADD CONSTRAINT task_is_watched CHECK (watched OR state NOT IN ('queued', 'starting', 'working', 'input_required')
    OR (state = 'queued' AND gate IS NOT NULL AND gate <> 'approved') OR (state = 'input_required' AND builtin)) NOT VALID,
  -- Also for processes of before: what is not approved is never called.
  ADD CONSTRAINT task_gate_holds CHECK (gate IS NULL OR gate = 'approved' OR state IN ('queued', 'failed', 'cancelled')) NOT VALID,
  ADD CONSTRAINT task_gate_is_bound CHECK ((gate IS NULL) = (gate_digest IS NULL)) NOT VALID;

-- An approval that is declined, or runs out, ends a task that was never started.
DROP TRIGGER state_machine ON task;
CREATE TRIGGER state_machine BEFORE UPDATE OF state ON task FOR EACH ROW WHEN (OLD.state <> NEW.state)
  EXECUTE FUNCTION refuse_wrong_move('queued>starting', 'queued>failed', 'queued>cancelled', 'starting>queued',
    'starting>working', 'starting>input_required', 'starting>completed', 'starting>failed', 'starting>cancelled',
    'starting>start_unknown', 'start_unknown>working', 'start_unknown>input_required', 'start_unknown>failed',
    'working>starting', 'working>input_required', 'working>completed', 'working>failed', 'working>cancelled',
    'working>lost', 'working>expired', 'input_required>working', 'input_required>starting', 'input_required>completed',
    'input_required>failed', 'input_required>cancelled', 'input_required>lost', 'input_required>expired');

-- Whose question it is: a server's, which gets the answer, or Intray's own.
ALTER TABLE input_request ADD COLUMN origin text NOT NULL DEFAULT 'server',
  ADD CONSTRAINT input_request_origin_check CHECK (origin IN ('server', 'intray')) NOT VALID;

-- The one use of an approval that is bound to a call elsewhere. Its row is the proof that nobody else had it.
CREATE TABLE approval_use (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  input_request_id uuid NOT NULL,
  used_at timestamptz(3) NOT NULL DEFAULT now(),
  used_by jsonb NOT NULL,
  PRIMARY KEY (organization_id, input_request_id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id) ON DELETE CASCADE
);

-- Who is told that a request has ended: an address of the caller's, once.
CREATE TABLE request_callback (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  input_request_id uuid NOT NULL,
  task_id uuid NOT NULL,
  url text NOT NULL,
  -- Signs what is sent, as of a webhook.
  sealed_secret text NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamptz(3) NOT NULL DEFAULT now(),
  -- The last attempt, as in a webhook's log.
  last_attempt jsonb,
  ended_at timestamptz(3),
  PRIMARY KEY (organization_id, input_request_id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id) ON DELETE CASCADE,
  CHECK ((state = 'pending') = (ended_at IS NULL))
);
CREATE INDEX request_callback_pending ON request_callback (organization_id, task_id) WHERE state = 'pending';

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['approval_use', 'request_callback'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (organization_id = current_organization())
      WITH CHECK (organization_id = current_organization())', name);
    EXECUTE format('GRANT SELECT, INSERT ON %I TO intray_app', name);
    EXECUTE format('GRANT SELECT, DELETE ON %I TO intray_engine', name);
  END LOOP;
END $$;
GRANT UPDATE ON request_callback TO intray_engine;
CREATE POLICY gate ON request_callback FOR SELECT TO intray_gate USING (true);
GRANT SELECT (organization_id, task_id, state, not_before) ON request_callback TO intray_gate;
GRANT SELECT (input_request_id) ON delivery TO intray_gate;
GRANT SELECT (origin, expires_at) ON input_request TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
DO $$
DECLARE owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  -- With a question of Intray's own that was answered, whose hold is over, or whose time is up, or whose task has ended.
  CREATE FUNCTION gate.organizations_with_own_questions() RETURNS TABLE (id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT r.organization_id FROM input_request r
      WHERE r.origin = ''intray'' AND r.state = ''open'' AND r.expires_at <= now()
    UNION SELECT r.organization_id FROM input_request r
      WHERE r.origin = ''intray'' AND r.state = ''answered'' AND EXISTS (SELECT FROM delivery d
        WHERE d.organization_id = r.organization_id AND d.input_request_id = r.id
          AND (d.state = ''pending'' OR (d.state = ''held'' AND d.deliver_after <= now())))';
  CREATE FUNCTION gate.organizations_with_request_callbacks() RETURNS TABLE (id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT DISTINCT c.organization_id FROM request_callback c
      JOIN task t ON t.organization_id = c.organization_id AND t.id = c.task_id AND t.finished_at IS NOT NULL
      WHERE c.state = ''pending'' AND c.not_before <= now()';
  REVOKE ALL ON FUNCTION gate.organizations_with_own_questions(), gate.organizations_with_request_callbacks() FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION gate.organizations_with_own_questions(), gate.organizations_with_request_callbacks()
    TO intray_engine;

  -- As in 0097, with questions of Intray's own and what programs are told of their ends.
  CREATE OR REPLACE FUNCTION gate.next_due() RETURNS TABLE (job text, in_ms float8)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT due.job, (extract(epoch FROM due.at - now()) * 1000)::float8 FROM (
      SELECT ''mail'' AS job, least(
        (SELECT min(n.mail_after) FROM notice n WHERE n.mail_id IS NULL AND n.mail_after > now()),
        (SELECT min(m.not_before) FROM mail m WHERE m.state = ''waiting'' AND m.not_before > now())) AS at
      UNION ALL SELECT ''account mail'', (SELECT min(a.not_before) FROM account_notice a
        WHERE a.mail_state = ''waiting'' AND a.not_before > now())
      UNION ALL SELECT ''password resets'', (SELECT min(r.not_before) FROM password_reset r WHERE r.not_before > now())
      UNION ALL SELECT ''webhook deliveries'', (SELECT min(d.not_before) FROM webhook_delivery d
        WHERE d.state = ''pending'' AND d.not_before > now())
      UNION ALL SELECT ''audit streams'', (SELECT min(greatest(s.not_before, s.claimed_until)) FROM audit_stream s
        JOIN event_head head ON head.organization_id = s.organization_id
        WHERE s.paused_at IS NULL AND head.seq > s.seq AND greatest(s.not_before, s.claimed_until) > now())
      UNION ALL SELECT ''proposals'', (SELECT min(p.takes_effect_at) FROM four_eyes_proposal p
        WHERE p.state = ''open'' AND p.takes_effect_at > now())
      UNION ALL SELECT ''deletions'', (SELECT min(o.deletion_requested_at + interval ''72 hours'') FROM organization o
        WHERE o.hold_at IS NULL AND o.deletion_requested_at + interval ''72 hours'' > now())
      UNION ALL SELECT ''own questions'', least(
        (SELECT min(r.expires_at) FROM input_request r
          WHERE r.origin = ''intray'' AND r.state = ''open'' AND r.expires_at > now()),
        (SELECT min(d.deliver_after) FROM input_request r
          JOIN delivery d ON d.organization_id = r.organization_id AND d.input_request_id = r.id AND d.state = ''held''
          WHERE r.origin = ''intray'' AND r.state = ''answered'' AND d.deliver_after > now()))
      UNION ALL SELECT ''request callbacks'', (SELECT min(c.not_before) FROM request_callback c
        JOIN task t ON t.organization_id = c.organization_id AND t.id = c.task_id AND t.finished_at IS NOT NULL
        WHERE c.state = ''pending'' AND c.not_before > now())) due
    WHERE due.at IS NOT NULL';
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- What is to happen to a request at a time, by the rule under which it was asked: reminders, more people, the end of its time
-- (docs/governance.md, docs/decisions/069). A row is written in the transaction that opens the request or its stage, and fired
-- once, in the transaction of its effect.
CREATE TABLE request_timer (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  input_request_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('remind', 'escalate', 'expire')),
  -- Counted from 0. Null: it is about the whole request.
  stage smallint CHECK (stage >= 0),
  -- How long after `starts_at`, as the policy says it: `due_at` is worked out anew when the working calendar changes.
  after text NOT NULL,
  starts_at timestamptz(3) NOT NULL,
  due_at timestamptz(3) NOT NULL,
  -- Timers of a matter that is settled are deleted; those that fired stay.
  fired_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id) ON DELETE CASCADE,
  CHECK ((kind = 'expire') = (stage IS NULL))
);
-- A stage that is opened again by an undo has the timers that it had, and none that fired fires again.
CREATE UNIQUE INDEX request_timer_once ON request_timer
  (organization_id, input_request_id, kind, coalesce(stage, -1), after, starts_at);
CREATE INDEX request_timer_due ON request_timer (due_at) WHERE fired_at IS NULL;
ALTER TABLE request_timer ENABLE ROW LEVEL SECURITY;
ALTER TABLE request_timer FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON request_timer USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON request_timer FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, DELETE, UPDATE (due_at) ON request_timer TO intray_app;
GRANT SELECT, INSERT, DELETE, UPDATE (due_at, fired_at) ON request_timer TO intray_engine;
GRANT SELECT (organization_id, due_at, fired_at) ON request_timer TO intray_gate;

-- Engines move the timers when a calendar has changed.
CREATE POLICY gate ON working_calendar FOR SELECT TO intray_gate USING (true);
GRANT SELECT (organization_id, version, moved_version) ON working_calendar TO intray_gate;
GRANT UPDATE (moved_version) ON working_calendar TO intray_engine;

-- Whoever settles a request, also a process that knows no timers.
CREATE FUNCTION drop_request_timers() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM request_timer t WHERE t.organization_id = NEW.organization_id AND t.input_request_id = NEW.id
    AND t.fired_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER timers_end AFTER UPDATE OF state ON input_request FOR EACH ROW
  WHEN (OLD.state = 'open' AND NEW.state <> 'open' AND NEW.approval IS NOT NULL) EXECUTE FUNCTION drop_request_timers();

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
DO $$
DECLARE owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  -- With a timer that is due, or a calendar whose change the timers have not followed.
  CREATE FUNCTION gate.organizations_with_due_timers() RETURNS TABLE (id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT t.organization_id FROM request_timer t WHERE t.fired_at IS NULL AND t.due_at <= now()
    UNION SELECT w.organization_id FROM working_calendar w WHERE w.moved_version < w.version';
  REVOKE ALL ON FUNCTION gate.organizations_with_due_timers() FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION gate.organizations_with_due_timers() TO intray_engine;

  -- As in 0114, with timers of requests.
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
        WHERE c.state = ''pending'' AND c.not_before > now())
      UNION ALL SELECT ''request timers'', (SELECT min(t.due_at) FROM request_timer t
        WHERE t.fired_at IS NULL AND t.due_at > now())) due
    WHERE due.at IS NOT NULL';
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

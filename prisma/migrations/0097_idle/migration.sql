-- What wakes an idle engine: a notice from the transaction that writes, and the time of what is due next (docs/decisions/051).

-- An engine knows of its own writes without a notice, which would make its commits wait for each other.
CREATE FUNCTION wake_engines() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_notify('intray_wake', '');
  RETURN NULL;
END $$;

CREATE TRIGGER wake_engines AFTER INSERT ON event
  FOR EACH STATEMENT WHEN (session_user <> 'intray_engine') EXECUTE FUNCTION wake_engines();
CREATE TRIGGER wake_engines AFTER INSERT ON change
  FOR EACH STATEMENT WHEN (session_user <> 'intray_engine') EXECUTE FUNCTION wake_engines();
CREATE TRIGGER wake_engines AFTER INSERT OR UPDATE ON bulk_operation
  FOR EACH STATEMENT WHEN (session_user <> 'intray_engine') EXECUTE FUNCTION wake_engines();
CREATE TRIGGER wake_engines AFTER INSERT OR UPDATE ON webhook_delivery
  FOR EACH STATEMENT WHEN (session_user <> 'intray_engine') EXECUTE FUNCTION wake_engines();
CREATE TRIGGER wake_engines AFTER INSERT OR UPDATE ON audit_stream
  FOR EACH STATEMENT WHEN (session_user <> 'intray_engine') EXECUTE FUNCTION wake_engines();
CREATE TRIGGER wake_engines AFTER INSERT ON account_notice
  FOR EACH STATEMENT WHEN (session_user <> 'intray_engine') EXECUTE FUNCTION wake_engines();
CREATE TRIGGER wake_engines AFTER INSERT ON password_reset
  FOR EACH STATEMENT WHEN (session_user <> 'intray_engine') EXECUTE FUNCTION wake_engines();

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;
-- How long until a job's next work is due that nobody announces again, by the job's name. What is due already is no part
-- of this, nor what waits for something else than the time.
CREATE FUNCTION gate.next_due() RETURNS TABLE (job text, in_ms float8)
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
      WHERE o.hold_at IS NULL AND o.deletion_requested_at + interval '72 hours' > now())) due
  WHERE due.at IS NOT NULL $$;
REVOKE ALL ON FUNCTION gate.next_due() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.next_due() TO intray_engine;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

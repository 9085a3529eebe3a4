-- What waits for a member, mailed once a day at their hour (docs/decisions/096).
CREATE TABLE daily_digest (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  days text NOT NULL CHECK (days IN ('off', 'working', 'all')),
  -- By the clocks of the zone.
  hour smallint NOT NULL CHECK (hour BETWEEN 0 AND 23),
  zone text NOT NULL CHECK (length(zone) BETWEEN 1 AND 100),
  -- Null: off.
  due_at timestamptz(3),
  -- Of this digest. More than one: an earlier one may have reached the mail server.
  attempts integer NOT NULL DEFAULT 0,
  -- Who takes it up moves this on, so that it is another's if they die over it, and finishes only what they took.
  not_before timestamptz(3) NOT NULL DEFAULT now(),
  -- The day, in the zone of then, of the last mail that was sent or may have been: no second one goes out on it.
  last_day date,
  sent_at timestamptz(3),
  failing_since timestamptz(3),
  error text,
  PRIMARY KEY (organization_id, user_id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, user_id) REFERENCES membership (organization_id, user_id) ON DELETE CASCADE,
  CHECK ((days = 'off') = (due_at IS NULL)),
  CHECK ((failing_since IS NULL) = (error IS NULL))
);
CREATE INDEX daily_digest_due ON daily_digest (due_at) WHERE due_at IS NOT NULL;

ALTER TABLE daily_digest ENABLE ROW LEVEL SECURITY;
ALTER TABLE daily_digest FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON daily_digest USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON daily_digest TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE (days, hour, zone, due_at) ON daily_digest TO intray_app;
GRANT SELECT, UPDATE (due_at, attempts, not_before, last_day, sent_at, failing_since, error) ON daily_digest TO intray_engine;
GRANT SELECT (organization_id, user_id, due_at, not_before), DELETE ON daily_digest TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;
CREATE FUNCTION gate.organizations_with_digests() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT d.organization_id FROM daily_digest d WHERE d.due_at <= now() AND d.not_before <= now() $$;
REVOKE ALL ON FUNCTION gate.organizations_with_digests() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_digests() TO intray_engine;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

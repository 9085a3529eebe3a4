-- How much an organization and each of its members and keys may ask for.

-- An organization's own quotas; no row, or null: the default. Set by the operator's command line, as the owner.
CREATE TABLE quota (
  organization_id uuid PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
  open_tasks integer CHECK (open_tasks >= 0),
  starts_a_minute integer CHECK (starts_a_minute >= 0),
  -- Of one member or key.
  open_tasks_each integer CHECK (open_tasks_each >= 0),
  starts_a_minute_each integer CHECK (starts_a_minute_each >= 0)
);
ALTER TABLE quota ENABLE ROW LEVEL SECURITY;
ALTER TABLE quota FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON quota USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
GRANT SELECT ON quota TO intray_app;

CREATE INDEX throttle_by_window ON throttle (window_started_at);

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Takes up to p_most calls out of the window of a key, for a process to hand out. granted = 0: none are left for
-- left_ms. What a process takes and does not use is lost with the window, so that all together stay within p_limit.
CREATE FUNCTION gate.take_calls(p_key text, p_most integer, p_limit integer, p_window_ms bigint)
  RETURNS TABLE (granted integer, left_ms bigint)
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ INSERT INTO throttle AS t (key, window_started_at, tries) VALUES (p_key, clock_timestamp(), p_most)
    ON CONFLICT (key) DO UPDATE SET
      tries = CASE WHEN t.window_started_at <= clock_timestamp() - p_window_ms * interval '1 ms' THEN p_most
        ELSE least(t.tries, p_limit) + p_most END,
      window_started_at = CASE WHEN t.window_started_at <= clock_timestamp() - p_window_ms * interval '1 ms'
        THEN clock_timestamp() ELSE t.window_started_at END
    RETURNING greatest(0, least(p_most, p_limit - (tries - p_most))),
      greatest(1, ceil(extract(epoch FROM window_started_at - clock_timestamp()) * 1000) + p_window_ms)::bigint $$;

-- Forgets windows that are long over: those of calls last a minute, none lasts longer than a day. In small bites, for
-- it runs beside calls.
CREATE FUNCTION gate.sweep_throttle() RETURNS integer
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ WITH gone AS (DELETE FROM throttle WHERE key IN (SELECT key FROM throttle
      WHERE window_started_at < now() - interval '10 minutes'
        AND (key LIKE 'calls %' OR window_started_at < now() - interval '1 day')
      LIMIT 5000 FOR UPDATE SKIP LOCKED) RETURNING 1)
    SELECT count(*)::integer FROM gone $$;

REVOKE ALL ON FUNCTION gate.take_calls(text, integer, integer, bigint), gate.sweep_throttle() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.take_calls(text, integer, integer, bigint), gate.sweep_throttle() TO intray_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

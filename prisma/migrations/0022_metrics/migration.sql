-- What the installation's operator watches: figures without tenants, and traces from a click to a server.

-- What the engine has counted since it started, as lib/metrics/snapshot.ts has it.
ALTER TABLE engine ADD COLUMN metrics jsonb;

-- The call that began it: the id that its answer bears and our log lines name, and its trace (W3C Trace Context).
ALTER TABLE task
  ADD COLUMN request_id uuid,
  ADD COLUMN traceparent text CHECK (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$');
ALTER TABLE answer
  ADD COLUMN request_id uuid,
  ADD COLUMN traceparent text CHECK (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$');

-- Ours to trace: only such a server is told which trace a call belongs to.
ALTER TABLE server ADD COLUMN trace boolean NOT NULL DEFAULT false;

CREATE POLICY gate ON input_request FOR SELECT TO intray_gate USING (true);
CREATE POLICY gate ON delivery FOR SELECT TO intray_gate USING (true);
CREATE POLICY gate ON event FOR SELECT TO intray_gate USING (true);
GRANT SELECT (state) ON task TO intray_gate;
GRANT SELECT (organization_id, id, state, created_at) ON input_request TO intray_gate;
GRANT SELECT (organization_id, task_id, state, deliver_after, flagged) ON delivery TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Figures of all organizations together, none of which names one. What is open is read from partial indexes, at most
-- p_most entries of each: beyond that the counts are of so many. Nothing is read that grows with history.
CREATE FUNCTION gate.figures(p_most integer) RETURNS TABLE (figure text, label text, value float8)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT 'open_tasks', state, count(*)::float8 FROM (SELECT t.state FROM task t
    WHERE t.state IN ('queued', 'starting', 'start_unknown', 'working', 'input_required') LIMIT p_most) open GROUP BY state
  UNION ALL
  SELECT 'open_requests', age, count(*)::float8 FROM (SELECT CASE
      WHEN r.created_at > now() - interval '1 minute' THEN '1m'
      WHEN r.created_at > now() - interval '1 hour' THEN '1h'
      WHEN r.created_at > now() - interval '1 day' THEN '1d'
      WHEN r.created_at > now() - interval '7 days' THEN '7d'
      ELSE 'older' END AS age
    FROM input_request r WHERE r.state = 'open' LIMIT p_most) open GROUP BY age
  UNION ALL
  SELECT 'oldest_request_seconds', '', extract(epoch FROM now() - min(oldest.created_at))::float8
  FROM organization o, LATERAL (SELECT r.created_at FROM input_request r
    WHERE r.organization_id = o.id AND r.state = 'open' ORDER BY r.created_at LIMIT 1) oldest
  UNION ALL
  SELECT 'open_deliveries', state, count(*)::float8 FROM (SELECT CASE WHEN d.flagged THEN 'flagged' ELSE d.state END AS state
    FROM delivery d WHERE d.state IN ('held', 'pending', 'sending', 'accepted') LIMIT p_most) live GROUP BY state
  UNION ALL
  SELECT 'overdue_delivery_seconds', '', extract(epoch FROM now() - min(deliver_after))::float8 FROM (SELECT d.state, d.deliver_after
    FROM delivery d WHERE d.state IN ('held', 'pending', 'sending', 'accepted') LIMIT p_most) live
    WHERE state IN ('pending', 'sending')
  UNION ALL
  -- Retention is behind by design: it stays as far behind as payloads are kept.
  SELECT 'follower_behind_events', f.follower, sum(head.seq - f.seq)::float8
  FROM event_follower f JOIN event_head head ON head.organization_id = f.organization_id
  WHERE f.follower <> 'retention' GROUP BY f.follower
  UNION ALL
  -- Since when the line after the last one that was read waits.
  SELECT 'follower_lag_seconds', f.follower, coalesce(extract(epoch FROM now() - min(next.at)), 0)::float8
  FROM event_follower f JOIN event_head head ON head.organization_id = f.organization_id
  LEFT JOIN LATERAL (SELECT e.at FROM event e WHERE e.organization_id = f.organization_id AND e.seq > f.seq
    AND head.seq > f.seq ORDER BY e.seq LIMIT 1) next ON true
  WHERE f.follower <> 'retention' GROUP BY f.follower $$;

REVOKE ALL ON FUNCTION gate.figures(integer) FROM PUBLIC;
RESET ROLE;
-- The owner's command line asks it too (doctor).
DO $$
DECLARE owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  EXECUTE format('GRANT EXECUTE ON FUNCTION gate.figures(integer) TO intray_app, %I', owner);
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

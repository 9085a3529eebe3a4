-- How long an organization keeps what is over, in days; null: for ever. The engine deletes the rest, in small batches.

ALTER TABLE organization
  ADD COLUMN keep_messages_days integer DEFAULT 30 CHECK (keep_messages_days BETWEEN 1 AND 36500),
  -- Of history's lines; the lines themselves stay.
  ADD COLUMN keep_payloads_days integer CHECK (keep_payloads_days BETWEEN 1 AND 36500),
  -- With their arguments, results, requests and answers.
  ADD COLUMN keep_tasks_days integer CHECK (keep_tasks_days BETWEEN 1 AND 36500);

CREATE INDEX task_finished ON task (organization_id, finished_at) WHERE finished_at IS NOT NULL AND NOT watched;

-- How far payloads were dropped is a place in the history, as a follower's; settings tell how much would go.
GRANT SELECT ON event_follower TO intray_app;

CREATE POLICY gate ON protocol_message FOR SELECT TO intray_gate USING (true);
GRANT SELECT (organization_id, id, at) ON protocol_message TO intray_gate;
GRANT SELECT (organization_id, finished_at) ON task TO intray_gate;
GRANT UPDATE (data) ON event TO intray_gate;

-- Drops the payloads of the next lines after p_after that are older than the organization keeps them; looks at p_limit
-- lines. Digests stay, so that the chain still holds; a line from before payload digests keeps its payload. One row:
-- the last line that was old enough, null: there is none; and how many payloads were dropped. What it may drop is the
-- organization's own setting, whoever calls it.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA public, gate TO intray_gate;
DO $$
BEGIN
  SET LOCAL ROLE intray_gate;
  CREATE FUNCTION drop_event_payloads(p_after bigint, p_limit integer) RETURNS TABLE (reached bigint, dropped integer)
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS '
    WITH next AS MATERIALIZED (
      SELECT seq, at FROM event WHERE organization_id = current_organization() AND seq > p_after ORDER BY seq LIMIT p_limit
    ), young AS (
      SELECT min(seq) AS seq FROM next, organization o WHERE o.id = current_organization()
        AND NOT coalesce(next.at < now() - o.keep_payloads_days * interval ''1 day'', false)
    ), old AS (
      SELECT next.seq FROM next, young WHERE young.seq IS NULL OR next.seq < young.seq
    ), gone AS (
      UPDATE event SET data = NULL FROM old WHERE event.organization_id = current_organization() AND event.seq = old.seq
        AND event.data IS NOT NULL AND event.payload_digest IS NOT NULL RETURNING event.seq
    ) SELECT (SELECT max(seq) FROM old), (SELECT count(*) FROM gone)::integer';
  REVOKE ALL ON FUNCTION drop_event_payloads(bigint, integer) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION drop_event_payloads(bigint, integer) TO intray_engine;

  -- Organizations that have something to delete: a look or two at indexes for each.
  CREATE FUNCTION gate.organizations_with_old_data() RETURNS TABLE (id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT o.id FROM organization o WHERE
      (SELECT m.at FROM protocol_message m WHERE m.organization_id = o.id ORDER BY m.id LIMIT 1)
        < now() - o.keep_messages_days * interval ''1 day''
      OR EXISTS (SELECT FROM task t WHERE t.organization_id = o.id AND NOT t.watched
        AND t.finished_at < now() - o.keep_tasks_days * interval ''1 day'')
      OR (SELECT e.at FROM event e WHERE e.organization_id = o.id AND e.seq > coalesce((SELECT f.seq
          FROM event_follower f WHERE f.organization_id = o.id AND f.follower = ''retention''), 0)
        ORDER BY e.seq LIMIT 1) < now() - o.keep_payloads_days * interval ''1 day''
    ORDER BY o.id';
  REVOKE ALL ON FUNCTION gate.organizations_with_old_data() FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION gate.organizations_with_old_data() TO intray_engine;
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA public, gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

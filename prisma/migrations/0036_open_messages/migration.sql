-- What came on a connection's streams and is not dealt with is work for an engine, also where no task of it is watched. And
-- what was dealt with a day ago goes with the rest that is no longer kept.
CREATE POLICY gate ON stream_message FOR SELECT TO intray_gate USING (true);
GRANT SELECT (organization_id, connection_id, handled_at) ON stream_message TO intray_gate;
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
DO $$
BEGIN
  SET LOCAL ROLE intray_gate;
  CREATE OR REPLACE FUNCTION gate.connections_with_open_work() RETURNS TABLE (organization_id uuid, connection_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT c.organization_id, c.id FROM connection c WHERE
      EXISTS (SELECT FROM task t WHERE t.connection_id = c.id AND t.organization_id = c.organization_id AND t.watched)
      OR EXISTS (SELECT FROM stream_message m
        WHERE m.connection_id = c.id AND m.organization_id = c.organization_id AND m.handled_at IS NULL)';

  CREATE OR REPLACE FUNCTION gate.organizations_with_old_data() RETURNS TABLE (id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT o.id FROM organization o WHERE
      (SELECT m.at FROM protocol_message m WHERE m.organization_id = o.id ORDER BY m.id LIMIT 1)
        < now() - o.keep_messages_days * interval ''1 day''
      OR EXISTS (SELECT FROM task t WHERE t.organization_id = o.id AND NOT t.watched
        AND t.finished_at < now() - o.keep_tasks_days * interval ''1 day'')
      OR (SELECT e.at FROM event e WHERE e.organization_id = o.id AND e.seq > coalesce((SELECT f.seq
          FROM event_follower f WHERE f.organization_id = o.id AND f.follower = ''retention''), 0)
        ORDER BY e.seq LIMIT 1) < now() - o.keep_payloads_days * interval ''1 day''
      OR EXISTS (SELECT FROM stream_message s JOIN connection c ON c.organization_id = s.organization_id
          AND c.id = s.connection_id
        WHERE c.organization_id = o.id AND s.handled_at < now() - interval ''1 day'')
    ORDER BY o.id';
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- An organization ends three days after an owner asked for it, unless an owner takes that back; and nothing of it is
-- swept or deleted while a legal hold stands.
ALTER TABLE organization
  ADD COLUMN deletion_requested_at timestamptz(3),
  ADD COLUMN deletion_requested_by jsonb,
  ADD COLUMN hold_at timestamptz(3),
  ADD COLUMN hold_by jsonb,
  ADD COLUMN hold_reason text CHECK (length(hold_reason) BETWEEN 1 AND 500),
  ADD CONSTRAINT organization_deletion_whole CHECK ((deletion_requested_at IS NULL) = (deletion_requested_by IS NULL)),
  ADD CONSTRAINT organization_hold_whole CHECK ((hold_at IS NULL) = (hold_by IS NULL) AND (hold_at IS NULL) = (hold_reason IS NULL));

-- The three days begin when they are asked for, whatever the web says.
CREATE FUNCTION date_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_user = 'intray_app' THEN NEW.deletion_requested_at := now(); END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER date_deletion BEFORE UPDATE OF deletion_requested_at ON organization
  FOR EACH ROW WHEN (NEW.deletion_requested_at IS DISTINCT FROM OLD.deletion_requested_at
    AND NEW.deletion_requested_at IS NOT NULL) EXECUTE FUNCTION date_deletion();

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate, public TO intray_gate;
DO $$
DECLARE
  owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  -- Deletes at once: for the operator's command line alone. A web process of before may no longer.
  REVOKE EXECUTE ON FUNCTION gate.delete_organization(uuid, text, bigint) FROM intray_app;
  EXECUTE format('GRANT EXECUTE ON FUNCTION gate.delete_organization(uuid, text, bigint) TO %I', owner);

  CREATE FUNCTION gate.organizations_to_delete() RETURNS TABLE (id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT o.id FROM organization o WHERE o.deletion_requested_at <= now() - interval ''72 hours'' AND o.hold_at IS NULL
      AND NOT EXISTS (SELECT FROM task t WHERE t.organization_id = o.id AND t.watched)';

  -- Deletes an organization whose three days are over. The export that an owner made before asking for it still counts.
  CREATE FUNCTION gate.delete_due_organization(p_organization uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS '
  DECLARE
    own_slug text;
  BEGIN
    SELECT o.slug INTO own_slug FROM organization o WHERE o.id = p_organization AND o.hold_at IS NULL
      AND o.deletion_requested_at <= now() - interval ''72 hours'' FOR UPDATE;
    IF own_slug IS NULL THEN RETURN false; END IF;
    RETURN gate.delete_organization(p_organization, own_slug, 36500::bigint * 86400000) IS NULL;
  END ';

  -- As in 0024; under a hold nothing is dropped, also for an engine of before.
  CREATE FUNCTION drop_event_payloads(p_after bigint, p_limit integer, p_floor_days integer)
    RETURNS TABLE (reached bigint, dropped integer)
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS '
    WITH next AS MATERIALIZED (
      SELECT seq, at FROM event WHERE organization_id = current_organization() AND seq > p_after ORDER BY seq LIMIT p_limit
    ), young AS (
      SELECT min(seq) AS seq FROM next, organization o WHERE o.id = current_organization() AND (o.hold_at IS NOT NULL
        OR NOT coalesce(next.at < now() - greatest(o.keep_payloads_days, p_floor_days) * interval ''1 day''
          AND o.keep_payloads_days IS NOT NULL, false))
    ), old AS (
      SELECT next.seq FROM next, young WHERE young.seq IS NULL OR next.seq < young.seq
    ), gone AS (
      UPDATE event SET data = NULL FROM old WHERE event.organization_id = current_organization() AND event.seq = old.seq
        AND event.data IS NOT NULL AND event.payload_digest IS NOT NULL RETURNING event.seq
    ) SELECT (SELECT max(seq) FROM old), (SELECT count(*) FROM gone)::integer';
  CREATE OR REPLACE FUNCTION drop_event_payloads(p_after bigint, p_limit integer) RETURNS TABLE (reached bigint, dropped integer)
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS
    'SELECT * FROM drop_event_payloads(p_after, p_limit, 1)';

  -- As in 0036, but for organizations under a hold.
  CREATE OR REPLACE FUNCTION gate.organizations_with_old_data() RETURNS TABLE (id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT o.id FROM organization o WHERE o.hold_at IS NULL AND (
      (SELECT m.at FROM protocol_message m WHERE m.organization_id = o.id ORDER BY m.id LIMIT 1)
        < now() - o.keep_messages_days * interval ''1 day''
      OR EXISTS (SELECT FROM task t WHERE t.organization_id = o.id AND NOT t.watched
        AND t.finished_at < now() - o.keep_tasks_days * interval ''1 day'')
      OR (SELECT e.at FROM event e WHERE e.organization_id = o.id AND e.seq > coalesce((SELECT f.seq
          FROM event_follower f WHERE f.organization_id = o.id AND f.follower = ''retention''), 0)
        ORDER BY e.seq LIMIT 1) < now() - o.keep_payloads_days * interval ''1 day''
      OR EXISTS (SELECT FROM stream_message s JOIN connection c ON c.organization_id = s.organization_id
          AND c.id = s.connection_id
        WHERE c.organization_id = o.id AND s.handled_at < now() - interval ''1 day''))
    ORDER BY o.id';
  CREATE FUNCTION gate.organizations_without_hold() RETURNS TABLE (id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT o.id FROM organization o WHERE o.hold_at IS NULL';

  REVOKE ALL ON FUNCTION gate.organizations_to_delete(), gate.delete_due_organization(uuid),
    drop_event_payloads(bigint, integer, integer), gate.organizations_without_hold() FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION gate.organizations_to_delete(), gate.delete_due_organization(uuid),
    drop_event_payloads(bigint, integer, integer), gate.organizations_without_hold() TO intray_engine;
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA gate, public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- Members decide in Slack (docs/decisions/095).

-- A press on a button in Slack, written before Slack gets its answer, and carried out once.
CREATE TABLE slack_press (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  -- By Slack's own id of the press: one that comes twice is carried out once.
  trigger_digest bytea NOT NULL,
  slack_user_id text NOT NULL,
  -- What was pressed, with the reason that was written; null once it was carried out.
  sealed_press text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  done_at timestamptz(3),
  -- `recorded`, `voted`, `asked` (a reason), `lost`, or the code of a refusal.
  outcome text,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, trigger_digest),
  CHECK ((done_at IS NULL) = (outcome IS NULL) AND (done_at IS NULL) = (sealed_press IS NOT NULL))
);
CREATE INDEX slack_press_waiting ON slack_press (created_at) WHERE done_at IS NULL;

ALTER TABLE slack_press ENABLE ROW LEVEL SECURITY;
ALTER TABLE slack_press FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON slack_press USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON slack_press TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE (sealed_press, done_at, outcome) ON slack_press TO intray_app;
GRANT SELECT, DELETE, UPDATE (sealed_press, done_at, outcome) ON slack_press TO intray_engine;
GRANT SELECT (organization_id, created_at, done_at) ON slack_press TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Those with a press whose web process died before it was carried out.
CREATE FUNCTION gate.organizations_with_lost_presses(p_after_ms integer) RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT p.organization_id FROM slack_press p
  WHERE p.done_at IS NULL AND p.created_at < now() - p_after_ms * interval '1 ms' $$;
REVOKE ALL ON FUNCTION gate.organizations_with_lost_presses(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_lost_presses(integer) TO intray_engine;

RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- The networks from which an organization's sessions and API keys are taken (docs/api.md).
ALTER TABLE organization
  -- CIDR, or single addresses; empty: any.
  ADD COLUMN networks text[] NOT NULL DEFAULT '{}',
  -- Counts the changes: who saves names the one that they saw, so that of two at once one is told of the other.
  ADD COLUMN networks_version integer NOT NULL DEFAULT 0;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;
-- Asked within the statement that finds a session or a key. A function of its own, so that those stay as they are.
CREATE FUNCTION gate.organization_networks(p_organization uuid) RETURNS text[]
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT o.networks FROM organization o WHERE o.id = p_organization $$;
REVOKE ALL ON FUNCTION gate.organization_networks(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organization_networks(uuid) TO intray_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- Slack by a socket that Intray opens, for installations that Slack can't reach (docs/decisions/095).

-- Null: Slack calls Intray.
ALTER TABLE slack_app ADD COLUMN sealed_app_token text;
-- The web process that holds the socket, until then unless it says so again.
ALTER TABLE slack_app ADD COLUMN socket_holder uuid;
ALTER TABLE slack_app ADD COLUMN socket_until timestamptz(3);
-- Since when the socket is open; null: it is not, and why.
ALTER TABLE slack_app ADD COLUMN socket_since timestamptz(3);
ALTER TABLE slack_app ADD COLUMN socket_error text;

GRANT SELECT (sealed_app_token) ON slack_app TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

CREATE FUNCTION gate.organizations_with_slack_sockets() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT s.organization_id FROM slack_app s WHERE s.sealed_app_token IS NOT NULL AND s.revoked_at IS NULL $$;
REVOKE ALL ON FUNCTION gate.organizations_with_slack_sockets() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_slack_sockets() TO intray_app;

RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

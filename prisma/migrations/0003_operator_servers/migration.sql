-- Servers of the operator's file are brought into line with it as the database's owner, whom row security binds too:
-- it learns here which organizations have such servers, to take away those that the file no longer gives them.

CREATE POLICY gate ON server FOR SELECT TO intray_gate USING (operator_entry IS NOT NULL);
GRANT SELECT (organization_id, operator_entry, removed_at) ON server TO intray_gate;

CREATE FUNCTION gate.organizations_with_operator_servers() RETURNS TABLE (id uuid, slug text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id, o.slug FROM organization o WHERE EXISTS (
    SELECT FROM server s WHERE s.organization_id = o.id AND s.operator_entry IS NOT NULL AND s.removed_at IS NULL) $$;

-- As 0001: the owner acts as the gate's role for a moment, and gives that up again.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
DO $$
DECLARE
  owner name := current_user;
BEGIN
  REVOKE ALL ON FUNCTION gate.organizations_with_operator_servers() FROM PUBLIC;
  ALTER FUNCTION gate.organizations_with_operator_servers() OWNER TO intray_gate;
  SET LOCAL ROLE intray_gate;
  EXECUTE format('GRANT EXECUTE ON FUNCTION gate.organizations_with_operator_servers() TO %I', owner);
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

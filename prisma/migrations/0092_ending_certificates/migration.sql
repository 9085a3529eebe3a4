-- Owners are told of a SAML provider whose certificate, or Intray's own for it, ends within 30 days. Engines write down when
-- that is, since the database reads no certificates; one of before tells nobody.
ALTER TABLE saml_provider ADD COLUMN certificate_ends_at timestamptz(3);
GRANT SELECT (organization_id, id, name, certificates, certificate, certificate_ends_at) ON saml_provider TO intray_engine;
GRANT UPDATE (certificate_ends_at) ON saml_provider TO intray_engine;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

CREATE FUNCTION gate.organizations_with_saml() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT p.organization_id FROM saml_provider p $$;

REVOKE ALL ON FUNCTION gate.organizations_with_saml() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_saml() TO intray_engine;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

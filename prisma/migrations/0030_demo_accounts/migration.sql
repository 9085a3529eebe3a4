-- The command line asks who is a person of the demonstration: as these anyone signs in, and none becomes somebody's account.
GRANT intray_gate TO CURRENT_USER;
DO $$
DECLARE
  owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  EXECUTE format('GRANT EXECUTE ON FUNCTION gate.demo_people() TO %I', owner);
  RESET ROLE;
END $$;
REVOKE intray_gate FROM CURRENT_USER;

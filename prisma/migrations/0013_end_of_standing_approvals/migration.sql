-- An approval for a while of what may destroy something is an admin's. What was given before counts as such.
ALTER TABLE standing_approval ADD COLUMN needs_admin boolean NOT NULL DEFAULT true;
-- It ends for good when its approver gets another role, leaves or is suspended: the same right given again gives nothing back.
ALTER TABLE standing_approval ADD COLUMN ended_at timestamptz(3);

CREATE POLICY gate ON standing_approval TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE ON standing_approval TO intray_gate;
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;
CREATE FUNCTION gate.end_standing_approvals() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE standing_approval SET ended_at = now() WHERE organization_id = OLD.organization_id AND user_id = OLD.user_id
    AND ended_at IS NULL AND revoked_at IS NULL;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION gate.end_standing_approvals() FROM PUBLIC;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
CREATE TRIGGER end_standing_approvals AFTER DELETE ON membership FOR EACH ROW EXECUTE FUNCTION gate.end_standing_approvals();
CREATE TRIGGER end_standing_approvals_of_role AFTER UPDATE OF role ON membership FOR EACH ROW
  WHEN (OLD.role IS DISTINCT FROM NEW.role) EXECUTE FUNCTION gate.end_standing_approvals();
REVOKE intray_gate FROM CURRENT_USER;

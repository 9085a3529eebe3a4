-- The person who proves an account's address gets no account at Slack of the account's earlier person, who would go on deciding there
-- (docs/decisions/095). It stops as the calendar's address does (0025).
GRANT SELECT (user_id), DELETE ON slack_account TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;
CREATE OR REPLACE FUNCTION gate.forget_channels() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM calendar_feed f WHERE f.organization_id = NEW.organization_id AND f.user_id = NEW.user_id;
  DELETE FROM daily_digest d WHERE d.organization_id = NEW.organization_id AND d.user_id = NEW.user_id;
  DELETE FROM slack_account a WHERE a.organization_id = NEW.organization_id AND a.user_id = NEW.user_id;
  RETURN NULL;
END $$;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

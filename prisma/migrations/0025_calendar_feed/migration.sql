-- A private address at which calendar programs read when a member's requests are due or end (docs/decisions/096).
CREATE TABLE calendar_feed (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- SHA-256 of the secret in the address.
  secret_hash bytea NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- To the minute; null: never.
  read_at timestamptz(3),
  PRIMARY KEY (organization_id, user_id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, user_id) REFERENCES membership (organization_id, user_id) ON DELETE CASCADE
);

ALTER TABLE calendar_feed ENABLE ROW LEVEL SECURITY;
ALTER TABLE calendar_feed FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON calendar_feed USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON calendar_feed TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, DELETE, UPDATE (secret_hash, created_at, read_at) ON calendar_feed TO intray_app;
GRANT SELECT (organization_id, user_id, secret_hash), DELETE ON calendar_feed TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;
-- The member behind a secret. None while a required sign-in provider has signed the member out, as with API keys.
CREATE FUNCTION gate.member_of_calendar_feed(p_secret_hash bytea)
  RETURNS TABLE (organization_id uuid, organization text, user_id uuid, name text, role text, networks text[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT f.organization_id, o.name, f.user_id, u.name, m.role, o.networks FROM calendar_feed f
    JOIN membership m ON m.organization_id = f.organization_id AND m.user_id = f.user_id
    JOIN "user" u ON u.id = f.user_id JOIN organization o ON o.id = f.organization_id
  WHERE f.secret_hash = p_secret_hash AND NOT gate.keys_rest(f.organization_id, f.user_id) $$;
REVOKE ALL ON FUNCTION gate.member_of_calendar_feed(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.member_of_calendar_feed(bytea) TO intray_app;

-- The person who proves an account's address gets neither the calendar's address nor the digest of the account's earlier person.
CREATE FUNCTION gate.forget_channels() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM calendar_feed f WHERE f.organization_id = NEW.organization_id AND f.user_id = NEW.user_id;
  DELETE FROM daily_digest d WHERE d.organization_id = NEW.organization_id AND d.user_id = NEW.user_id;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION gate.forget_channels() FROM PUBLIC;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
CREATE TRIGGER forget_channels AFTER UPDATE OF inherited ON membership FOR EACH ROW WHEN (NEW.inherited)
  EXECUTE FUNCTION gate.forget_channels();
REVOKE intray_gate FROM CURRENT_USER;

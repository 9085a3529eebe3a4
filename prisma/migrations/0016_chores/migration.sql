-- Work of the engine that belongs to no connection: what follows the history, and what is done for every organization.

-- How far a follower of the history has read it.
CREATE TABLE event_follower (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  follower text NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (organization_id, follower)
);
ALTER TABLE event_follower ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_follower FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON event_follower USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON event_follower FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE ON event_follower TO intray_engine;
GRANT SELECT ON event_follower TO intray_gate;
CREATE POLICY gate ON event_head FOR SELECT TO intray_gate USING (true);

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Organizations whose history has lines that the follower has not read: a row each, whatever the history's length.
CREATE FUNCTION gate.organizations_behind(p_follower text) RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT head.organization_id FROM event_head head
    LEFT JOIN event_follower f ON f.organization_id = head.organization_id AND f.follower = p_follower
    WHERE head.seq > coalesce(f.seq, 0) $$;

CREATE FUNCTION gate.organizations() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id FROM organization o ORDER BY o.id $$;

REVOKE ALL ON FUNCTION gate.organizations_behind(text), gate.organizations() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_behind(text), gate.organizations() TO intray_engine;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

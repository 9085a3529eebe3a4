-- Suspended members. The row leaves `membership`, so that whatever asks there, processes of before included, knows no such
-- member; it stands here with what it needs to come back.
CREATE TABLE suspended_member (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  -- That of the membership, before and after.
  id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
  role text NOT NULL,
  granted_by text,
  single_keys boolean NOT NULL,
  tour_seen boolean NOT NULL,
  density text NOT NULL,
  locale text,
  joined_at timestamptz(3) NOT NULL,
  suspended_at timestamptz(3) NOT NULL DEFAULT now(),
  -- The actor.
  suspended_by jsonb NOT NULL,
  -- Who may take it back: an admin took it, or the directory that the organization's people come from.
  cause text NOT NULL CHECK (cause IN ('admin', 'directory')),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, user_id)
);
CREATE INDEX suspended_member_by_user ON suspended_member (user_id);
ALTER TABLE suspended_member ENABLE ROW LEVEL SECURITY;
ALTER TABLE suspended_member FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON suspended_member USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON suspended_member FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON suspended_member TO intray_app;
GRANT SELECT ON suspended_member TO intray_engine, intray_gate;
-- Their names stand on the page of members.
CREATE POLICY suspended ON "user" FOR SELECT USING (EXISTS (SELECT FROM suspended_member s
  WHERE s.user_id = "user".id AND s.organization_id = current_organization()));

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA public TO intray_gate;
SET LOCAL ROLE intray_gate;
-- Nobody comes back through an invitation, a group of a provider or a web process of before. Runs after the insert: one
-- that waited for the suspension to commit sees it only then.
CREATE FUNCTION refuse_suspended() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM suspended_member s WHERE s.organization_id = NEW.organization_id AND s.user_id = NEW.user_id) THEN
    RAISE EXCEPTION 'suspended_member' USING ERRCODE = 'check_violation', CONSTRAINT = 'suspended_member';
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION refuse_suspended() FROM PUBLIC;
RESET ROLE;
CREATE TRIGGER refuse_suspended AFTER INSERT ON membership FOR EACH ROW EXECUTE FUNCTION refuse_suspended();
REVOKE CREATE ON SCHEMA public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

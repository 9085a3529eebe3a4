-- Groups of an organization for stages of the policy (docs/governance.md, docs/decisions/075). Requests keep the ids of groups; who is in
-- one is looked up when somebody looks or votes. Groups of a directory are in directory_group.
CREATE TABLE organization_group (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  changed_by jsonb NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX organization_group_by_name ON organization_group (organization_id, lower(name));
ALTER TABLE organization_group ENABLE ROW LEVEL SECURITY;
ALTER TABLE organization_group FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON organization_group USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, DELETE, UPDATE (name, changed_at, changed_by) ON organization_group TO intray_app;
GRANT SELECT ON organization_group TO intray_engine;

CREATE TABLE organization_group_member (
  organization_id uuid NOT NULL,
  group_id uuid NOT NULL,
  -- The id of the membership: who is suspended is back with it, who left and joins anew has another one.
  member_id uuid NOT NULL,
  PRIMARY KEY (organization_id, group_id, member_id),
  FOREIGN KEY (organization_id, group_id) REFERENCES organization_group (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX organization_group_member_by_member ON organization_group_member (organization_id, member_id);
ALTER TABLE organization_group_member ENABLE ROW LEVEL SECURITY;
ALTER TABLE organization_group_member FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON organization_group_member USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, DELETE ON organization_group_member TO intray_app;
GRANT SELECT ON organization_group_member TO intray_engine;

-- Which group of the organization each name in a version means: name to id. A group that is renamed stays the one that was meant.
ALTER TABLE policy_version ADD COLUMN group_ids jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(group_ids) = 'object');

-- A proposal is also a change of one group that admins made: {what: create | change | delete, name, was, added, removed}, those with ids
-- and names of memberships, and the ids alone once more as `add` and `remove`.
ALTER TABLE policy_proposal ADD COLUMN group_ids jsonb CHECK (jsonb_typeof(group_ids) = 'object'),
  ADD COLUMN group_id uuid,
  ADD COLUMN group_change jsonb CHECK (jsonb_typeof(group_change) = 'object' AND jsonb_exists(group_change, 'what')),
  ADD CONSTRAINT policy_proposal_of_group CHECK ((group_id IS NULL) = (group_change IS NULL)),
  ADD CONSTRAINT policy_proposal_of_one CHECK (policy IS NULL OR group_id IS NULL);
GRANT INSERT (group_ids, group_id, group_change) ON policy_proposal TO intray_app;

-- As in 0156. A change of a group has no policy either, and is no consent to the end of the rule.
CREATE OR REPLACE FUNCTION approves_policy(p_organization uuid, p_policy jsonb) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT EXISTS (SELECT FROM policy_proposal p WHERE p.organization_id = p_organization AND p.state = 'approved'
    AND p.decided_at = now()::timestamptz(3) AND p.policy IS NOT DISTINCT FROM p_policy AND p.group_id IS NULL
    AND NOT same_maker(p_organization, p.proposer, p.approver)) $$;

-- The change of a group that this transaction approves, of another maker; null: none. `{}` where none is needed: the organization asks
-- for no second admin, or is not the one that row security shows; or whoever works is no process that serves.
CREATE FUNCTION approved_group_change(p_organization uuid, p_group uuid) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN current_user <> 'intray_app'
      OR (SELECT o.two_person_policy FROM organization o WHERE o.id = p_organization) IS NOT TRUE THEN '{}'::jsonb
    ELSE (SELECT p.group_change FROM policy_proposal p WHERE p.organization_id = p_organization AND p.group_id = p_group
      AND p.state = 'approved' AND p.decided_at = now()::timestamptz(3)
      AND NOT same_maker(p_organization, p.proposer, p.approver) LIMIT 1) END $$;

CREATE FUNCTION refuse_unapproved_group() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change jsonb;
BEGIN
  IF TG_OP = 'DELETE' THEN
    change := approved_group_change(OLD.organization_id, OLD.id);
    IF change = '{}' OR change ->> 'what' = 'delete' THEN RETURN OLD; END IF;
  ELSE
    change := approved_group_change(NEW.organization_id, NEW.id);
    IF change = '{}' THEN RETURN NEW; END IF;
    IF TG_OP = 'UPDATE' AND NEW.name = OLD.name THEN RETURN NEW; END IF;
    IF (change ->> 'what' = 'create') = (TG_OP = 'INSERT') AND change ->> 'name' = NEW.name THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'a second admin has to approve this change of a group';
END $$;
CREATE TRIGGER group_is_approved BEFORE INSERT OR UPDATE OR DELETE ON organization_group
  FOR EACH ROW EXECUTE FUNCTION refuse_unapproved_group();

-- Members of a group that is deleted go by its foreign key, which works as the database's owner.
CREATE FUNCTION refuse_unapproved_member() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change jsonb;
BEGIN
  IF TG_OP = 'DELETE' THEN
    change := approved_group_change(OLD.organization_id, OLD.group_id);
    IF change = '{}' OR jsonb_exists(change -> 'remove', OLD.member_id::text) THEN RETURN OLD; END IF;
  ELSE
    change := approved_group_change(NEW.organization_id, NEW.group_id);
    IF change = '{}' OR jsonb_exists(change -> 'add', NEW.member_id::text) THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'a second admin has to approve this change of a group';
END $$;
CREATE TRIGGER group_member_is_approved BEFORE INSERT OR DELETE ON organization_group_member
  FOR EACH ROW EXECUTE FUNCTION refuse_unapproved_member();

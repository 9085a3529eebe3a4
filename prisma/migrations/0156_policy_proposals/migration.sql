-- Changes of the policy need a second admin (docs/governance.md): one proposes, another one, who does not count as one person with
-- the first (same_maker), approves. Ending this rule is such a change too.
ALTER TABLE organization ADD COLUMN two_person_policy boolean NOT NULL DEFAULT false;

CREATE TABLE policy_proposal (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  -- The version in force when it was made; once there is another one, the proposal is overtaken.
  base_version integer NOT NULL CHECK (base_version >= 0),
  -- Null: the proposal is to need no second admin any more.
  policy jsonb CHECK (jsonb_typeof(policy) = 'object'),
  -- Whom the addresses in it meant when it was made: address to user id.
  people jsonb CHECK (jsonb_typeof(people) = 'object'),
  proposed_by jsonb NOT NULL,
  -- The maker behind it; the organization's own id for a key of the command line.
  proposer uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'approved', 'withdrawn', 'overtaken', 'replaced')),
  decided_by jsonb,
  -- The person who approved.
  approver uuid,
  decided_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CHECK ((policy IS NULL) = (people IS NULL)),
  CHECK ((state = 'open') = (decided_at IS NULL)),
  CHECK ((state = 'approved') = (approver IS NOT NULL))
);
-- One of each kind a maker: a new one takes the place of the one before.
CREATE UNIQUE INDEX policy_proposal_open ON policy_proposal (organization_id, proposer, (policy IS NULL)) WHERE state = 'open';
ALTER TABLE policy_proposal ENABLE ROW LEVEL SECURITY;
ALTER TABLE policy_proposal FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON policy_proposal USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
-- Nobody who serves changes what a proposal says, or deletes one.
GRANT SELECT, INSERT (organization_id, id, base_version, policy, people, proposed_by, proposer),
  UPDATE (state, decided_by, approver, decided_at) ON policy_proposal TO intray_app;
-- Notices are made by the engine.
GRANT SELECT ON policy_proposal TO intray_engine;

-- Whether this transaction approves a proposal of another maker. Both rules below ask nothing else.
CREATE FUNCTION approves_policy(p_organization uuid, p_policy jsonb) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT EXISTS (SELECT FROM policy_proposal p WHERE p.organization_id = p_organization AND p.state = 'approved'
    AND p.decided_at = now()::timestamptz(3) AND p.policy IS NOT DISTINCT FROM p_policy
    AND NOT same_maker(p_organization, p.proposer, p.approver)) $$;

-- Whichever version of a process writes. Tests and the operator work as the database's owner.
CREATE FUNCTION refuse_unapproved_policy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_user = 'intray_app' AND (SELECT o.two_person_policy FROM organization o WHERE o.id = NEW.organization_id)
    AND NOT approves_policy(NEW.organization_id, NEW.policy)
  THEN RAISE EXCEPTION 'a second admin has to approve this policy'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER policy_is_approved BEFORE INSERT ON policy_version FOR EACH ROW EXECUTE FUNCTION refuse_unapproved_policy();

CREATE FUNCTION refuse_end_of_two_person_policy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_user IN ('intray_app', 'intray_engine') AND NOT approves_policy(NEW.id, NULL)
  THEN RAISE EXCEPTION 'a second admin has to approve the end of this rule'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER two_person_policy_ends BEFORE UPDATE OF two_person_policy ON organization
  FOR EACH ROW WHEN (OLD.two_person_policy AND NOT NEW.two_person_policy) EXECUTE FUNCTION refuse_end_of_two_person_policy();

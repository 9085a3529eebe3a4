-- Who counts as one person where a second one is required: a member and whoever invited them, until another owner
-- vouches for the member. A row outlives the membership, so that nobody gets rid of who invited them.
CREATE TABLE maker (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  user_id uuid NOT NULL,
  -- Null: the operator or a sign-in provider made the member. The organization's own id: a key of the command line did.
  invited_by uuid,
  vouched_by uuid,
  vouched_at timestamptz(3),
  PRIMARY KEY (organization_id, user_id),
  CHECK (invited_by <> user_id),
  CHECK ((vouched_by IS NULL) = (vouched_at IS NULL))
);
CREATE INDEX maker_invited ON maker (organization_id, invited_by) WHERE vouched_at IS NULL;
ALTER TABLE maker ENABLE ROW LEVEL SECURITY;
ALTER TABLE maker FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON maker USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON maker TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE (vouched_by, vouched_at) ON maker TO intray_app;
GRANT SELECT ON maker TO intray_engine;
GRANT SELECT, INSERT, UPDATE ON maker TO intray_gate;

-- The first of those who count as one with this person. The organization's own id stands for the operator, who holds
-- the keys of the command line.
CREATE FUNCTION maker_of(p_organization uuid, p_person uuid) RETURNS uuid LANGUAGE sql STABLE STRICT
  AS $$ WITH RECURSIVE up (id, inviter) AS (
    SELECT p_person, (SELECT m.invited_by FROM maker m
      WHERE m.organization_id = p_organization AND m.user_id = p_person AND m.vouched_at IS NULL)
    UNION SELECT up.inviter, (SELECT m.invited_by FROM maker m
      WHERE m.organization_id = p_organization AND m.user_id = up.inviter AND m.vouched_at IS NULL)
    FROM up WHERE up.inviter IS NOT NULL)
  SELECT id FROM up WHERE inviter IS NULL $$;

-- Whether two people count as one. The rule of a second person asks nothing else, here and in makers_with.
CREATE FUNCTION same_maker(p_organization uuid, p_one uuid, p_other uuid) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT coalesce(maker_of(p_organization, p_one) = maker_of(p_organization, p_other), false) $$;

-- Everybody who counts as one with this person, for lists: all for whom same_maker is true.
CREATE FUNCTION makers_with(p_organization uuid, p_person uuid) RETURNS uuid[] LANGUAGE sql STABLE STRICT
  AS $$ WITH RECURSIVE down (id) AS (
    SELECT maker_of(p_organization, p_person)
    -- OFFSET makes the planner look each inviter up in the index, not read all members for each step of a chain.
    UNION ALL SELECT m.user_id FROM down CROSS JOIN LATERAL (SELECT user_id FROM maker
      WHERE organization_id = p_organization AND invited_by = down.id AND vouched_at IS NULL OFFSET 0) m)
  SELECT array_agg(id) FROM down $$;

ALTER TABLE organization
  -- When the rule of a second person ended last. Tasks of before stay under it.
  ADD COLUMN four_eyes_until timestamptz(3);
GRANT UPDATE (four_eyes, four_eyes_until) ON organization TO intray_engine;

-- A proposal to require no second person any more. Another maker accepts it, or it takes effect by itself: always where a
-- key of the command line proposed it, which may be in the hands of whoever would accept.
CREATE TABLE four_eyes_proposal (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  proposed_by jsonb NOT NULL,
  -- The person behind it; the organization's own id for a key of the command line.
  proposer uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  takes_effect_at timestamptz(3) NOT NULL DEFAULT now() + interval '72 hours',
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'accepted', 'in_effect', 'withdrawn')),
  decided_by jsonb,
  -- The person who accepted.
  accepter uuid,
  decided_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CHECK ((state = 'open') = (decided_at IS NULL)),
  CHECK ((state = 'accepted') = (accepter IS NOT NULL))
);
CREATE UNIQUE INDEX four_eyes_proposal_open ON four_eyes_proposal (organization_id) WHERE state = 'open';
ALTER TABLE four_eyes_proposal ENABLE ROW LEVEL SECURITY;
ALTER TABLE four_eyes_proposal FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON four_eyes_proposal USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON four_eyes_proposal FOR SELECT TO intray_gate USING (true);
-- The time until it takes effect is the database's own.
GRANT SELECT, INSERT (organization_id, id, proposed_by, proposer), UPDATE (state, decided_by, accepter, decided_at)
  ON four_eyes_proposal TO intray_app;
GRANT SELECT, UPDATE (state, decided_by, decided_at) ON four_eyes_proposal TO intray_engine;
GRANT SELECT ON four_eyes_proposal TO intray_gate;

-- The rule ends by a proposal alone, whichever version of a process asks for it. Tests and the operator work as the
-- database's owner.
CREATE FUNCTION end_four_eyes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_user IN ('intray_app', 'intray_engine') AND NOT EXISTS (SELECT FROM four_eyes_proposal p
    WHERE p.organization_id = NEW.id AND p.decided_at = now()::timestamptz(3)
      AND (p.state = 'accepted' AND p.proposer <> NEW.id AND NOT same_maker(NEW.id, p.proposer, p.accepter)
        OR p.state = 'in_effect' AND p.takes_effect_at <= now()))
  THEN RAISE EXCEPTION 'the rule of a second person ends by a proposal alone'; END IF;
  NEW.four_eyes_until := now();
  RETURN NEW;
END $$;
CREATE TRIGGER end_four_eyes BEFORE UPDATE OF four_eyes ON organization
  FOR EACH ROW WHEN (OLD.four_eyes AND NOT NEW.four_eyes) EXECUTE FUNCTION end_four_eyes();

GRANT SELECT (organization_id, user_id, created_at) ON membership TO intray_gate;
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Members of before, and who left, under who invited them.
INSERT INTO maker (organization_id, user_id, invited_by)
  SELECT DISTINCT ON (i.organization_id, u.id) i.organization_id, u.id, coalesce(i.invited_by, i.organization_id)
  FROM invitation i JOIN "user" u ON u.email = i.email
  WHERE i.accepted_at IS NOT NULL AND i.invited_by IS DISTINCT FROM u.id AND NOT EXISTS (SELECT FROM membership m
    WHERE m.organization_id = i.organization_id AND m.user_id = u.id AND m.created_at <> i.accepted_at)
  ORDER BY i.organization_id, u.id, i.accepted_at DESC;
INSERT INTO maker (organization_id, user_id) SELECT m.organization_id, m.user_id FROM membership m
  ON CONFLICT DO NOTHING;
-- Who left and was invited back by somebody they had invited counts as invited by the operator.
WITH RECURSIVE up AS (
  SELECT organization_id, user_id AS person, invited_by AS at FROM maker WHERE invited_by IS NOT NULL
  UNION SELECT up.organization_id, up.person, m.invited_by FROM up JOIN maker m
    ON m.organization_id = up.organization_id AND m.user_id = up.at WHERE m.invited_by IS NOT NULL)
UPDATE maker m SET invited_by = m.organization_id FROM up
  WHERE up.organization_id = m.organization_id AND up.person = m.user_id AND up.at = m.user_id;

-- Remembers who invited a new member, also where a web process of before writes. The invitation was accepted in the
-- same transaction; without one the operator or a provider made the member. An inviter who counts as one with the
-- person changes nothing, so that there are no circles.
CREATE FUNCTION gate.remember_maker() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE by_whom uuid; was_invited boolean;
BEGIN
  SELECT coalesce(i.invited_by, i.organization_id) INTO by_whom FROM invitation i JOIN "user" u ON u.email = i.email
    WHERE u.id = NEW.user_id AND i.organization_id = NEW.organization_id AND i.accepted_at = now()::timestamptz(3);
  was_invited := FOUND;
  INSERT INTO maker AS m (organization_id, user_id, invited_by) VALUES (NEW.organization_id, NEW.user_id, by_whom)
    ON CONFLICT (organization_id, user_id) DO UPDATE
      SET invited_by = excluded.invited_by, vouched_by = NULL, vouched_at = NULL
      WHERE NOT was_invited OR NOT same_maker(m.organization_id, m.user_id, excluded.invited_by);
  RETURN NULL;
END $$;

-- Organizations where a proposal is due.
CREATE FUNCTION gate.organizations_with_due_proposals() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT p.organization_id FROM four_eyes_proposal p WHERE p.state = 'open' AND p.takes_effect_at <= now() $$;
REVOKE ALL ON FUNCTION gate.remember_maker(), gate.organizations_with_due_proposals() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_due_proposals() TO intray_engine;
RESET ROLE;
CREATE TRIGGER remember_maker AFTER INSERT ON membership FOR EACH ROW EXECUTE FUNCTION gate.remember_maker();
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- Rules that answer requests by themselves (docs/governance.md, docs/decisions/073).

-- Who wrote the automatic rules of a version, by the rule's name: {fingerprint, since, makers}. `makers` are those who changed what
-- the rule says last, or how far it goes since then: nobody's own request is answered by a rule of theirs.
ALTER TABLE policy_version ADD COLUMN automatic_authors jsonb CHECK (jsonb_typeof(automatic_authors) = 'object');

-- The names of automatic rules that go live by a proposal whatever their record says: an array, as their owner typed them.
ALTER TABLE policy_proposal ADD COLUMN acknowledged jsonb CHECK (jsonb_typeof(acknowledged) = 'array');
GRANT INSERT (acknowledged) ON policy_proposal TO intray_app;

-- What a rule says of a request. Written as `waiting` in the transaction that stores the request, and judged once, in the
-- transaction of its effect. What no rule is about is deleted.
CREATE TABLE automatic_decision (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  input_request_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- shadow: the rule would have answered. kept: it would have, and people do all the same. undone: it answered, and that was taken
  -- back. failed: what it says is no answer to this question.
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'shadow', 'kept', 'answered', 'undone', 'failed')),
  -- Of kept: sample, cap, stopped. Of undone: person, stopped. Of failed: why, in words.
  reason text,
  -- The rule by its name, the version of the policy, and exactly what it said (lib/policy/automatic/authors.ts).
  rule text,
  version integer,
  fingerprint text,
  action text CHECK (action IN ('accept', 'decline')),
  -- Of exactly what it says. Keyed where the organization seals content.
  content_digest text,
  judged_at timestamptz(3),
  -- Its answer, and the day of it in the organization's zone, by which the cap counts.
  answer_id uuid,
  day date,
  -- What people answered, and whether it was the same. Null: nobody has, or what was the same was never sent.
  people_answer_id uuid,
  agreed boolean,
  PRIMARY KEY (organization_id, input_request_id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id) ON DELETE CASCADE,
  CHECK ((state = 'waiting') = (judged_at IS NULL)),
  CHECK (state = 'waiting' OR (rule IS NOT NULL AND version IS NOT NULL AND fingerprint IS NOT NULL AND action IS NOT NULL)),
  CHECK ((state IN ('answered', 'undone')) = (answer_id IS NOT NULL)),
  CHECK ((answer_id IS NULL) = (day IS NULL)),
  CHECK ((people_answer_id IS NULL) = (agreed IS NULL))
);
CREATE INDEX automatic_decision_waiting ON automatic_decision (organization_id, created_at) WHERE state = 'waiting';
CREATE INDEX automatic_decision_of_rule ON automatic_decision (organization_id, rule, input_request_id);
CREATE INDEX automatic_decision_same ON automatic_decision (organization_id, fingerprint) WHERE agreed IS NOT NULL;
CREATE INDEX automatic_decision_day ON automatic_decision (organization_id, rule, day) WHERE day IS NOT NULL;
ALTER TABLE automatic_decision ENABLE ROW LEVEL SECURITY;
ALTER TABLE automatic_decision FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON automatic_decision USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON automatic_decision FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT (organization_id, input_request_id), UPDATE (state, reason, people_answer_id, agreed)
  ON automatic_decision TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON automatic_decision TO intray_engine;
GRANT SELECT (organization_id, state) ON automatic_decision TO intray_gate;

-- Whether all automatic answers of an organization are stopped. Its row is also their lock: who records one, stops them or changes
-- the rules writes it, so that once a stop or a change has been stored none by the rules of before is recorded.
CREATE TABLE automatic_switch (
  organization_id uuid PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
  stopped_at timestamptz(3),
  stopped_by jsonb,
  locked_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK ((stopped_at IS NULL) = (stopped_by IS NULL))
);
ALTER TABLE automatic_switch ENABLE ROW LEVEL SECURITY;
ALTER TABLE automatic_switch FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON automatic_switch USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE (stopped_at, stopped_by, locked_at) ON automatic_switch TO intray_app;
GRANT SELECT, INSERT (organization_id), UPDATE (locked_at) ON automatic_switch TO intray_engine;

-- pending > undone: a stop of all automatic answers takes back what is not on its way yet, too.
DROP TRIGGER state_machine ON delivery;
CREATE TRIGGER state_machine BEFORE UPDATE OF state ON delivery FOR EACH ROW WHEN (OLD.state <> NEW.state)
  EXECUTE FUNCTION refuse_wrong_move('held>pending', 'held>undone', 'held>failed', 'pending>sending', 'pending>accepted',
    'pending>confirmed', 'pending>failed', 'pending>undone', 'sending>accepted', 'sending>pending', 'sending>confirmed',
    'sending>failed', 'accepted>confirmed', 'accepted>pending', 'accepted>failed');

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
DO $$
BEGIN
  SET LOCAL ROLE intray_gate;
  -- With a request that rules have still to be asked about.
  CREATE FUNCTION gate.organizations_with_automatic_work() RETURNS TABLE (id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT DISTINCT d.organization_id FROM automatic_decision d WHERE d.state = ''waiting''';
  REVOKE ALL ON FUNCTION gate.organizations_with_automatic_work() FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION gate.organizations_with_automatic_work() TO intray_engine;
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

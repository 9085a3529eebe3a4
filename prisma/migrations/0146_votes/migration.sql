-- Requests on which several people have to agree (docs/governance.md, docs/decisions/068). A vote is one person's decision;
-- once the last stage is full, one answer is recorded in the transaction of the last vote.

-- Who has to agree, by the rule and the version of the policy under which the request was asked; null: any one approver. `open`
-- is the stage that is open: who may vote in it and who has.
ALTER TABLE input_request ADD COLUMN approval jsonb;

CREATE TABLE vote (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  -- Counted from 0.
  stage smallint NOT NULL CHECK (stage >= 0),
  -- The question and the content that it is about. Keyed where the organization seals content.
  question_hash text NOT NULL,
  content_digest text NOT NULL,
  action text NOT NULL CHECK (action IN ('accept', 'decline', 'cancel')),
  content json,
  comment text,
  -- Counts as a no: it declines, or it is the form's own way to say no.
  rejects boolean NOT NULL,
  -- Whose vote it is, whoever brought it (`cast_by`: the member, or a key of theirs).
  person uuid NOT NULL,
  cast_by jsonb NOT NULL,
  cast_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- The answer that it is part of, and whether it was the last one that was missing.
  answer_id uuid,
  completes boolean NOT NULL DEFAULT false,
  -- When it stopped to count, and why.
  ended_at timestamptz(3),
  ended_as text CHECK (ended_as IN ('taken_back', 'question_changed', 'other_content', 'asked_again')),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, answer_id) REFERENCES answer (organization_id, id) ON DELETE CASCADE,
  CHECK ((ended_at IS NULL) = (ended_as IS NULL)),
  CHECK (answer_id IS NOT NULL OR NOT completes)
);
-- One person votes once in a stage, also in two calls at once.
CREATE UNIQUE INDEX vote_once ON vote (organization_id, input_request_id, stage, person) WHERE ended_at IS NULL;
CREATE INDEX vote_of_request ON vote (organization_id, input_request_id);
CREATE INDEX vote_of_answer ON vote (organization_id, answer_id) WHERE answer_id IS NOT NULL;
ALTER TABLE vote ENABLE ROW LEVEL SECURITY;
ALTER TABLE vote FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON vote USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
-- Nobody who serves changes what a vote says or deletes one. Sealing changes how content is kept.
GRANT SELECT, INSERT, UPDATE (answer_id, completes, ended_at, ended_as) ON vote TO intray_app;
GRANT SELECT, UPDATE (question_hash, content_digest, content, comment, ended_at, ended_as) ON vote TO intray_engine;

-- Whoever answers, also a process that knows no votes: no answer without them.
CREATE FUNCTION refuse_unvoted() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  stages jsonb := NEW.approval -> 'stages';
  missing integer;
BEGIN
  SELECT count(*) FILTER (WHERE counted.agree < (s.stage ->> 'need')::integer) INTO missing
    FROM jsonb_array_elements(stages) WITH ORDINALITY AS s (stage, n), LATERAL (
      SELECT count(DISTINCT v.person) AS agree FROM vote v
      WHERE v.organization_id = NEW.organization_id AND v.input_request_id = NEW.id AND v.ended_at IS NULL
        AND v.stage = s.n - 1 AND NOT v.rejects) AS counted;
  IF missing > 0 AND NOT EXISTS (SELECT FROM jsonb_array_elements(stages) WITH ORDINALITY AS s (stage, n)
      WHERE (SELECT count(DISTINCT v.person) FROM vote v WHERE v.organization_id = NEW.organization_id
        AND v.input_request_id = NEW.id AND v.ended_at IS NULL AND v.stage = s.n - 1 AND v.rejects)
        >= (s.stage ->> 'rejections')::integer) THEN
    RAISE EXCEPTION 'request % has no answer yet: votes are missing', NEW.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER approval_holds BEFORE UPDATE OF state ON input_request FOR EACH ROW
  WHEN (NEW.state = 'answered' AND OLD.state <> 'answered' AND NEW.approval IS NOT NULL) EXECUTE FUNCTION refuse_unvoted();

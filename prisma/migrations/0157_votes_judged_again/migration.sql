-- Votes end too when an admin has a request judged again, by the policy of now (docs/governance.md). Rows of before stay valid:
-- validated in 0158.
ALTER TABLE vote DROP CONSTRAINT vote_ended_as_check;
ALTER TABLE vote ADD CONSTRAINT vote_ended_as_check
  CHECK (ended_as IN ('taken_back', 'question_changed', 'other_content', 'asked_again', 'judged_again')) NOT VALID;

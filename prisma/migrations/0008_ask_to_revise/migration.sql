-- Neither yes nor no: a decline that asks for another request, with the text that says how. The checks hold for new rows: older
-- ones have the default.
ALTER TABLE answer ADD COLUMN revise boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT answer_revises CHECK (NOT revise OR (action = 'decline' AND comment IS NOT NULL)) NOT VALID;
ALTER TABLE vote ADD COLUMN revise boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT vote_revises CHECK (NOT revise OR (action = 'decline' AND comment IS NOT NULL)) NOT VALID;
-- The earlier request of the same agent and tool that a person asked to revise, without a foreign key for retention's sake. Null: none.
ALTER TABLE input_request ADD COLUMN revises uuid;

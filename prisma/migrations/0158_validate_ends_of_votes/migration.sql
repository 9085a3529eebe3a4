ALTER TABLE vote VALIDATE CONSTRAINT vote_ended_as_check;

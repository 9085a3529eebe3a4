-- Beside those who read and write: the constraint holds for new rows since 0153.
ALTER TABLE vote VALIDATE CONSTRAINT vote_for_another;

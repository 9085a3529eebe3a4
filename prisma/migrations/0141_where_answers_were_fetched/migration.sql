-- A digest of the session to which the answer was last handed over, written before the first byte. Null: it never was, or by an
-- engine of before. Words that are put again in another session may be the same question, whose answer was lost with the first.
ALTER TABLE elicitation_task ADD COLUMN fetched_in bytea;

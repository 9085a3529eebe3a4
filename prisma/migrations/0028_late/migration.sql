-- A server that takes its time, so that tasks are looked at more rarely than they should be: how often they are, instead
-- of how often, and how long an answer takes. Together, or not at all. Engines of before leave them empty.
ALTER TABLE connection
  ADD COLUMN late_every_ms integer,
  ADD COLUMN late_instead_of_ms integer,
  ADD COLUMN late_answer_ms integer,
  ADD CONSTRAINT connection_late CHECK (num_nonnulls(late_every_ms, late_instead_of_ms, late_answer_ms) IN (0, 3));

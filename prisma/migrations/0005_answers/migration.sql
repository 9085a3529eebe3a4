-- How an organization answers: the reasons that are offered for declining, and how long an answer is held before it
-- leaves, so that a slip can be taken back.

ALTER TABLE organization
  ADD decline_reasons text[] NOT NULL DEFAULT ARRAY['Wrong amount', 'Not ours', 'Duplicate', 'Needs a purchase order']
    CHECK (cardinality(decline_reasons) <= 20 AND array_position(decline_reasons, NULL) IS NULL),
  ADD undo_window_ms integer NOT NULL DEFAULT 5000 CHECK (undo_window_ms BETWEEN 0 AND 60000);

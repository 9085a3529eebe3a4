-- Who gave a request to its assignee, when, and what they wrote beside it. Read only together with assignee_user_id.
ALTER TABLE input_request
  ADD COLUMN assigned_by jsonb,
  ADD COLUMN assigned_at timestamptz(3),
  ADD COLUMN assignment_note text CHECK (length(assignment_note) BETWEEN 1 AND 500);

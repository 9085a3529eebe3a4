-- Who gave a request to its assignee, when, and what they wrote beside it. `assigned_by` names the assignee too (`to`): an
-- assignment by an earlier version sets assignee_user_id alone, and the note beside it was for somebody else.
ALTER TABLE input_request
  ADD COLUMN assigned_by jsonb,
  ADD COLUMN assigned_at timestamptz(3),
  ADD COLUMN assignment_note text;
-- Validated by 0045, without the lock that keeps everybody from the table during the scan.
ALTER TABLE input_request ADD CONSTRAINT input_request_assignment_note_check
  CHECK (length(assignment_note) BETWEEN 1 AND 500) NOT VALID;

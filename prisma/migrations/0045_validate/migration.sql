-- Looks at every request, beside those who read and write them.
ALTER TABLE input_request VALIDATE CONSTRAINT input_request_warnings_check;
ALTER TABLE input_request VALIDATE CONSTRAINT input_request_assignment_note_check;

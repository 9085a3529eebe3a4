-- What a person should see before accepting is judged when a question is captured: lists show it, and cannot read the arguments
-- of every row. Something due becomes overdue with time, so its date is kept. The warnings are those of the wording with
-- judged_hash: of questions captured, or reworded, by an engine of before, nobody knows any.
ALTER TABLE input_request
  ADD COLUMN warnings text[] NOT NULL DEFAULT '{}',
  ADD COLUMN judged_hash text,
  ADD COLUMN due_at timestamptz(3);
-- Validated by 0045, without the lock that keeps everybody from the table during the scan.
ALTER TABLE input_request ADD CONSTRAINT input_request_warnings_check
  CHECK (warnings <@ ARRAY ['destructive', 'sum_differs', 'currency_differs']) NOT VALID;

-- What a person should see before accepting is judged when a question is captured: lists show it, and cannot read the arguments
-- of every row. Something due becomes overdue with time, so its date is kept.
ALTER TABLE input_request
  ADD COLUMN warnings text[] NOT NULL DEFAULT '{}'
    CHECK (warnings <@ ARRAY ['destructive', 'sum_differs', 'currency_differs']),
  ADD COLUMN due_at timestamptz(3);

-- Since when the server reports what Intray does not know: a status of no version of MCP, a state that the task's recipe does
-- not name, or a reply that it can't be applied to; null: it is known. The engine writes it.
ALTER TABLE task ADD COLUMN unknown_since timestamptz(3);

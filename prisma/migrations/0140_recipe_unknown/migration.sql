-- Since when a recipe's task is in a state that its recipe does not know, or whose reply it can't be applied to; null: the
-- recipe knows what the server says. The engine writes it.
ALTER TABLE task ADD COLUMN unknown_since timestamptz(3);

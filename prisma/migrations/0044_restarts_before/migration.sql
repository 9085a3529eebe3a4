-- How often the task had been started again when a list of restarts was chosen, counted by the statement that chose it: a
-- further restart, committed at any time since, refuses the item. 0 for lists of before: those are refused rather than repeated.
ALTER TABLE bulk_item ADD COLUMN restarts_before integer NOT NULL DEFAULT 0;

-- Beside those who read and write: the constraint holds for new rows since 0132.
ALTER TABLE task VALIDATE CONSTRAINT task_recipe;

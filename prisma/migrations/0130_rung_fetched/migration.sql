-- Looks at every delivery, beside those who read and write them.
ALTER TABLE delivery VALIDATE CONSTRAINT delivery_rung_check;

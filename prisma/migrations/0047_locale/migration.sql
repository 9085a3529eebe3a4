-- How dates, times and numbers are written for a member; NULL: as their browser asks.
ALTER TABLE membership ADD COLUMN locale text
  CONSTRAINT membership_locale_check CHECK (locale ~ '^[a-z]{2,3}-[A-Z]{2}$');

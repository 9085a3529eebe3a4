-- A comment is typed beside every form, and is as annoying to lose.
ALTER TABLE draft ADD COLUMN comment text;

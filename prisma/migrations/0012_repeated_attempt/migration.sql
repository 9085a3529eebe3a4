-- The attempt repeats one of unknown outcome: that this one certainly did not run says nothing about the earlier one.
ALTER TABLE task ADD COLUMN attempt_repeats boolean NOT NULL DEFAULT false;

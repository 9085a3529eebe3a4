-- What members set for themselves. It stands in the membership, not beside the account: there row security binds it
-- to the organization like everything else that the web writes, and it ends when the membership ends.

ALTER TABLE membership
  ADD COLUMN single_keys boolean NOT NULL DEFAULT true,
  ADD COLUMN tour_seen boolean NOT NULL DEFAULT false;

-- Which of the first steps an organization's admins have put aside. What was done is read from what there is.
ALTER TABLE organization
  ADD COLUMN onboarding_skipped text[] NOT NULL DEFAULT '{}',
  ADD CONSTRAINT organization_onboarding_skipped CHECK (onboarding_skipped <@ ARRAY['server', 'task', 'invitation']);

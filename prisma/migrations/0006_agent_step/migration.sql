-- The first steps of an organization begin with an agent.
ALTER TABLE organization DROP CONSTRAINT organization_onboarding_skipped,
  ADD CONSTRAINT organization_onboarding_skipped CHECK (onboarding_skipped <@ ARRAY['agent', 'server', 'task', 'invitation']);

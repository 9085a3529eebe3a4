-- One open proposal a maker for the policy, for the end of its rule, and for each group.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS policy_proposal_open_of ON policy_proposal
  (organization_id, proposer, (policy IS NULL), coalesce(group_id, organization_id)) WHERE state = 'open';

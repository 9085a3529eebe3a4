-- In its place there is policy_proposal_open_of: proposals about groups have no policy either.
DROP INDEX policy_proposal_open;

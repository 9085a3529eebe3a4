-- The ballots of the open requests, each found once, and the requests on which people vote.
CREATE INDEX CONCURRENTLY IF NOT EXISTS input_request_ballots ON input_request (organization_id, ballot, id)
  WHERE state = 'open' AND ballot IS NOT NULL;

-- The open requests on which people vote, to leave out those in which one has no vote when counting what waits for a member.
CREATE INDEX CONCURRENTLY IF NOT EXISTS input_request_open_votes ON input_request (organization_id, id)
  WHERE state = 'open' AND approval IS NOT NULL;

-- The open requests that ask somebody to visit a site, to leave out those of other people's connections when counting
-- what waits for a member.
CREATE INDEX CONCURRENTLY IF NOT EXISTS input_request_open_url ON input_request (organization_id, connection_id)
  INCLUDE (id) WHERE state = 'open' AND mode = 'url';

-- The open requests that wait for their requesters, which are few.
CREATE INDEX CONCURRENTLY IF NOT EXISTS input_request_needs_info ON input_request (organization_id, id)
  WHERE needs_info IS NOT NULL;

-- Lists by when requests were decided. CASE, not coalesce: the planner knows the index by it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS input_request_decided ON input_request
  (organization_id, state, (CASE WHEN decided_at IS NOT NULL THEN decided_at WHEN ended_at IS NOT NULL THEN ended_at ELSE created_at END), id);

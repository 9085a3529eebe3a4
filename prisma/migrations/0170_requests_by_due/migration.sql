-- Lists by when people should have decided. CASE, not coalesce, as migration 0009 says.
CREATE INDEX CONCURRENTLY IF NOT EXISTS input_request_due ON input_request
  (organization_id, state, (CASE WHEN decide_by IS NULL THEN 'infinity' ELSE decide_by END), id);

-- Lists of what ends or is due soon, by which of both comes first.
CREATE INDEX CONCURRENTLY IF NOT EXISTS input_request_urgent ON input_request
  (organization_id, state, (CASE WHEN decide_by IS NULL AND expires_at IS NULL THEN 'infinity'
    WHEN decide_by IS NULL OR expires_at < decide_by THEN expires_at ELSE decide_by END), id);

-- Questions of Intray's own that wait, by their end: no engine watches them.
CREATE INDEX CONCURRENTLY IF NOT EXISTS input_request_own ON input_request (state, expires_at)
  WHERE origin = 'intray' AND state IN ('open', 'answered');

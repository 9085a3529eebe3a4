-- Counts read this alone: input_request_open (migration 0004), with what tells for whom a request waits.
CREATE INDEX CONCURRENTLY IF NOT EXISTS input_request_counted ON input_request (organization_id, id)
  INCLUDE (task_id, server_id, tool, visibility, requester_user_id, assignee_user_id, created_at, expires_at, amount, ballot, kept_out)
  WHERE state = 'open';

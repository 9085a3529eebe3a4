-- Asks are found by their session and JSON-RPC id, which need no longer be one's alone.
CREATE INDEX CONCURRENTLY IF NOT EXISTS ask_by_session ON ask (organization_id, session_digest, rpc_id)
  WHERE rpc_id IS NOT NULL;

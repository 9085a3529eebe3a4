-- Keys that are about to end are looked for again and again, to warn of them.
CREATE INDEX CONCURRENTLY IF NOT EXISTS api_key_expiring ON api_key (expires_at)
  WHERE revoked_at IS NULL AND expires_at IS NOT NULL;

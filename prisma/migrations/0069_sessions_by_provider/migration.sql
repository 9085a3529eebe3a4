-- A provider ends sessions by whom it means, in its words.
CREATE INDEX CONCURRENTLY IF NOT EXISTS session_by_provider ON session (provider, provider_subject)
  WHERE provider IS NOT NULL;

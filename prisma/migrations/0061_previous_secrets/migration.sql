-- A rotated key is found by its secret of before, which is one key's alone.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS api_key_previous_secret ON api_key (previous_secret_hash)
  WHERE previous_secret_hash IS NOT NULL;

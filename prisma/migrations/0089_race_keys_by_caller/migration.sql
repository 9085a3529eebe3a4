-- As in 0088, for starts of several at once.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS race_idempotency_by_caller ON race (organization_id, idempotency_key,
  (requested_by ->> 'kind'), (coalesce(requested_by ->> 'id', ''))) WHERE idempotency_key IS NOT NULL;

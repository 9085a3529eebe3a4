-- An Idempotency-Key is its caller's own, a member's or an API key's: nobody learns of another's task by guessing one.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS task_idempotency_by_caller ON task (organization_id, idempotency_key,
  (requested_by ->> 'kind'), (coalesce(requested_by ->> 'id', ''))) WHERE idempotency_key IS NOT NULL;

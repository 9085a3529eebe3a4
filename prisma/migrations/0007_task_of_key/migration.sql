-- Searches of the inbox find what an API key asked for by the key's name.
CREATE INDEX CONCURRENTLY IF NOT EXISTS task_of_key ON task (organization_id, (requested_by ->> 'id'))
  WHERE requested_by ->> 'kind' = 'key';

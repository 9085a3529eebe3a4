-- The tasks whose state is unknown, which are few: what needs attention is counted often.
CREATE INDEX CONCURRENTLY IF NOT EXISTS task_unknown ON task (organization_id, id) WHERE unknown_since IS NOT NULL;

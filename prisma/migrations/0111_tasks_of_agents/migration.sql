-- An agent's tasks, newest first, and those of them that are open. Nothing is in it when it is built.
CREATE INDEX CONCURRENTLY IF NOT EXISTS task_of_agent ON task (organization_id, agent_id, created_at DESC, id DESC)
  INCLUDE (state) WHERE agent_id IS NOT NULL;

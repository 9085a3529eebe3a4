-- Exports of lists of tasks are found by the tasks in them, and by the people whose tasks those are.
CREATE INDEX CONCURRENTLY IF NOT EXISTS event_exported ON event
  USING gin ((data -> 'taskIds') jsonb_path_ops, (data -> 'people') jsonb_path_ops) WHERE type = 'tasks.exported';

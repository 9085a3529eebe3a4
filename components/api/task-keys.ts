export interface TaskFilter {
  state: string;
  q: string;
}

export const taskKeys = {
  lists: ["tasks", "list"] as const,
  list: (filter: TaskFilter) => ["tasks", "list", filter] as const,
  counts: ["tasks", "counts"] as const,
  /** Everything about one task lies under this key. */
  task: (id: string) => ["tasks", "task", id] as const,
};

/** As in `GET /tasks`. */
export type TaskQuery = Record<string, string>;

export const taskKeys = {
  lists: ["tasks", "list"] as const,
  list: (query: TaskQuery | null) => ["tasks", "list", query] as const,
  counts: ["tasks", "counts"] as const,
  /** Everything about one task lies under this key. */
  task: (id: string) => ["tasks", "task", id] as const,
};

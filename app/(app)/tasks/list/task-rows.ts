import type { TaskSummary } from "@/lib/tasks/task-schema.ts";

export interface TaskRow {
  task: TaskSummary;
  /** The task left the list. The row stays only while the pointer is over the list. */
  gone: boolean;
}

export const toRow = (task: TaskSummary): TaskRow => ({ task, gone: false });

/**
 * Returns the rows in place with current data, followed by rows of further pages. New tasks before the last row are
 * left out, until the person asks for them. `held`: the pointer is over the list, and no row goes.
 */
export function settled(rows: TaskRow[], fresh: TaskSummary[], held: boolean): TaskRow[] {
  const now = new Map(fresh.map((task) => [task.id, task]));
  const kept = rows.flatMap(({ task }): TaskRow[] => {
    const current = now.get(task.id);
    if (current) return [{ task: current, gone: false }];
    return held ? [{ task, gone: true }] : [];
  });
  const there = new Set(kept.map(({ task }) => task.id));
  const last = fresh.findLastIndex((task) => there.has(task.id));
  // If no row of the old list is left, no row can move.
  if (last === -1 && !held) return fresh.map(toRow);
  return [...kept, ...fresh.slice(last + 1).map(toRow)];
}

"use client";

import { useState } from "react";
import type { TaskSummary } from "@/lib/tasks/schema.ts";

export interface TaskRow {
  task: TaskSummary;
  /** It does not belong to the list any more, and stays only while somebody points at it. */
  gone: boolean;
}

interface Shown {
  name: string;
  rows: TaskRow[];
}

/**
 * The rows as they stand on the screen. Each changes in place and none moves; what is new waits until it is asked for, and
 * what left the list goes once nobody points at it (`held`). `fresh`: the list as read last; undefined while it is read.
 */
export function useTaskRows(name: string, fresh: TaskSummary[] | undefined, held: boolean) {
  const [shown, setShown] = useState<Shown>({ name: "", rows: [] });
  const [seen, setSeen] = useState<{ fresh: unknown; held: boolean }>({ fresh: undefined, held: false });
  if (fresh && (seen.fresh !== fresh || seen.held !== held || shown.name !== name)) {
    setSeen({ fresh, held });
    setShown({ name, rows: shown.name === name ? settled(shown.rows, fresh, held) : fresh.map(toRow) });
  }
  // Until the next list is there, the last one stands for it.
  const { rows } = shown;
  const there = new Set(rows.map(({ task }) => task.id));
  return {
    rows,
    /** How many are in the list and not yet on the screen. */
    unseen: fresh && shown.name === name ? fresh.filter((task) => !there.has(task.id)).length : 0,
    showAll: () => fresh && setShown({ name, rows: fresh.map(toRow) }),
  };
}

const toRow = (task: TaskSummary): TaskRow => ({ task, gone: false });

/** Rows where they are, as they are now; after the last of them what was read on. */
function settled(rows: TaskRow[], fresh: TaskSummary[], held: boolean): TaskRow[] {
  const now = new Map(fresh.map((task) => [task.id, task]));
  const kept = rows.flatMap(({ task }): TaskRow[] => {
    const current = now.get(task.id);
    if (current) return [{ task: current, gone: false }];
    return held ? [{ task, gone: true }] : [];
  });
  const there = new Set(kept.map(({ task }) => task.id));
  const last = fresh.findLastIndex((task) => there.has(task.id));
  // Where nothing of the old list is left there is nothing to stand still.
  if (last === -1 && !held) return fresh.map(toRow);
  return [...kept, ...fresh.slice(last + 1).map(toRow)];
}

"use client";

import { useState } from "react";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";
import { settled, type TaskRow, toRow } from "./task-rows.ts";

interface Shown {
  name: string;
  rows: TaskRow[];
}

/**
 * The rows as shown on the screen. Rows update in place and never move. New tasks wait until the person asks
 * for them, and tasks that left the list disappear once `held` (the pointer is over the list) ends. `fresh`:
 * the list as last read; undefined while loading.
 */
export function useTaskRows(name: string, fresh: TaskSummary[] | undefined, held: boolean) {
  const [shown, setShown] = useState<Shown>({ name: "", rows: [] });
  const [seen, setSeen] = useState<{ fresh: unknown; held: boolean }>({ fresh: undefined, held: false });
  if (fresh && (seen.fresh !== fresh || seen.held !== held || shown.name !== name)) {
    setSeen({ fresh, held });
    setShown({ name, rows: shown.name === name ? settled(shown.rows, fresh, held) : fresh.map(toRow) });
  }
  // Until the next list is loaded, the last one is shown.
  const { rows } = shown;
  const there = new Set(rows.map(({ task }) => task.id));
  return {
    rows,
    /** Tasks in the list that are not on the screen yet. */
    unseen: fresh && shown.name === name ? fresh.filter((task) => !there.has(task.id)).length : 0,
    showAll: () => fresh && setShown({ name, rows: fresh.map(toRow) }),
  };
}

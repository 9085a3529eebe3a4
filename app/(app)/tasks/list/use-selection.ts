"use client";

import { useState } from "react";
import { rangeOf } from "@/lib/format/requests/selection.ts";
import type { TaskRow } from "./use-task-rows.ts";

/** The tasks that are selected to be dealt with together: rows of the list, or all that the list would show. */
export function useSelection(list: string, rows: TaskRow[]) {
  const [state, setState] = useState<{ list: string; ids: string[]; last: string | null; all: boolean }>({
    list,
    ids: [],
    last: null,
    all: false,
  });
  // What was selected in another list is out of sight: nothing must be done to it along.
  if (state.list !== list) setState({ list, ids: [], last: null, all: false });
  const present = rows.filter((row) => !row.gone).map((row) => row.task.id);
  const chosen = new Set(state.ids);
  const ids = state.all ? present : present.filter((id) => chosen.has(id));
  const set = (next: string[], last: string | null) => setState({ list, ids: next, last, all: false });
  return {
    ids,
    /** All that match, those that are not loaded too. */
    all: state.all,
    has: (id: string) => state.all || chosen.has(id),
    toggle: (id: string) => set(ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id], id),
    /** All from the last one that was selected to this one. */
    extend: (id: string) => set([...new Set([...ids, ...rangeOf(present, state.last, id)])], id),
    selectLoaded: () => set(present, present.at(-1) ?? null),
    selectAll: () => setState({ list, ids: present, last: null, all: true }),
    clear: () => set([], null),
  };
}

export type Selection = ReturnType<typeof useSelection>;

"use client";

import { useState } from "react";

/** The rows selected for a bulk action: some loaded rows, or all that match. */
export interface Selection {
  /** Selected ids in list order. A row that leaves the list leaves the selection. */
  ids: string[];
  /** Whether all matching rows are selected, including rows that are not loaded. */
  all: boolean;
  has: (id: string) => boolean;
  toggle: (id: string) => void;
  /** Selects all rows from the last selected one to this one. */
  extend: (id: string) => void;
  select: (ids: string[]) => void;
  selectAll: () => void;
  clear: () => void;
}

/**
 * `list`: a name of the list, by which a change of list is noticed. `present`: the selectable rows, in order.
 */
export function useSelection(list: string, present: string[]): Selection {
  const [state, setState] = useState<{ list: string; ids: string[]; last: string | null; all: boolean }>({
    list,
    ids: [],
    last: null,
    all: false,
  });
  // Rows selected in another list are out of sight, so no action may include them.
  if (state.list !== list) setState({ list, ids: [], last: null, all: false });
  const chosen = new Set(state.all ? present : state.ids);
  const ids = present.filter((id) => chosen.has(id));
  const set = (next: string[], last: string | null) => setState({ list, ids: next, last, all: false });
  return {
    ids,
    all: state.all,
    has: (id) => chosen.has(id),
    toggle: (id) => set(chosen.has(id) ? ids.filter((each) => each !== id) : [...ids, id], id),
    extend: (id) => set([...new Set([...ids, ...rangeOf(present, state.last, id)])], id),
    select: (next) => set(next, next.at(-1) ?? null),
    selectAll: () => setState({ list, ids: present, last: null, all: true }),
    clear: () => set([], null),
  };
}

/** Returns the ids from one row to another, inclusive, in list order; only `to` if `from` is not listed. */
export function rangeOf(ids: string[], from: string | null, to: string): string[] {
  const end = ids.indexOf(to);
  if (end === -1) return [];
  const start = from === null ? -1 : ids.indexOf(from);
  if (start === -1) return [to];
  return ids.slice(Math.min(start, end), Math.max(start, end) + 1);
}

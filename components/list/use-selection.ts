"use client";

import { useState } from "react";

/** The rows that are selected to be dealt with together: some that are loaded, or all that match. */
export interface Selection {
  /** In the order of the list. What left the list has left the selection. */
  ids: string[];
  /** All that match, those that are not loaded too. */
  all: boolean;
  has: (id: string) => boolean;
  toggle: (id: string) => void;
  /** Selects from the row that was selected last to this one. */
  extend: (id: string) => void;
  select: (ids: string[]) => void;
  selectAll: () => void;
  clear: () => void;
}

/** `list` names what is listed. `present`: the rows that can be selected, in their order. */
export function useSelection(list: string, present: string[]): Selection {
  const [state, setState] = useState<{ list: string; ids: string[]; last: string | null; all: boolean }>({
    list,
    ids: [],
    last: null,
    all: false,
  });
  // What was selected in another list is out of sight: nothing must be done to it along.
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

/** The ids from one row to another, both included, in the order of the list; only `to` when `from` is not in it. */
export function rangeOf(ids: string[], from: string | null, to: string): string[] {
  const end = ids.indexOf(to);
  if (end === -1) return [];
  const start = from === null ? -1 : ids.indexOf(from);
  if (start === -1) return [to];
  return ids.slice(Math.min(start, end), Math.max(start, end) + 1);
}

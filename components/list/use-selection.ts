"use client";

import { useState } from "react";
import { NONE_SELECTED, type Step, selectedIn, selectionAfter } from "./selection.ts";

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
  const [state, setState] = useState({ ...NONE_SELECTED, list });
  // Rows selected in another list are out of sight, so no action may include them.
  if (state.list !== list) setState({ ...NONE_SELECTED, list });
  const ids = selectedIn(state, present);
  const chosen = new Set(ids);
  const take = (step: Step) => setState({ ...selectionAfter(state, present, step), list });
  return {
    ids,
    all: state.all,
    has: (id) => chosen.has(id),
    toggle: (id) => take({ kind: "toggle", id }),
    extend: (id) => take({ kind: "extend", id }),
    select: (next) => take({ kind: "select", ids: next }),
    selectAll: () => take({ kind: "select-all" }),
    clear: () => take({ kind: "select", ids: [] }),
  };
}

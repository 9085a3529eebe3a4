/** Which rows of a list are selected: pure. */

/** `last`: the row that was selected last, from which a range goes. `all`: all that match, also those not loaded. */
export interface Selected {
  ids: string[];
  last: string | null;
  all: boolean;
}

export const NONE_SELECTED: Selected = { ids: [], last: null, all: false };

/** Returns the selected rows in list order. A row that leaves the list leaves the selection. */
export function selectedIn({ ids, all }: Selected, present: string[]): string[] {
  return all ? present : present.filter((id) => ids.includes(id));
}

export type Step =
  | { kind: "toggle"; id: string }
  /** Selects all rows from the last selected one to this one. */
  | { kind: "extend"; id: string }
  | { kind: "select"; ids: string[] }
  | { kind: "select-all" };

/** Returns the selection after a step. Any step but `select-all` ends the selection of rows that are not loaded. */
export function selectionAfter(before: Selected, present: string[], step: Step): Selected {
  const ids = selectedIn(before, present);
  switch (step.kind) {
    case "toggle": {
      const without = ids.filter((id) => id !== step.id);
      return {
        ids: without.length < ids.length ? without : [...ids, step.id],
        last: step.id,
        all: false,
      };
    }
    case "extend":
      return {
        ids: [...new Set([...ids, ...rangeOf(present, before.last, step.id)])],
        last: step.id,
        all: false,
      };
    case "select":
      return { ids: step.ids, last: step.ids.at(-1) ?? null, all: false };
    case "select-all":
      return { ids: present, last: null, all: true };
  }
}

/** Returns the ids from one row to another, inclusive, in list order; only `to` if `from` is not listed. */
export function rangeOf(ids: string[], from: string | null, to: string): string[] {
  const end = ids.indexOf(to);
  if (end === -1) return [];
  const start = from === null ? -1 : ids.indexOf(from);
  if (start === -1) return [to];
  return ids.slice(Math.min(start, end), Math.max(start, end) + 1);
}

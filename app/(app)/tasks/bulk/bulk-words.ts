import type { BulkAction } from "@/lib/lifecycle/bulk-operations/bulk-operation-schema.ts";
import { plural } from "@/lib/text/labels.ts";

export const BULK_WORDS: Record<
  BulkAction,
  { title: string; description: string; leftOut: string; confirm: string; doing: string; done: string }
> = {
  cancel: {
    title: "Cancel tasks",
    description:
      "Open questions of these tasks are withdrawn, and their servers are told to stop. What a tool has already done is not undone.",
    leftOut: "they have ended, or you must cancel them one by one.",
    confirm: "Cancel",
    doing: "Cancelling",
    done: "Cancelling",
  },
  refresh: {
    title: "Check tasks now",
    description: "Each task’s server is asked for its state now.",
    leftOut: "they have ended.",
    confirm: "Check",
    doing: "Checking",
    done: "Checking",
  },
  restart: {
    title: "Start tasks again",
    description:
      "Each call is made again, as a new task with the same arguments. The tool does its work again.",
    leftOut: "they are still running, or their call is unknown.",
    confirm: "Start again",
    doing: "Starting again",
    done: "Starting again",
  },
};

/** The tasks of a bulk action: those selected, or all that match, also those that are not loaded. */
interface Chosen {
  ids: string[];
  /** All that match are selected. */
  all: boolean;
  /** The list has tasks that are not loaded. */
  more: boolean;
  /** The number of tasks in the list, in words; null if unknown. */
  total: string | null;
}

/** Returns `3 tasks selected`, or `All 220 matching tasks selected`. */
export function selectedWords({ ids, all, more, total }: Chosen): string {
  if (!all || !more) return `${plural(ids.length, "task")} selected`;
  return `All ${total === null ? "" : `${total} `}matching tasks selected`;
}

/** Returns what the button says that selects also the tasks that are not loaded, or null if there is none. */
export function selectAllWords({ all, more, total }: Chosen): string | null {
  if (all || !more) return null;
  return total === null ? "Select all matching" : `Select all ${total} matching`;
}

/**
 * Returns what the API is told of the tasks: the selected ones, or the filter without its order. `count`: how many
 * are meant; null if that is unknown.
 */
export function chosenTasks(
  { ids, all, more }: Chosen,
  query: Record<string, string> | null,
): { chosen: { taskIds: string[] } | { filter: Record<string, string> }; count: number | null } {
  const { order: _, ...filter } = query ?? {};
  return { chosen: all ? { filter } : { taskIds: ids }, count: all && more ? null : ids.length };
}

/** Returns how many selected tasks the action does not take, and why; null if it takes all. */
export function leftOutWords(count: number | null, taken: number, why: string): string | null {
  if (count === null || count <= taken) return null;
  const left = count - taken;
  return `${plural(left, "task")} of the ${count} selected ${left === 1 ? "is" : "are"} not included: ${why}`;
}

import type { BulkAction } from "@/lib/bulk-operations/schema.ts";

export const BULK_WORDS: Record<
  BulkAction,
  { title: string; description: string; leftOut: string; confirm: string; doing: string; done: string }
> = {
  cancel: {
    title: "Cancel tasks",
    description:
      "Open questions of these tasks are withdrawn, and their servers are told to stop. What a tool has already done is not undone.",
    leftOut: "they have ended, or must be settled one by one.",
    confirm: "Cancel",
    doing: "Cancelling",
    done: "Cancelling",
  },
  refresh: {
    title: "Check tasks now",
    description: "Each task's server is asked for its state now.",
    leftOut: "they have ended.",
    confirm: "Check",
    doing: "Checking",
    done: "Checking",
  },
  restart: {
    title: "Start tasks again",
    description:
      "Each call is made again, as a new task with the same arguments. Whatever the tool does, it does again.",
    leftOut: "they are still running, or their call is unknown.",
    confirm: "Start again",
    doing: "Starting again",
    done: "Starting again",
  },
};

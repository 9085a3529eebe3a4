import type { Read } from "./access-log-schema.ts";

/** What a reader did, to follow their name. `whose`: the person who asked for the task, or nobody: the reader of the page. */
export function readWords({ kind, document }: Read, whose: string | null): string {
  switch (kind) {
    case "protocol":
      return "read the protocol messages";
    case "document":
      return document ? `opened the document “${document}”` : "opened a document";
    case "tasks_export":
      return whose === null ? "exported a list with tasks of yours" : "exported a list with this task";
    case "history_export":
      return "exported the history of the organization";
    case "organization_export":
      return "exported the whole organization";
    case "view_as":
      return `looked at lists as ${whose ?? "you"}, read only`;
  }
}

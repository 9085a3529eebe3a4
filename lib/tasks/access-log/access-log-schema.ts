import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import { pageQuerySchema, pageSchema } from "../../base/page.ts";

/**
 * The looks at a task that are recorded. protocol, document: somebody read its messages or opened a document.
 * tasks_export: a list that it was in left as a file. history_export, organization_export: everything did.
 * view_as: an admin looked at lists as the person who asked for it.
 */
const READ_KINDS = [
  "protocol",
  "document",
  "tasks_export",
  "history_export",
  "organization_export",
  "view_as",
] as const;
export type ReadKind = (typeof READ_KINDS)[number];

const readSchema = z.object({
  /** The line of the organization's history. */
  seq: z.number(),
  at: z.iso.datetime(),
  kind: z.enum(READ_KINDS),
  by: actorSchema,
  /** The task that was looked into; null for exports and views, which concern many. */
  task: z.object({ id: z.uuid(), label: z.string().nullable(), tool: z.string() }).nullable(),
  /** The name of the document. Untrusted; null once the history's details were deleted. */
  document: z.string().nullable(),
});
export type Read = z.infer<typeof readSchema>;

export const readsQuerySchema = pageQuerySchema;
export const readsSchema = pageSchema(readSchema);

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

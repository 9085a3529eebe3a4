/** Exports lists of tasks as files: one line a task, without arguments and results. */
import { z } from "zod";
import type { Principal } from "../access/principal.ts";
import type { Tx } from "../base/db/db.ts";
import { csvLine } from "../text/csv.ts";
import { listTasks } from "./list.ts";
import { type TaskListQuery, type TaskSummary, taskListQuerySchema } from "./schema.ts";

export const taskExportSchema = taskListQuerySchema.extend({
  format: z.enum(["csv", "ndjson"]).default("ndjson"),
});
export type TaskExport = z.infer<typeof taskExportSchema>;

/** Tasks read in one transaction, and held in memory at once. */
const BATCH = 500;

const COLUMNS: [name: string, of: (task: TaskSummary) => string | number | boolean | null][] = [
  ["id", (task) => task.id],
  ["label", (task) => task.label],
  ["tool", (task) => task.tool],
  ["server", (task) => task.server.name],
  ["state", (task) => task.state],
  ["attention", (task) => task.attention?.code ?? null],
  ["outcome", (task) => task.outcome],
  ["outcomeIsError", (task) => task.outcomeIsError],
  ["statusMessage", (task) => task.statusMessage],
  ["error", (task) => task.error?.message ?? null],
  ["requestedBy", (task) => task.requestedBy.name],
  ["createdAt", (task) => task.createdAt],
  ["startedAt", (task) => task.startedAt],
  ["updatedAt", (task) => task.updatedAt],
  ["finishedAt", (task) => task.finishedAt],
  ["expiresAt", (task) => task.expiresAt],
  ["restartOf", (task) => task.restartOf],
];

/** Yields the file in pieces, in the list's order. `within` opens a transaction for each piece. */
export async function* exportedTasks(
  organizationId: string,
  principal: Principal,
  { format, ...query }: TaskExport,
  within: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  batch = BATCH,
): AsyncGenerator<string> {
  const lineOf = (task: TaskSummary) =>
    format === "csv" ? csvLine(COLUMNS.map(([, of]) => of(task))) : `${JSON.stringify(task)}\n`;
  // The byte order mark makes spreadsheets read UTF-8.
  if (format === "csv") yield `\uFEFF${csvLine(COLUMNS.map(([name]) => name))}`;
  let cursor: string | undefined;
  do {
    const list: TaskListQuery & { limit: number; cursor?: string } = {
      ...query,
      limit: batch,
      ...(cursor && { cursor }),
    };
    const page = await within((tx) => listTasks(organizationId, tx, principal, list));
    if (page.items.length > 0) yield page.items.map(lineOf).join("");
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
}

/** Exports lists of tasks as files: one line a task, without arguments and results. */

import { z } from "zod";
import type { Principal } from "../access/principal.ts";
import type { Tx } from "../base/db/db.ts";
import { appendEvents } from "../history/events/event-writes.ts";
import { REQUESTER } from "../people/members/one-maker.ts";
import { visibleText } from "../text/foreign/hidden.ts";
import { listTasks } from "./task-list-reads.ts";
import { type TaskListQuery, type TaskSummary, taskListQuerySchema } from "./task-schema.ts";

export const taskExportSchema = taskListQuerySchema.extend({
  format: z.enum(["csv", "ndjson"]).default("ndjson"),
});
export type TaskExport = z.infer<typeof taskExportSchema>;

/** Tasks read in one transaction, and held in memory at once. */
const BATCH = 200;

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

/**
 * Yields the file in pieces, in the list's order. `within` opens a transaction for each piece, which leaves in the
 * history what leaves with it.
 */
export async function* exportedTasks(
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
    const page = await within(async (tx) => {
      const found = await listTasks(tx, principal, list);
      await recordExport(
        tx,
        principal,
        found.items.map(({ id }) => id),
      );
      return found;
    });
    if (page.items.length > 0) yield page.items.map(lineOf).join("");
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
}

/** Tasks that one line of the history names, so that a line stays small enough to be sent on. */
const TASKS_A_LINE = 100;

/** Writes down which tasks leave, and whose they are: who started them, and who answered or has their requests. */
async function recordExport(tx: Tx, { actor }: Principal, taskIds: string[]): Promise<void> {
  const rows = await tx.$queryRaw<{ taskId: string; userId: string | null }[]>`
    SELECT t.id AS "taskId", ${REQUESTER} AS "userId" FROM task t
      WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ANY (${taskIds}::uuid[])
    UNION SELECT r.task_id, r.assignee_user_id FROM input_request r
      WHERE r.organization_id = ${tx.organizationId}::uuid AND r.task_id = ANY (${taskIds}::uuid[])
    UNION SELECT r.task_id, (a.answered_by ->> 'id')::uuid FROM input_request r
      JOIN answer a ON a.organization_id = r.organization_id AND a.input_request_id = r.id
      WHERE r.organization_id = ${tx.organizationId}::uuid AND r.task_id = ANY (${taskIds}::uuid[])
        AND a.answered_by ->> 'kind' = 'member'`;
  const parts = Array.from({ length: Math.ceil(taskIds.length / TASKS_A_LINE) }, (_, at) =>
    taskIds.slice(at * TASKS_A_LINE, (at + 1) * TASKS_A_LINE),
  );
  await appendEvents(
    tx,
    parts.map((part) => {
      const among = new Set(part);
      const people = new Set(
        rows.flatMap(({ taskId, userId }) => (userId && among.has(taskId) ? userId : [])),
      );
      return { type: "tasks.exported" as const, actor, data: { taskIds: part, people: [...people] } };
    }),
  );
}

/**
 * Returns one line of comma-separated values (RFC 4180). Cells are untrusted text that people read: hidden characters are marked, and whatever a spreadsheet
 * would take for a formula gets an apostrophe in front: also behind semicolons, tabs and line breaks, where some take a cell to begin, quoted or not.
 */
export function csvLine(cells: (string | number | boolean | null)[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

function cellOf(cell: string | number | boolean | null): string {
  const text = cell === null ? "" : String(cell);
  const safe = typeof cell === "string" ? withoutFormulas(visibleText(text)) : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Characters that begin a formula, also as wide as an ideograph. */
const FORMULA = /[=+\-@|%\uFF1D\uFF0B\uFF0D\uFF20]/;

function withoutFormulas(text: string): string {
  return text.replace(/^[;\s]*|[;\s]+/g, (gap, at: number) => {
    if (!FORMULA.test(text.charAt(at + gap.length))) return gap;
    if (at === 0) return `'${gap}`;
    return /[;\t\r\n]/.test(gap) ? `${gap}'` : gap;
  });
}

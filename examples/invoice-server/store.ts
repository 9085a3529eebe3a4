import type { PoolClient } from "pg";
import type { Database } from "./database.ts";
import { invalidParams } from "./protocol/rpc.ts";
import type { QuestionKey } from "./question.ts";
import { ended } from "./state.ts";
import type { InvoiceTask } from "./task.ts";

/** Reads of invoice tasks. The writes are in transitions.ts, answers.ts and payments.ts. */

const COLUMNS = `task_id, invoice, state, question_key, question, question_expires_at, reason, result, error,
  lines_paid, lines_failed, ttl_ms, created_at, updated_at`;

type TaskRow = {
  task_id: string;
  invoice: InvoiceTask["invoice"];
  state: InvoiceTask["state"];
  question_key: QuestionKey | null;
  question: NonNullable<InvoiceTask["question"]>["params"] | null;
  question_expires_at: Date | null;
  reason: string | null;
  result: InvoiceTask["result"];
  error: InvoiceTask["error"];
  lines_paid: number;
  lines_failed: number;
  ttl_ms: string;
  created_at: Date;
  updated_at: Date;
};

/** Reads one indexed row, because hundreds of clients poll. Throws -32602 for an unknown task. */
export async function getTask(db: Database, taskId: string): Promise<InvoiceTask> {
  const found = await findTask(db, taskId);
  if (!found) throw unknownTask(taskId);
  return found;
}

export async function findTask(db: Database, taskId: string): Promise<InvoiceTask | null> {
  const { rows } = await db.pool.query<TaskRow>(`select ${COLUMNS} from invoice_task where task_id = $1`, [
    taskId,
  ]);
  return rows[0] ? toTask(rows[0]) : null;
}

/**
 * Locks the task's row and returns the task, so that an answer, a cancel and a payment take turns. Throws
 * -32602 for an unknown task.
 */
export async function lockTask(client: PoolClient, taskId: string): Promise<InvoiceTask> {
  const { rows } = await client.query<TaskRow>(
    `select ${COLUMNS} from invoice_task where task_id = $1 for update`,
    [taskId],
  );
  if (!rows[0]) throw unknownTask(taskId);
  return toTask(rows[0]);
}

/** A position in a list of tasks, newest first: the last task of the previous page. */
export type ListPosition = [createdAt: string, taskId: string];

/** Lists tasks, newest first. */
export async function listTasks(
  db: Database,
  after: ListPosition | null,
  limit: number,
): Promise<InvoiceTask[]> {
  const { rows } = await db.pool.query<TaskRow>(
    `select ${COLUMNS} from invoice_task
     where $1::timestamptz is null or (created_at, task_id) < ($1::timestamptz, $2)
     order by created_at desc, task_id desc limit $3`,
    [...(after ?? [null, null]), limit],
  );
  return rows.map(toTask);
}

/** Returns tasks that have not ended, by task id or by invoice number; all of them without either. */
export async function openTasks(db: Database, id?: { taskId?: string; invoiceId?: string }) {
  const { rows } = await db.pool.query<TaskRow>(
    `select ${COLUMNS} from invoice_task
     where state <> all($1) and ($2::text is null or task_id = $2) and ($3::text is null or invoice_id = $3)
     order by created_at`,
    [ended, id?.taskId ?? null, id?.invoiceId ?? null],
  );
  return rows.map(toTask);
}

export type Line = {
  line: number;
  description: string;
  cents: number;
  dueAt: Date;
  forcedAt: Date | null;
  paidAt: Date | null;
  reference: string | null;
  failure: string | null;
};

export async function linesOf(queryable: Pick<PoolClient, "query">, taskId: string): Promise<Line[]> {
  const { rows } = await queryable.query<Line>(
    `select line, description, cents::float8 as cents, due_at as "dueAt", forced_at as "forcedAt", paid_at as "paidAt",
            reference, failure
     from invoice_line where task_id = $1 order by line`,
    [taskId],
  );
  return rows;
}

export type LedgerEntry = {
  id: number;
  at: Date;
  taskId: string;
  kind: string;
  data: Record<string, unknown>;
};

export async function readLedger(db: Database, taskId: string | null): Promise<LedgerEntry[]> {
  const { rows } = await db.pool.query<LedgerEntry>(
    `select id::float8 as id, at, task_id as "taskId", kind, data from invoice_ledger
     where $1::text is null or task_id = $1 order by id`,
    [taskId],
  );
  return rows;
}

export const unknownTask = (taskId: string) => invalidParams(`Unknown task: ${taskId}`);

function toTask(row: TaskRow): InvoiceTask {
  return {
    taskId: row.task_id,
    invoice: row.invoice,
    state: row.state,
    question: row.question_key && row.question ? { key: row.question_key, params: row.question } : null,
    questionExpiresAt: row.question_expires_at,
    reason: row.reason,
    result: row.result,
    error: row.error,
    linesPaid: row.lines_paid,
    linesFailed: row.lines_failed,
    ttlMs: Number(row.ttl_ms),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function cursorOf(task: { createdAt: Date; taskId: string }): string {
  return Buffer.from(JSON.stringify([task.createdAt, task.taskId])).toString("base64url");
}

/** Throws -32602 for an invalid cursor. */
export function parseCursor(cursor: string): ListPosition {
  try {
    const [at, taskId] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as [string, string];
    return [new Date(at).toISOString(), String(taskId)];
  } catch (cause) {
    throw Object.assign(invalidParams("Invalid cursor"), { cause });
  }
}

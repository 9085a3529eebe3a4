import { randomUUID } from "node:crypto";
import type { PoolClient } from "pg";
import { type Database, inTransaction } from "./database.ts";
import { invalidParams } from "./protocol/rpc.ts";
import { COST_CENTER, cents, totalCents } from "./question.ts";
import { hasEnded, type State } from "./state.ts";
import { getTask, linesOf, lockTask } from "./store.ts";
import type { InvoiceTask, ToolResult } from "./task.ts";
import type { Invoice } from "./tool.ts";

/**
 * Every write to a task except those of answers.ts and payments.ts. Each is one transaction that locks the
 * task's row, checks the expected state, and writes the ledger beside the change. Each is repeatable, because
 * a killed step runs again.
 */

const DAY_MS = 24 * 60 * 60 * 1000;
/** Both questions may wait five days; a task must outlive them. */
export const MINIMUM_TTL_MS = 35 * DAY_MS;

/** Starts a task, or returns the task that this idempotency key started before. */
export async function createTask(db: Database, invoice: Invoice, key: string | null): Promise<InvoiceTask> {
  const taskId = `invoice-${randomUUID()}`;
  const existing = await inTransaction(db, async (client) => {
    const now = new Date();
    const lastDue = Math.max(...invoice.lines.map((line) => Date.parse(line.due_date)));
    const ttlMs = Math.max(lastDue + 30 * DAY_MS - now.getTime(), MINIMUM_TTL_MS);
    const inserted = await client.query(
      `insert into invoice_task (task_id, idempotency_key, invoice_id, invoice, state, ttl_ms, created_at, updated_at)
       values ($1, $2, $3, $4, 'SUBMITTED', $5, $6, $6) on conflict (idempotency_key) do nothing`,
      [taskId, key, invoice.invoice_id, JSON.stringify(invoice), ttlMs, now],
    );
    if (inserted.rowCount === 0) return repeatedStart(client, invoice, key);
    for (const [index, line] of invoice.lines.entries()) {
      await client.query(
        "insert into invoice_line (task_id, line, description, cents, due_at) values ($1, $2, $3, $4, $5)",
        [taskId, index + 1, line.description, cents(line.amount), line.due_date],
      );
    }
    await record(client, taskId, "created", { invoiceId: invoice.invoice_id, key });
    return null;
  });
  return getTask(db, existing ?? taskId);
}

async function repeatedStart(client: PoolClient, invoice: Invoice, key: string | null): Promise<string> {
  const { rows } = await client.query<{ task_id: string; same: boolean }>(
    "select task_id, invoice = $2::jsonb as same from invoice_task where idempotency_key = $1",
    [key, JSON.stringify(invoice)],
  );
  const first = rows[0];
  if (!first?.same) throw invalidParams("This idempotency key was used with other arguments");
  await record(client, first.task_id, "start_repeated", { key });
  return first.task_id;
}

/** Moves a task to the next state, if the task is in one of the expected states. */
export function advance(db: Database, taskId: string, from: State[], to: State): Promise<void> {
  return inTransaction(db, async (client) => {
    const task = await lockTask(client, taskId);
    if (!from.includes(task.state)) return;
    await client.query(`update invoice_task set state = $2, ${TOUCH} where task_id = $1`, [taskId, to]);
  });
}

export type LedgerLine = { kind: string; data: Record<string, unknown> };

/** Ends a task as FAILED, with the reason in its result. */
export function failTask(db: Database, taskId: string, reason: string): Promise<void> {
  return inTransaction(db, async (client) => {
    const task = await lockTask(client, taskId);
    if (!hasEnded(task)) await end(client, task, "FAILED", { reason });
  });
}

/** Cancels a task and returns whether this call did so; an ended task stays as it is. */
export function cancelTask(db: Database, taskId: string): Promise<boolean> {
  return inTransaction(db, async (client) => {
    const task = await lockTask(client, taskId);
    if (hasEnded(task)) return false;
    await record(client, taskId, "cancelled", { state: task.state });
    await end(client, task, "CANCELLED", {});
    // A submitted task may have no workflow yet; the workflow's first step reads the state itself.
    if (task.state !== "SUBMITTED") await wake(db, client, taskId);
    return true;
  });
}

/** Ends a task inside the caller's transaction, with its result (PAID, REJECTED, FAILED) or its error. */
export async function end(
  client: PoolClient,
  task: InvoiceTask,
  state: "PAID" | "REJECTED" | "FAILED" | "CANCELLED",
  { reason = null, error = null }: { reason?: string | null; error?: InvoiceTask["error"] },
): Promise<void> {
  const result = error || state === "CANCELLED" ? null : await resultOf(client, task, state, reason);
  await client.query(
    `update invoice_task set state = $2, reason = $3, result = $4, error = $5, ${CLOSE_QUESTION}, ${TOUCH} where task_id = $1`,
    [task.taskId, state, reason, result && JSON.stringify(result), error && JSON.stringify(error)],
  );
  await record(client, task.taskId, "ended", { state, reason });
}

/** Deletes ended tasks past their TTL. Returns their ids; the ledger keeps their lines. */
export async function forgetExpired(db: Database): Promise<string[]> {
  const { rows } = await db.pool.query<{ task_id: string }>(
    `delete from invoice_task where state in ('PAID', 'REJECTED', 'FAILED', 'CANCELLED')
     and created_at + ttl_ms * interval '1 millisecond' < now() returning task_id`,
  );
  return rows.map((row) => row.task_id);
}

/** `updated_at` is the clients' change marker, in milliseconds: two changes never share a value. */
export const TOUCH =
  "updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), updated_at + interval '1 millisecond')";
export const CLOSE_QUESTION = "question_key = null, question = null, question_expires_at = null";

export async function record(
  client: PoolClient,
  taskId: string,
  kind: string,
  data: Record<string, unknown>,
): Promise<void> {
  await client.query("insert into invoice_ledger (task_id, kind, data) values ($1, $2, $3)", [
    taskId,
    kind,
    JSON.stringify(data),
  ]);
}

/** The topic of wake-ups, which carry no data: the workflow reads the database again. */
export const WAKE = "wake";
export async function wake(db: Database, client: PoolClient, taskId: string): Promise<void> {
  await db.mailbox.sendInTransaction(client, taskId, null, WAKE);
}

async function resultOf(
  client: PoolClient,
  { taskId, invoice }: InvoiceTask,
  status: State,
  reason: string | null,
): Promise<ToolResult> {
  const coding = await client.query<{ content: { cost_center: string; memo?: string } | null }>(
    "select content from invoice_answer where task_id = $1 and question_key = $2",
    [taskId, COST_CENTER],
  );
  const lines = await linesOf(client, taskId);
  return {
    content: [{ type: "text", text: `Invoice processing result: ${status}` }],
    structuredContent: {
      invoiceId: invoice.invoice_id,
      customer: invoice.customer,
      status,
      ...(reason && { reason }),
      total: totalCents(invoice) / 100,
      ...(coding.rows[0]?.content && { costCenter: coding.rows[0].content.cost_center }),
      ...(coding.rows[0]?.content?.memo && { memo: coding.rows[0].content.memo }),
      lines: lines.map((line) => ({
        line: line.line,
        description: line.description,
        amount: line.cents / 100,
        dueDate: line.dueAt,
        ...(line.paidAt && { paidAt: line.paidAt, reference: line.reference }),
        ...(line.failure && { failure: line.failure }),
      })),
    },
    isError: status === "FAILED",
  };
}

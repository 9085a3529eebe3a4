import type { Database } from "../database.ts";
import { inTransaction } from "../database.ts";
import { hasEnded } from "../state.ts";
import { linesOf, lockTask } from "../store.ts";
import { end, record, TOUCH, wake } from "../transitions.ts";

/** Planned and recorded payments, and payments forced before their due dates. */

export class NothingToForce extends Error {}

export type Plan = { ended: boolean; due: number[]; nextDueAt: number | null };

/** Returns the lines to pay now, and when the next one falls due. */
export function planPayments(db: Database, taskId: string, now: number): Promise<Plan> {
  return inTransaction(db, async (client) => {
    const task = await lockTask(client, taskId);
    if (hasEnded(task)) return { ended: true, due: [], nextDueAt: null };
    const open = (await linesOf(client, taskId)).filter((line) => !line.paidAt && !line.failure);
    const waiting = open.filter((line) => !line.forcedAt && line.dueAt.getTime() > now);
    return {
      ended: false,
      due: open.filter((line) => !waiting.includes(line)).map((line) => line.line),
      nextDueAt: waiting.length > 0 ? Math.min(...waiting.map((line) => line.dueAt.getTime())) : null,
    };
  });
}

/** Records the outcome of one line once: the mark on the line and the ledger's line are one transaction. */
export function recordPayment(
  db: Database,
  taskId: string,
  number: number,
  outcome: { reference: string } | { failure: string },
): Promise<void> {
  return inTransaction(db, async (client) => {
    const task = await lockTask(client, taskId);
    const line = (await linesOf(client, taskId)).find((candidate) => candidate.line === number);
    if (hasEnded(task) || !line || line.paidAt || line.failure) return;
    const paid = "reference" in outcome;
    await client.query(
      paid
        ? "update invoice_line set paid_at = clock_timestamp(), reference = $3 where task_id = $1 and line = $2"
        : "update invoice_line set failure = $3 where task_id = $1 and line = $2",
      [taskId, number, paid ? outcome.reference : outcome.failure],
    );
    await record(client, taskId, paid ? "paid" : "payment_failed", {
      line: number,
      amount: line.cents / 100,
      ...outcome,
    });
    const counter = paid ? "lines_paid = lines_paid + 1" : "lines_failed = lines_failed + 1";
    await client.query(`update invoice_task set ${counter}, ${TOUCH} where task_id = $1`, [taskId]);
  });
}

/** Ends a task whose lines are all settled: PAID if every line was paid, FAILED otherwise. */
export function finishPaying(db: Database, taskId: string): Promise<void> {
  return inTransaction(db, async (client) => {
    const task = await lockTask(client, taskId);
    if (hasEnded(task)) return;
    const failures = (await linesOf(client, taskId)).flatMap((line) => line.failure ?? []);
    if (failures.length === 0) return end(client, task, "PAID", {});
    await end(client, task, "FAILED", {
      reason: `${failures.length} failed: ${[...new Set(failures)].join(", ")}`,
    });
  });
}

/**
 * Allows one line, or all, to be paid before the due date. Does not replace the approval: paying starts only
 * after it. Returns the numbers of the forced lines.
 */
export function forcePay(db: Database, taskId: string, number: number | null): Promise<number[]> {
  return inTransaction(db, async (client) => {
    const task = await lockTask(client, taskId);
    if (hasEnded(task)) throw new NothingToForce(`${taskId} has ended: ${task.state}`);
    const { rows } = await client.query<{ line: number }>(
      `update invoice_line set forced_at = clock_timestamp()
       where task_id = $1 and ($2::int is null or line = $2) and forced_at is null and paid_at is null and failure is null
       returning line`,
      [taskId, number],
    );
    const forced = rows.map((row) => row.line).sort((a, b) => a - b);
    if (forced.length === 0)
      throw new NothingToForce(`${taskId} has no such unpaid line that is not forced already`);
    await record(client, taskId, "forced", { lines: forced });
    if (task.state !== "SUBMITTED") await wake(db, client, taskId);
    return forced;
  });
}

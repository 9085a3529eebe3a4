import type { Database } from "../database.ts";
import { linesOf, openTasks, readLedger } from "../store.ts";
import { taskStatus } from "../task.ts";
import { forcePay, NothingToForce } from "./payments.ts";

/** The operations of the command line, over HTTP or on the database itself. */
export type Operations = {
  invoices: () => Promise<OpenInvoice[]>;
  forcePay: (target: Target) => Promise<{ taskId: string; forced: number[] }>;
  ledger: (taskId: string | null) => ReturnType<typeof readLedger>;
};

export type Target = { taskId?: string; invoiceId?: string; line?: number };
export type OpenInvoice = {
  taskId: string;
  invoiceId: string;
  state: string;
  status: string;
  unpaid: { line: number; description: string; amount: number; dueDate: Date; forced: boolean }[];
};

export function operationsOn(db: Database): Operations {
  return {
    invoices: async () => {
      const tasks = await openTasks(db);
      return Promise.all(
        tasks.map(async (task) => ({
          taskId: task.taskId,
          invoiceId: task.invoice.invoice_id,
          state: task.state,
          status: taskStatus(task, "2026-07-28"),
          unpaid: (await linesOf(db.pool, task.taskId))
            .filter((line) => !line.paidAt && !line.failure)
            .map(({ line, description, cents, dueAt, forcedAt }) => ({
              line,
              description,
              amount: cents / 100,
              dueDate: dueAt,
              forced: forcedAt !== null,
            })),
        })),
      );
    },
    forcePay: async ({ taskId, invoiceId, line }) => {
      const tasks = await openTasks(db, { taskId, invoiceId });
      const [task] = tasks;
      if (!task) throw new NothingToForce(`No open invoice ${taskId ?? invoiceId}`);
      if (tasks.length > 1) {
        const ids = tasks.map((other) => other.taskId).join(", ");
        throw new NothingToForce(`Several open tasks process invoice ${invoiceId}, name one of them: ${ids}`);
      }
      return { taskId: task.taskId, forced: await forcePay(db, task.taskId, line ?? null) };
    },
    ledger: (taskId) => readLedger(db, taskId),
  };
}

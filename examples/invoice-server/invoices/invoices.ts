import type { Database } from "../database.ts";
import { getTask, listTasks } from "../store.ts";
import { type InvoiceTask, statusMessage, taskStatus } from "../task.ts";
import type { Tasks, TaskView } from "../tasks.ts";
import { parseCall, processInvoice } from "../tool.ts";
import { createTask } from "../transitions.ts";
import type { Processor } from "./workflow.ts";

/** The invoices as tasks of both eras. */
export function invoiceTasks(db: Database, processor: Processor): Tasks {
  return {
    tools: [processInvoice],
    read: (params) => {
      const { invoice, key } = parseCall(params);
      return {
        tool: processInvoice.name,
        create: async () => viewOf(await createTask(db, invoice, key)),
      };
    },
    run: (taskId) => processor.start(taskId),
    get: async (taskId) => viewOf(await getTask(db, taskId)),
    noteShown: async () => {},
    list: async (after, limit) => (await listTasks(db, after, limit)).map(viewOf),
    tell: (taskId, key, era, answer) => processor.rules.tell(db, taskId, key, era, answer),
    cancel: (taskId) => processor.rules.cancelTask(db, taskId),
  };
}

function viewOf(task: InvoiceTask): TaskView {
  const { taskId, question, result, error, ttlMs, createdAt, updatedAt, linesPaid, invoice } = task;
  return {
    taskId,
    status: taskStatus(task, "2026-07-28"),
    statusMessage: statusMessage(task),
    question,
    isUnseen: false,
    finishedPage: null,
    progress: { done: linesPaid, total: invoice.lines.length },
    result,
    error,
    ttlMs,
    createdAt,
    updatedAt,
  };
}

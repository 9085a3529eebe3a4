import type { Answer, Question } from "./question.ts";
import type { ListPosition } from "./store.ts";
import type { ToolResult } from "./task.ts";

/** A task as both eras show it, whatever its kind. */
export type TaskView = {
  taskId: string;
  /** `completed` also for a result with `isError`, see `statusIn`. */
  status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  statusMessage: string;
  /** The open question; null without one. */
  question: Question | null;
  /** Whether the open question may change and was shown to nobody yet: see `noteShown`. */
  isUnseen: boolean;
  /** The id of a URL question's page, once a person has finished there. */
  finishedPage: string | null;
  progress: { done: number; total: number } | null;
  result: ToolResult | null;
  error: { code: number; message: string } | null;
  ttlMs: number;
  createdAt: Date;
  /** Changes only with a change that clients can see. */
  updatedAt: Date;
};

export type ToolDescription = {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: "object"; [keyword: string]: unknown };
  outputSchema?: { type: "object"; [keyword: string]: unknown };
  annotations: Record<`${"readOnly" | "destructive" | "idempotent" | "openWorld"}Hint`, boolean>;
  _meta: Record<string, unknown>;
};

export type Told =
  | { accepted: true }
  | { accepted: false; duplicate: boolean; invalid: boolean; why: string };

/** A kind of tasks, as both eras use it. Methods with a task id throw -32602 for an unknown one. */
export type Tasks = {
  tools: ToolDescription[];
  /** Reads the params of a `tools/call`, or throws -32602. Nothing is stored before `create()`. */
  read: (params: unknown) => { tool: string; create: () => Promise<TaskView> };
  /** Starts a created task; harmless for a started one. */
  run: (taskId: string) => Promise<void>;
  get: (taskId: string) => Promise<TaskView>;
  /**
   * Records that a client was shown the open question and will see its change. 2025-11-25 asks a question
   * once, on a stream that ends, and does not call this, so its question never changes.
   */
  noteShown: (taskId: string) => Promise<void>;
  /** Lists tasks newest first, after the given position. */
  list: (after: ListPosition | null, limit: number) => Promise<TaskView[]>;
  /** Records an answer: the first valid one wins. */
  tell: (taskId: string, key: string, era: string, answer: Answer) => Promise<Told>;
  /** Returns false if the task had ended already. */
  cancel: (taskId: string) => Promise<boolean>;
};

/** `failed` differs: 2025-11-25 counts a result with `isError` as failed, 2026-07-28 only a JSON-RPC error. */
export function statusIn(era: "2025-11-25" | "2026-07-28", task: TaskView): TaskView["status"] {
  return era === "2025-11-25" && task.result?.isError ? "failed" : task.status;
}

/**
 * Combines two kinds of tasks: the first gets everything that the second does not own. `params`: those of a
 * `tools/call`.
 */
export function together(
  first: Tasks,
  second: Tasks & { ownsTool: (params: unknown) => boolean; ownsTask: (taskId: string) => boolean },
): Tasks {
  const of = (taskId: string) => (second.ownsTask(taskId) ? second : first);
  return {
    tools: [...first.tools, ...second.tools],
    read: (params) => (second.ownsTool(params) ? second : first).read(params),
    run: (taskId) => of(taskId).run(taskId),
    get: (taskId) => of(taskId).get(taskId),
    noteShown: (taskId) => of(taskId).noteShown(taskId),
    list: async (after, limit) => {
      const both = [...(await first.list(after, limit)), ...(await second.list(after, limit))];
      return both.sort(newestFirst).slice(0, limit);
    },
    tell: (taskId, ...answer) => of(taskId).tell(taskId, ...answer),
    cancel: (taskId) => of(taskId).cancel(taskId),
  };
}

/** The order of the queries: newest first, then by id. */
function newestFirst(a: TaskView, b: TaskView): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || (a.taskId < b.taskId ? 1 : -1);
}

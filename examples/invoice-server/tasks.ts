import type { Answer, Question } from "./question.ts";
import type { ListPosition } from "./store.ts";
import type { ToolResult } from "./task.ts";

/** A task as both eras show it, whatever kind of work it is. */
export type TaskView = {
  taskId: string;
  /** `completed` also for a result with `isError`, see `statusIn`. */
  status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  statusMessage: string;
  /** The open question; null while nobody is asked. */
  question: Question | null;
  /** The open question may change, and nobody was shown it yet: see `noteShown`. */
  isUnseen: boolean;
  /** The page of a URL question, once somebody has done there what it asks for. */
  finishedPage: string | null;
  progress: { done: number; total: number } | null;
  result: ToolResult | null;
  error: { code: number; message: string } | null;
  ttlMs: number;
  createdAt: Date;
  /** Moves only when something a client can see has changed. */
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

/** What both eras need of a kind of tasks. Whatever takes a task id throws -32602 for one that is not known. */
export type Tasks = {
  tools: ToolDescription[];
  /** Reads the params of a `tools/call`, or throws -32602. Nothing is stored before `create()`. */
  read: (params: unknown) => { tool: string; create: () => Promise<TaskView> };
  /** Sets a created task going; harmless when it goes already. */
  run: (taskId: string) => Promise<void>;
  get: (taskId: string) => Promise<TaskView>;
  /**
   * A client has seen the open question, and will see what it changes into. 2025-11-25 puts a question once, on a stream
   * that ends, so it does not call this, and the question stays as it was put.
   */
  noteShown: (taskId: string) => Promise<void>;
  /** Newest first, after that position. */
  list: (after: ListPosition | null, limit: number) => Promise<TaskView[]>;
  /** Records an answer: the first valid one wins. */
  tell: (taskId: string, key: string, era: string, answer: Answer) => Promise<Told>;
  /** False: it had ended already. */
  cancel: (taskId: string) => Promise<boolean>;
};

/** `failed` differs: 2025-11-25 counts a result with `isError` as failed, 2026-07-28 only a JSON-RPC error. */
export function statusIn(era: "2025-11-25" | "2026-07-28", task: TaskView): TaskView["status"] {
  return era === "2025-11-25" && task.result?.isError ? "failed" : task.status;
}

/** Two kinds of tasks as one: what the second does not own is the first's. `params`: of a `tools/call`. */
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

/** As the queries order them: by id where two are of the same moment. */
function newestFirst(a: TaskView, b: TaskView): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || (a.taskId < b.taskId ? 1 : -1);
}

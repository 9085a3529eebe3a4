/**
 * A program that speaks MCP 2025-11-25 on stdin and stdout and names no task in its questions, as servers
 * built on durable workflows do: it puts questions on `tasks/result` only. Run by tests: `node pipe-server.ts
 * [mode]`. Modes: none = each `tasks/result` puts the pending question again, under a new id; `once` = only
 * the first does; `push` = none does: each question is put once, as soon as it comes up; `announce` = as FastMCP 3
 * does: the same, right after a status notification that names the task and holds the question, while `tasks/get` says
 * "working" and `tasks/result` is refused. A task waits for
 * approval a moment after its call, whose argument `name` stands in its question and in its result.
 */
import { createInterface } from "node:readline";

interface Message {
  id?: number | string;
  method?: string;
  params?: { taskId?: string; arguments?: { name?: string } };
  result?: { action: string; content?: Record<string, unknown> };
}
interface Task {
  taskId: string;
  name: string;
  status: "working" | "input_required" | "completed";
  answer: unknown;
  asked: boolean;
  /** Requests for its result that wait for its end. */
  waiting: (number | string)[];
}

const mode = process.argv[2] ?? "";
const THINKS_MS = 150;
const tasks = new Map<string, Task>();
/** The task of each question, by the question's JSON-RPC id. */
const asked = new Map<number | string, Task>();
let nextId = 0;

const say = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const refuse = (id: number | string, message: string) => say({ id, error: { code: -32602, message } });
const shown = ({ taskId, status }: Task) => {
  const now = new Date().toISOString();
  return { taskId, status, ttl: null, pollInterval: 100, createdAt: now, lastUpdatedAt: now };
};
const resultOf = ({ name, answer }: Task) => ({
  content: [{ type: "text", text: `${name}: ${JSON.stringify(answer)}` }],
});

function start(id: number | string, name: string): void {
  const task: Task = {
    taskId: `task-${name}`,
    name,
    status: "working",
    answer: null,
    asked: false,
    waiting: [],
  };
  tasks.set(task.taskId, task);
  say({ id, result: { task: shown(task) } });
  setTimeout(() => {
    if (mode !== "announce") task.status = "input_required";
    if (mode === "announce") announce(task);
    if (mode === "push" || mode === "announce") ask(task);
  }, THINKS_MS);
}

function giveResult(id: number | string, task: Task): void {
  if (task.status === "working") return void refuse(id, "Task not completed yet");
  if (task.status === "completed") return void say({ id, result: resultOf(task) });
  task.waiting.push(id);
  const mayAsk = mode === "push" ? false : mode !== "once" || !task.asked;
  if (mayAsk) ask(task);
}

const questionOf = ({ name }: Task) => ({
  message: `Approve ${name}?`,
  requestedSchema: { type: "object", properties: { approve: { type: "boolean" } } },
});

function ask(task: Task): void {
  task.asked = true;
  asked.set(nextId, task);
  say({ id: nextId++, method: "elicitation/create", params: questionOf(task) });
}

/** `_meta` stands beside `params`, not in it. */
function announce(task: Task): void {
  const { message } = questionOf(task);
  const status = { taskId: task.taskId, status: "input_required", statusMessage: message };
  const related = { ...status, elicitation: { requestId: `e-${task.name}`, ...questionOf(task) } };
  say({
    method: "notifications/tasks/status",
    params: { ...status, ttl: 3_600_000 },
    _meta: { "io.modelcontextprotocol/related-task": related },
  });
}

function take(task: Task, answer: unknown): void {
  if (!task.asked || task.status === "completed") return;
  Object.assign(task, { status: "completed", answer });
  for (const id of task.waiting) say({ id, result: resultOf(task) });
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params, result } = JSON.parse(line) as Message;
    if (id === undefined) return;
    if (method === undefined) {
      const task = asked.get(id);
      if (task && result) take(task, result.content);
      return;
    }
    const task = tasks.get(params?.taskId ?? "");
    if (method === "initialize") {
      const serverInfo = { name: "pipe", version: "1" };
      return void say({
        id,
        result: { protocolVersion: "2025-11-25", capabilities: { tools: {}, tasks: {} }, serverInfo },
      });
    }
    if (method === "tools/call") return start(id, params?.arguments?.name ?? "");
    if (method === "tasks/get" && task) return void say({ id, result: shown(task) });
    if (method === "tasks/result" && task) return giveResult(id, task);
    if (method.startsWith("tasks/")) return void refuse(id, "Task not found");
    say({ id, error: { code: -32601, message: "Method not found" } });
  })
  .on("close", () => process.exit(0));

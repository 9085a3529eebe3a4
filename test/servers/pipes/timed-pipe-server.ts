/**
 * A program that speaks MCP 2025-11-25 on stdin and stdout, and names no task in its questions. It does each thing when the
 * call's arguments say: a task asks, unprompted, a second after an event (`call NAME`, `result NAME`), or begins to wait then
 * without a question; its handle comes after `handleAfterMs`; a call without a task asks at once if it `asks`, and ends with the
 * answer. Run by tests: `node timed-pipe-server.ts FILE`; each poll of a task is a line of FILE, its name.
 */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

interface Told {
  name: string;
  asksOn?: string;
  waitsOn?: string;
  handleAfterMs?: number;
  asks?: boolean;
}
interface Message {
  id?: number | string;
  method?: string;
  params?: { taskId?: string; task?: object; arguments?: Told };
  result?: { content?: unknown };
}
interface Task extends Told {
  taskId: string;
  status: "working" | "input_required" | "completed";
  answer: unknown;
}

const AFTER_MS = 1_000;
const tasks = new Map<string, Task>();
/** What becomes of the answer to a question, by the question's JSON-RPC id. */
const asked = new Map<number | string, (answer: unknown) => void>();
let nextId = 0;

const say = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const textOf = (answer: unknown) => ({ content: [{ type: "text", text: JSON.stringify(answer) }] });
const shown = ({ taskId, status }: Task) => {
  const now = new Date().toISOString();
  return { taskId, status, ttl: null, pollInterval: 100, createdAt: now, lastUpdatedAt: now };
};

function ask(name: string, onAnswer: (answer: unknown) => void): void {
  const id = nextId++;
  asked.set(id, onAnswer);
  const requestedSchema = { type: "object", properties: { approve: { type: "boolean" } } };
  say({ id, method: "elicitation/create", params: { message: `Approve ${name}?`, requestedSchema } });
}

/** Has the tasks that wait for the event do their thing, once each. */
function happened(event: string): void {
  setTimeout(() => {
    for (const task of tasks.values()) {
      if (task.status !== "working" || (task.asksOn !== event && task.waitsOn !== event)) continue;
      task.status = "input_required";
      if (task.asksOn === event)
        ask(task.name, (answer) => Object.assign(task, { status: "completed", answer }));
    }
  }, AFTER_MS);
}

function call(id: number | string, told: Told, isTask: boolean): void {
  if (!isTask && told.asks) ask(told.name, (answer) => say({ id, result: textOf(answer) }));
  if (isTask) {
    const task: Task = { ...told, taskId: `task-${told.name}`, status: "working", answer: null };
    tasks.set(task.taskId, task);
    setTimeout(() => say({ id, result: { task: shown(task) } }), told.handleAfterMs ?? 0);
  }
  happened(`call ${told.name}`);
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params, result } = JSON.parse(line) as Message;
    if (id === undefined) return;
    if (method === undefined) {
      if (result) asked.get(id)?.(result.content);
      return;
    }
    if (method === "initialize") {
      const serverInfo = { name: "timed pipe", version: "1" };
      const capabilities = { tools: {}, tasks: {} };
      return void say({ id, result: { protocolVersion: "2025-11-25", capabilities, serverInfo } });
    }
    if (method === "tools/call" && params?.arguments)
      return call(id, params.arguments, params.task !== undefined);
    const task = tasks.get(params?.taskId ?? "");
    if (method === "tasks/get" && task) {
      say({ id, result: shown(task) });
      return appendFileSync(process.argv[2]!, `${task.name}\n`);
    }
    // It waits for the task's end, and says nothing of what the task has asked.
    if (method === "tasks/result" && task) {
      if (task.status === "completed") say({ id, result: textOf(task.answer) });
      return happened(`result ${task.name}`);
    }
    say({ id, error: { code: -32602, message: "Task not found" } });
  })
  .on("close", () => process.exit(0));

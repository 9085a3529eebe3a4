/**
 * Simulated servers of 2026-07-28, many in one process, each on its own port. Started by servers.ts and
 * controlled by IPC. The tool `ask` makes a task that asks one question; `rest` one that works and reports
 * nothing new; `work` one whose message changes at every fourth poll, so that its polls keep the requested
 * pace (`pollIntervalMs` of the arguments).
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Behaviour, FIRST_WORD, type Request, SEEDED, type Sighting } from "./servers.ts";

interface Task {
  key: string;
  tool: string;
  ended: boolean;
  polls: number;
  pollIntervalMs: number;
  /** When its last poll was answered. */
  answeredAt: number;
}

const QUESTION = {
  method: "elicitation/create",
  params: {
    mode: "form",
    message: "Approve?",
    requestedSchema: {
      type: "object",
      properties: { approve: { type: "boolean" } },
      required: ["approve"],
    },
  },
};
const WORDS = [FIRST_WORD, "checking", "writing", "sending"];
const CREATED = new Date().toISOString();

const tasks = new Map<string, Task>();
const seen: Sighting[] = [];
const lateness = new Map<number, number[]>();
const behaviours: Behaviour[] = [];
const servers: Server[] = [];
const ports: number[] = [];
let made = 0;

/** A time in ms that all processes of this machine share. */
const now = () => performance.timeOrigin + performance.now();

function shown(id: string, task: Task): Record<string, unknown> {
  const base = { taskId: id, createdAt: CREATED, ttlMs: null, pollIntervalMs: task.pollIntervalMs };
  if (task.ended) return { ...base, status: "completed", result: { content: [], isError: false } };
  if (task.tool === "ask")
    return { ...base, status: "input_required", inputRequests: { approval: QUESTION } };
  const turn = task.tool === "work" ? Math.floor(task.polls / 4) : 0;
  return { ...base, status: "working", statusMessage: WORDS[turn % WORDS.length] };
}

function newTask(key: string, tool: string, pollIntervalMs: number): Task {
  return { key, tool, ended: false, polls: 0, pollIntervalMs, answeredAt: Number.NaN };
}

/** Returns a task. A task seeded in Intray's rows is created on its first request. */
function taskOf(id: string): Task | undefined {
  const [is, tool, interval, key] = id.split(" ");
  if (is === SEEDED && !tasks.has(id)) tasks.set(id, newTask(key ?? "", tool ?? "", Number(interval)));
  return tasks.get(id);
}

function answer(at: number, method: string, params: Record<string, unknown>): Record<string, unknown> | null {
  if (method === "tools/call") {
    const meta = params._meta as Record<string, unknown>;
    const args = params.arguments as { pollIntervalMs?: number };
    const key = String(meta["intray/idempotency-key"]);
    seen.push({ what: "call", of: key, at: now() });
    const task = newTask(key, String(params.name), args.pollIntervalMs ?? 1_000);
    const id = `task-${++made}`;
    tasks.set(id, task);
    return { resultType: "task", ...shown(id, task) };
  }
  const id = String(params.taskId);
  const task = taskOf(id);
  if (!task) return null;
  if (method === "tasks/get") {
    const late = now() - task.answeredAt - task.pollIntervalMs;
    // Polls of other tools slow down, as intended.
    if (task.tool === "work" && Number.isFinite(late)) lateness.get(at)?.push(late);
    task.polls++;
    return shown(id, task);
  }
  if (method === "tasks/update") {
    seen.push({ what: "answer", of: task.key, at: now() });
    task.ended = true;
  } else if (method === "tasks/cancel") {
    seen.push({ what: "cancel", of: task.key, at: now() });
    task.ended = true;
  }
  return {};
}

async function handle(at: number, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { id, method, params } = JSON.parse(String(Buffer.concat(chunks)));
  const { delayMs = 0, retryAfterS } = behaviours[at] ?? {};
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  if (retryAfterS !== undefined) {
    seen.push({ what: "turned away", of: String(at), at: now() });
    response.writeHead(429, { "retry-after": String(retryAfterS) }).end();
    return;
  }
  const known = method.startsWith("tasks/") || method === "tools/call";
  const result = known ? answer(at, method, params) : null;
  const error = known
    ? { code: -32602, message: "Task not found" }
    : { code: -32601, message: "Method not found" };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
  const task = tasks.get(String(params?.taskId ?? result?.taskId));
  if (task) task.answeredAt = now();
}

async function listen(at: number): Promise<void> {
  const server = createServer((request, response) => {
    handle(at, request, response).catch(() => response.destroy());
  });
  // Longer than any pause between polls: a kept-alive connection must not close under a call.
  server.keepAliveTimeout = 120_000;
  servers[at] = server;
  await new Promise<void>((resolve) => server.listen(ports[at] ?? 0, "127.0.0.1", resolve));
  ports[at] = (server.address() as AddressInfo).port;
  lateness.set(at, []);
}

async function behave(at: number, behaviour: Behaviour): Promise<void> {
  const was = behaviours[at];
  behaviours[at] = behaviour;
  if (behaviour.refuses && !was?.refuses) {
    servers[at]?.closeAllConnections();
    await new Promise((resolve) => servers[at]?.close(resolve));
  } else if (!behaviour.refuses && was?.refuses) await listen(at);
}

async function obey(request: Request): Promise<unknown> {
  if (request.do === "listen") {
    for (let at = 0; at < request.servers; at++) await listen(at);
    return ports;
  }
  if (request.do === "behave") return behave(request.at, request.behaviour);
  if (request.do === "seen") return seen;
  const taken = request.of.flatMap((at) => lateness.get(at) ?? []);
  for (const at of request.of) lateness.set(at, []);
  return taken;
}

process.on("message", (request: Request & { id: number }) => {
  void obey(request).then((reply) => process.send?.({ id: request.id, reply: reply ?? null }));
});
process.on("disconnect", () => process.exit(0));

/**
 * A durable server of both eras that asks two questions at once, in its own process: `node pair-server.ts
 * <port> <file>`. The file is its ledger and its only durable memory: each line is written before any client
 * learns of it. Sessions and the JSON-RPC ids of questions are in memory. Tool, questions and ledger have the
 * names of the sample invoice server's. At `/tunnel` it has no tasks: its tools answer at once, and a recipe makes the same
 * invoices of them (tunnel.ts).
 */
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isDeepStrictEqual } from "node:util";
import { TUNNEL_PATH, TUNNEL_TOOLS } from "./tunnel.ts";

interface Line {
  at: string;
  taskId: string;
  kind: "created" | "asked" | "told" | "cancelled" | "ended";
  data: Record<string, unknown>;
}
interface Answer {
  action: string;
  content?: unknown;
}
interface Message {
  id?: string | number;
  method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: this server believes its client, which is under test
  params?: any;
  result?: Answer;
}
interface Session {
  nextId: number;
  /** The question of each JSON-RPC id that it asked. */
  asked: Map<string | number, { taskId: string; question: string }>;
}
interface Task {
  taskId: string;
  createdAt: string;
  updatedAt: string;
  invoiceId: string;
  state: "open" | "PAID" | "CANCELLED";
  open: Set<string>;
}

const [port, file] = process.argv.slice(2) as [string, string];
const MODERN = "2026-07-28";
const TASKS = "io.modelcontextprotocol/tasks";
const QUESTIONS = ["approval-1", "cost-center-1"];
const SERVER_INFO = { name: "pair-server", version: "1.0.0" };
const POLL_MS = 500;

const lines: Line[] = [];
const tasks = new Map<string, Task>();
const byKey = new Map<string, string>();
const sessions = new Map<string, Session>();
/** Called at each new line. */
const watchers = new Set<() => void>();

if (existsSync(file))
  for (const text of readFileSync(file, "utf8").split("\n")) if (text !== "") apply(JSON.parse(text) as Line);
// A kill may have come between two lines.
for (const { taskId, state, open } of tasks.values()) {
  if (state !== "open") continue;
  const isCancelled = lines.some((line) => line.taskId === taskId && line.kind === "cancelled");
  if (isCancelled || open.size === 0) write(taskId, "ended", { state: isCancelled ? "CANCELLED" : "PAID" });
}

function write(taskId: string, kind: Line["kind"], data: Line["data"] = {}): void {
  const line = { at: new Date().toISOString(), taskId, kind, data };
  appendFileSync(file, `\n${JSON.stringify(line)}`);
  apply(line);
  for (const check of watchers) check();
}

function apply(line: Line): void {
  lines.push(line);
  const { at, taskId, kind, data } = line;
  if (kind === "created") {
    const invoiceId = String(data.invoiceId);
    tasks.set(taskId, {
      taskId,
      createdAt: at,
      updatedAt: at,
      invoiceId,
      state: "open",
      open: new Set(QUESTIONS),
    });
    byKey.set(String(data.key), taskId);
  }
  const task = tasks.get(taskId)!;
  task.updatedAt = at;
  if (kind === "told" && data.accepted) task.open.delete(String(data.question));
  if (kind === "ended") task.state = data.state as Task["state"];
}

/** Records an answer; only the first answer to a question counts. */
function takeAnswer(taskId: string, question: string, { action, content }: Answer): void {
  const task = tasks.get(taskId);
  if (!task) return;
  const accepted = task.state === "open" && task.open.has(question);
  write(taskId, "told", { question, action, content: content ?? null, accepted });
  if (accepted && task.open.size === 0) write(taskId, "ended", { state: "PAID" });
}

function start(params: Message["params"]): Task {
  const key = String(params._meta?.["intray/idempotency-key"] ?? randomUUID());
  const known = byKey.get(key);
  if (known !== undefined) return tasks.get(known)!;
  const taskId = `pair-${randomUUID()}`;
  write(taskId, "created", { key, invoiceId: params.arguments.invoice.invoice_id });
  for (const question of QUESTIONS) write(taskId, "asked", { question });
  return tasks.get(taskId)!;
}

function cancel(task: Task): void {
  if (task.state !== "open") return;
  write(task.taskId, "cancelled");
  write(task.taskId, "ended", { state: "CANCELLED" });
}

function elicitation({ invoiceId }: Task, question: string) {
  const isApproval = question === "approval-1";
  const type = "string";
  return {
    mode: "form",
    message: isApproval
      ? `Invoice ${invoiceId} requires approval.`
      : `Assign a cost center to invoice ${invoiceId}.`,
    requestedSchema: isApproval
      ? { type: "object", properties: { value: { type, enum: ["approve", "reject"] } }, required: ["value"] }
      : { type: "object", properties: { cost_center: { type }, memo: { type } }, required: ["cost_center"] },
  };
}

const STATUS = { open: "input_required", PAID: "completed", CANCELLED: "cancelled" };
const RESULT = { content: [{ type: "text", text: "Invoice processing result: PAID" }], isError: false };

function shown(task: Task) {
  const { taskId, createdAt, updatedAt, state, open } = task;
  const statusMessage = `Waiting for ${open.size}`;
  return { taskId, status: STATUS[state], statusMessage, createdAt, lastUpdatedAt: updatedAt };
}

const legacyShown = (task: Task) => ({ ...shown(task), ttl: null, pollInterval: POLL_MS });
const modernShown = (task: Task) => ({ ...shown(task), ttlMs: null, pollIntervalMs: POLL_MS });

function modernTask(task: Task) {
  const inputRequests = Object.fromEntries(
    [...task.open].map((question) => [
      question,
      { method: "elicitation/create", params: elicitation(task, question) },
    ]),
  );
  return {
    resultType: "complete",
    ...modernShown(task),
    ...(task.state === "open" && { inputRequests }),
    ...(task.state === "PAID" && { result: RESULT }),
  };
}

const TOOL = {
  name: "process_invoice",
  inputSchema: { type: "object", properties: { invoice: { type: "object" } }, required: ["invoice"] },
  execution: { taskSupport: "required" },
  _meta: { "intray/idempotency-key": true },
};

/** A call at `/tunnel`: the same invoices and the same ledger, as a tool that answers at once has them. */
function tunnelled({ params }: Message): Record<string, unknown> {
  const { reference, ...given } = params.arguments;
  const task = params.name === "submit_invoice" ? start(params) : tasks.get(reference);
  if (!task) return failed(`There is no invoice ${reference}.`);
  if (params.name === "cancel_invoice") cancel(task);
  const question = { decide_invoice: "approval-1", assign_cost_center: "cost-center-1" }[String(params.name)];
  if (question) {
    takeAnswer(task.taskId, question, { action: "accept", content: given });
    const [first] = lines.filter(
      ({ taskId, kind, data }) =>
        taskId === task.taskId && kind === "told" && data.question === question && data.accepted,
    );
    if (!isDeepStrictEqual(first?.data.content, given)) return failed("Another decision counts.");
  }
  const structuredContent = {
    reference: task.taskId,
    invoice_id: task.invoiceId,
    status: task.state === "open" ? "OPEN" : task.state,
    waiting: task.state === "open" ? [...task.open] : [],
  };
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
}

function failed(text: string) {
  return { content: [{ type: "text", text }], isError: true };
}

/** Returns undefined for an unknown method or task. */
function modern(message: Message, isTunnel: boolean): unknown {
  const { method, params } = message;
  if (method === "server/discover")
    return {
      resultType: "complete",
      supportedVersions: [MODERN],
      capabilities: { tools: {}, ...(!isTunnel && { extensions: { [TASKS]: {} } }) },
      serverInfo: SERVER_INFO,
    };
  if (method === "tools/list") return { resultType: "complete", tools: isTunnel ? TUNNEL_TOOLS : [TOOL] };
  if (method === "tools/call" && isTunnel) return { resultType: "complete", ...tunnelled(message) };
  if (method === "tools/call")
    return { resultType: "task", ...modernShown(start(params)), status: "working" };
  const task = tasks.get(params?.taskId);
  if (!task) return undefined;
  if (method === "tasks/get") return modernTask(task);
  if (method === "tasks/cancel") cancel(task);
  else if (method === "tasks/update")
    for (const [question, answer] of Object.entries(params.inputResponses ?? {}))
      takeAnswer(task.taskId, question, answer as Answer);
  else return undefined;
  return { resultType: "complete" };
}

function legacy(message: Message, isTunnel: boolean): unknown {
  const { method, params } = message;
  if (method === "ping") return {};
  if (method === "tools/list") return { tools: isTunnel ? TUNNEL_TOOLS : [TOOL] };
  if (method === "tools/call" && isTunnel) return tunnelled(message);
  if (method === "tools/call") return { task: { ...legacyShown(start(params)), status: "working" } };
  if (method === "tasks/list") return { tasks: [...tasks.values()].map(legacyShown) };
  const task = tasks.get(params?.taskId);
  if (!task) return undefined;
  if (method === "tasks/get") return legacyShown(task);
  if (method !== "tasks/cancel") return undefined;
  cancel(task);
  return legacyShown(task);
}

/** Asks every open question at once on this stream, and blocks until the task ends. */
function holdResult(session: Session, { id, params }: Message, response: ServerResponse): void {
  const task = tasks.get(params?.taskId);
  if (!task) return void send(response, { jsonrpc: "2.0", id, error: NOT_FOUND });
  const _meta = { "io.modelcontextprotocol/related-task": { taskId: task.taskId } };
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  const say = (message: object) =>
    response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
  for (const question of task.state === "open" ? task.open : []) {
    const asked = session.nextId++;
    session.asked.set(asked, { taskId: task.taskId, question });
    say({ id: asked, method: "elicitation/create", params: { ...elicitation(task, question), _meta } });
  }
  const check = () => {
    if (task.state === "open") return;
    watchers.delete(check);
    say(task.state === "PAID" ? { id, result: { ...RESULT, _meta } } : { id, error: NOT_FOUND });
    response.end();
  };
  watchers.add(check);
  response.on("close", () => watchers.delete(check));
  check();
}

const NOT_FOUND = { code: -32602, message: "Not found" };

function send(
  response: ServerResponse,
  body: object,
  headers: Record<string, string> = {},
  status = 200,
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

function reply(response: ServerResponse, { id }: Message, result: unknown): void {
  send(response, { jsonrpc: "2.0", id, ...(result === undefined ? { error: NOT_FOUND } : { result }) });
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://pair");
  if (pathname === "/healthz") return void response.writeHead(200).end("ok");
  if (pathname === "/ledger") return send(response, { entries: lines });
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const message = (chunks.length > 0 ? JSON.parse(String(Buffer.concat(chunks))) : {}) as Message;
  const isTunnel = pathname === TUNNEL_PATH;
  if (request.headers["mcp-protocol-version"] === MODERN)
    return reply(response, message, modern(message, isTunnel));
  if (message.method === "initialize") {
    const sessionId = randomUUID();
    sessions.set(sessionId, { nextId: 0, asked: new Map() });
    const tasksOfServer = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
    const capabilities = { tools: {}, ...(!isTunnel && { tasks: tasksOfServer }) };
    const result = { protocolVersion: "2025-11-25", capabilities, serverInfo: SERVER_INFO };
    return send(response, { jsonrpc: "2.0", id: message.id, result }, { "mcp-session-id": sessionId });
  }
  const id = String(request.headers["mcp-session-id"] ?? "");
  const session = sessions.get(id);
  if (!session)
    return send(
      response,
      { jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } },
      {},
      404,
    );
  if (request.method === "DELETE") {
    sessions.delete(id);
    return void response.writeHead(200).end();
  }
  // The standalone stream is not supported.
  if (request.method === "GET") return void response.writeHead(405).end();
  if (message.method === undefined) {
    const asked = session.asked.get(message.id!);
    if (asked && message.result) takeAnswer(asked.taskId, asked.question, message.result);
    return void response.writeHead(202).end();
  }
  if (message.id === undefined) return void response.writeHead(202).end();
  if (message.method === "tasks/result") return holdResult(session, message, response);
  reply(response, message, legacy(message, isTunnel));
}

createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    response.destroy();
  });
}).listen(Number(port), "127.0.0.1");
process.on("disconnect", () => process.exit());

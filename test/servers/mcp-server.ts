/**
 * A server of 2026-07-28 with the tasks extension, on the official package, in memory and in this process.
 * Tools: `approve` makes a task that asks one question, one task for each idempotency key; `quick` answers at
 * once; `order` asks before it acts (multi round trip); `wait` makes a task that works until it is cancelled;
 * `refuse` ends in a protocol error.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  Server,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { type FakeTask, newTask } from "../fixtures/fake-task.ts";
import { createFront, type Front, type Subscriptions } from "./modern-front.ts";

const TASKS = "io.modelcontextprotocol/tasks";
type Verdict = "take" | "ignore" | "refuse" | "drop" | "break";

export interface TestServer {
  url: string;
  hostAndPort: string;
  tasks: Map<string, FakeTask>;
  /** Headers of the requests, in order of arrival. */
  seen: Record<string, string | string[] | undefined>[];
  /**
   * Switches of misbehaviour. `onUpdate` sees an answer before it is applied; "ignore" acknowledges it and
   * changes nothing, "refuse" says that nothing is asked under this key, "drop" applies it and cuts the
   * connection instead of acknowledging, "break" changes nothing and answers HTTP 500. `onCall` "drop" makes
   * the task and cuts the connection before its handle is sent. `onGet` sees a task before it is sent.
   */
  behave: Front & {
    onUpdate?: (task: FakeTask) => Promise<Verdict> | Verdict;
    onCall?: (task: FakeTask) => Promise<"answer" | "drop"> | "answer" | "drop";
    onGet?: (task: FakeTask) => void;
    cancelled?: "at_once" | "never";
    /** Acts on requests of this method, and cuts the connection instead of replying. */
    cut?: (method: string) => boolean;
    /** Refuses a request of this method before anything is done, with this status. */
    refusedWith?: (method: string) => number | null;
    /** Answers requests of this method by a JSON-RPC error with 64 KiB of data, in HTTP 200. */
    garbage?: (method: string) => boolean;
    /** The settings of the tasks extension that it declares. */
    settings?: Record<string, unknown>;
    /** What it adds to a task, or puts in the place of what is there, wherever it sends one. */
    adds?: (task: FakeTask) => Record<string, unknown>;
    /** Refuses every tools/call by this error. */
    refusesCalls?: { code: number; message: string; data?: unknown };
    /** What `quick` answers. */
    quick?: Record<string, unknown>;
    /** A tool's description. */
    describe?: (tool: string) => string | undefined;
    /**
     * Misbehaviour of `order`: asks two or 101 questions, asks again after the answers, cuts the connection after
     * them, refuses them, or makes a task with them, which is kept for a minute.
     */
    onOrder?: "two" | "again" | "drop" | "refuse" | "task" | "hundred" | "many";
  };
  subscriptions: Subscriptions;
  /** The answers each task received, in order of arrival. */
  answers: { taskId: string; answer: unknown }[];
  /** The parameters of each tools/call, with the answers and the state that multi round trips return. */
  calls: Record<string, unknown>[];
  /** The client's capabilities, as each tools/call declared them. */
  declared: Record<string, unknown>[];
  /** Requests, streams among them, that wait for the end of their reply now. */
  readonly open: number;
  /** Refuses connections from here on, until `comeBack()`; its tasks stay. */
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. The caller closes it. */
export async function startTestServer(): Promise<TestServer> {
  const tasks = new Map<string, FakeTask>();
  const calls: Record<string, unknown>[] = [];
  const declared: Record<string, unknown>[] = [];
  const seen: TestServer["seen"] = [];
  const behave: TestServer["behave"] = {};
  const answers: TestServer["answers"] = [];
  let cut = false;
  let broken = false;
  let open = 0;
  const state: State = {
    tasks,
    byKey: new Map(),
    calls,
    declared,
    behave,
    answers,
    cutConnection: () => (cut = true),
    breakDown: () => (broken = true),
  };
  const handler = toNodeHandler(createMcpHandler(() => buildServer(state), { legacy: "reject" }));
  const front = createFront(behave);
  const http = createServer((request, response) => {
    seen.push(request.headers);
    open++;
    response.on("close", () => open--);
    const end = response.end.bind(response);
    const writeHead = response.writeHead.bind(response);
    response.writeHead = ((status: number, ...rest: unknown[]) => {
      const shown = broken ? 500 : status;
      broken = false;
      return Reflect.apply(writeHead, response, [shown, ...rest]);
    }) as typeof response.writeHead;
    response.end = ((...rest: Parameters<typeof end>) => {
      if (!cut) return end(...rest);
      cut = false;
      return response.destroy();
    }) as typeof response.end;
    response.write = new Proxy(response.write, {
      apply: (write, self, rest) => (cut ? true : Reflect.apply(write, self, rest)),
    });
    const method = String(request.headers["mcp-method"]);
    const refusal = behave.refusedWith?.(method);
    if (refusal) return void response.writeHead(refusal).end();
    if (behave.garbage?.(method)) {
      const error = { code: -32603, message: "Internal error", data: Array(64).fill("x".repeat(1024)) };
      response.setHeader("content-type", "application/json");
      return void response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
    }
    if (behave.cut?.(method)) cut = true;
    void front.handle(request, response).then((answered) => {
      if (!answered) return handler(request, response);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const hostAndPort = `127.0.0.1:${port}`;
  const close = async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  };
  return {
    url: `http://${hostAndPort}/mcp`,
    hostAndPort,
    tasks,
    seen,
    calls,
    declared,
    behave,
    answers,
    subscriptions: front.subscriptions,
    get open() {
      return open;
    },
    goDown: close,
    comeBack: () => new Promise<void>((resolve) => http.listen(port, "127.0.0.1", resolve)),
    close,
  };
}

type State = Pick<TestServer, "tasks" | "calls" | "declared" | "behave" | "answers"> & {
  byKey: Map<string, FakeTask>;
  cutConnection(): void;
  breakDown(): void;
};

function buildServer(state: State): Server {
  const { tasks, byKey, calls, declared, behave, answers, cutConnection, breakDown } = state;
  const capabilities = {
    tools: {},
    extensions: { [TASKS]: { ...behave.settings } as Record<string, never> },
  };
  const server = new Server(
    { name: "test-server", version: "1.0.0" },
    { capabilities, instructions: "Be kind" },
  );

  server.setRequestHandler("tools/list", (request) => {
    const names = ["approve", "quick", "order", "wait", "refuse"];
    const from = Number(request.params?.cursor ?? 0);
    const tools = names.slice(from, from + 2).map((name) => ({
      name,
      description: behave.describe?.(name),
      inputSchema: {
        type: "object" as const,
        properties: { note: { type: "string", "x-mcp-header": "Note" } },
      },
      annotations: { readOnlyHint: name === "quick" },
      _meta: { "intray/idempotency-key": name === "approve" },
    }));
    return { tools, ...(from + 2 < names.length ? { nextCursor: String(from + 2) } : {}) };
  });

  server.fallbackRequestHandler = async (request, context) => {
    if (request.method !== "tools/call") throw new ProtocolError(-32601, "Method not found");
    const envelope = context.mcpReq.envelope as
      | Record<string, Record<string, Record<string, unknown>>>
      | undefined;
    if (!envelope?.["io.modelcontextprotocol/clientCapabilities"]?.extensions?.[TASKS]) {
      throw new MissingRequiredClientCapabilityError({
        requiredCapabilities: { extensions: { [TASKS]: {} } },
      });
    }
    declared.push(envelope["io.modelcontextprotocol/clientCapabilities"]!);
    if (behave.refusesCalls) {
      const { code, message, data } = behave.refusesCalls;
      throw new ProtocolError(code, message, data);
    }
    const { inputResponses } = context.mcpReq;
    const requestState = context.mcpReq.requestState();
    calls.push({ ...request.params, inputResponses, requestState });
    const name = request.params?.name;
    if (name === "quick") return behave.quick ?? { content: [{ type: "text", text: "done" }] };
    if (name === "order") {
      if (inputResponses && behave.onOrder === "refuse")
        throw new ProtocolError(-32602, "The state has expired");
      if (inputResponses && behave.onOrder === "drop") cutConnection();
      if (inputResponses && behave.onOrder === "task") {
        const task = { ...newTask("working"), ttlMs: 60_000 };
        tasks.set(task.taskId, task);
        return { resultType: "task", ...task };
      }
      return order(inputResponses, requestState, behave.onOrder);
    }
    const key = (request.params?._meta as Record<string, unknown> | undefined)?.["intray/idempotency-key"];
    const made = name === "approve" && typeof key === "string" ? byKey.get(key) : undefined;
    const task =
      made ?? newTask(name === "approve" ? "input_required" : name === "refuse" ? "failed" : "working");
    tasks.set(task.taskId, task);
    if (typeof key === "string") byKey.set(key, task);
    if ((await behave.onCall?.(task)) === "drop") cutConnection();
    const { inputRequests: _, error: __, ...shown } = task;
    return { resultType: "task", ...shown, ...behave.adds?.(task) };
  };

  const params = z.looseObject({ taskId: z.string() });
  const find = (taskId: string) => {
    const task = tasks.get(taskId);
    if (!task) throw new ProtocolError(-32602, "Task not found");
    return task;
  };
  server.setRequestHandler("tasks/get", { params }, ({ taskId }) => {
    const task = find(taskId);
    behave.onGet?.(task);
    return { ...task, ...behave.adds?.(task) };
  });
  server.setRequestHandler("tasks/cancel", { params }, ({ taskId }) => {
    const task = find(taskId);
    if (behave.cancelled !== "never") task.status = "cancelled";
    return {};
  });
  server.setRequestHandler("tasks/update", { params }, async ({ taskId }, context) => {
    const task = find(taskId);
    const { inputResponses } = context.mcpReq as { inputResponses?: Record<string, { action: string }> };
    const answer = inputResponses?.approval;
    answers.push({ taskId, answer });
    const verdict = (await behave.onUpdate?.(task)) ?? "take";
    if (verdict === "refuse") throw new ProtocolError(-32602, "Nothing is asked under this key");
    if (verdict === "drop") cutConnection();
    if (verdict === "break") breakDown();
    if (verdict === "ignore" || verdict === "break") return {};
    if (answer && task.status === "input_required") {
      const result = { content: [{ type: "text", text: JSON.stringify(answer) }], isError: false };
      Object.assign(task, { status: "completed", lastUpdatedAt: new Date().toISOString(), result });
      delete task.inputRequests;
    }
    return {};
  });
  return server;
}

/** Two rounds: one that only passes state, and one that asks. */
function order(
  inputResponses: unknown,
  requestState: unknown,
  variant: TestServer["behave"]["onOrder"],
): Record<string, unknown> {
  if (requestState === undefined) return { resultType: "input_required", requestState: "first ✓" };
  if (inputResponses !== undefined && variant !== "again")
    return { content: [{ type: "text", text: JSON.stringify({ inputResponses, requestState }) }] };
  const ask = (message: string, name: string, type: string) => ({
    method: "elicitation/create",
    params: { message, requestedSchema: { type: "object", properties: { [name]: { type } } } },
  });
  const numbered = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`q${n}`, ask(`${n}?`, "n", "integer")]));
  return {
    resultType: "input_required",
    requestState: `${requestState} second`,
    inputRequests: {
      amount: ask("How many?", "n", "integer"),
      ...(variant === "two" && { colour: ask("Which colour?", "colour", "string") }),
      ...(variant === "hundred" && numbered(99)),
      ...(variant === "many" && numbered(100)),
    },
  };
}

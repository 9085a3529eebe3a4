/**
 * An MCP server of 2026-07-28 that asks: a tool for each kind of question-kinds.ts, and `ask`, whose arguments are
 * the question itself. A task completes once it is answered, unless told otherwise. In memory; `GET /answers` lists
 * what it was told.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, ProtocolError, Server } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type FakeTask, newTask } from "../test/fake-task.ts";
import { KINDS, type QuestionKind } from "./question-kinds.ts";

const TASKS = "io.modelcontextprotocol/tasks";

/**
 * What an answer does to its task, besides completing it: `stall` holds the reply back until `release()`, `ignore` says
 * yes and goes on asking, `ask_again` puts the same question once more.
 */
export type Behaviour = "stall" | "ignore" | "ask_again";

export interface QuestionServer {
  url: string;
  hostAndPort: string;
  /** By tool. */
  behave: Map<string, Behaviour>;
  release(): void;
  /** How long the tasks made from now on live; null: for ever. */
  liveFor(ttlMs: number | null): void;
  /** How often they want to be looked at; null: all the time. */
  pollEvery(pollIntervalMs: number | null): void;
  /** Asks something else instead, in the newest task of that tool. */
  change(tool: string, question: Record<string, unknown>): void;
  /** Does not know the newest task of that tool any more. */
  forget(tool: string): void;
  close(): Promise<void>;
}

/** One line of `GET /answers`, in order of arrival. */
export const toldSchema = z.object({
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  answer: z.object({ action: z.string(), content: z.record(z.string(), z.unknown()).optional() }),
});
export type Told = z.infer<typeof toldSchema>;

const ASK: QuestionKind = {
  title: "Ask anything",
  arguments: { message: "?", requestedSchema: {} },
  question: ({ label: _, ...question }) => question as ReturnType<QuestionKind["question"]>,
};
const TOOLS: Record<string, QuestionKind> = { ...KINDS, ask: ASK };

/** Listens on a free port of 127.0.0.1. The caller closes it. */
export async function startQuestionServer(): Promise<QuestionServer> {
  const state: State = {
    tasks: new Map(),
    told: [],
    behave: new Map(),
    stalled: [],
    ttlMs: null,
    pollIntervalMs: null,
  };
  const handle = toNodeHandler(createMcpHandler(() => buildServer(state), { legacy: "reject" }));
  const http = createServer((request, response) => {
    if (request.url !== "/answers") return void handle(request, response);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(state.told));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const hostAndPort = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  const newestOf = (tool: string) => [...state.tasks.values()].findLast((task) => task.tool === tool);
  const release = () => {
    for (const go of state.stalled.splice(0)) go();
  };
  return {
    url: `http://${hostAndPort}/mcp`,
    hostAndPort,
    behave: state.behave,
    release,
    liveFor(ttlMs) {
      state.ttlMs = ttlMs;
    },
    pollEvery(pollIntervalMs) {
      state.pollIntervalMs = pollIntervalMs;
    },
    change(tool, question) {
      const task = newestOf(tool);
      if (task?.inputRequests) put(task, question);
    },
    forget(tool) {
      state.tasks.delete(newestOf(tool)?.taskId ?? "");
    },
    async close() {
      release();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

type Task = FakeTask & Pick<Told, "tool" | "arguments">;

interface State {
  tasks: Map<string, Task>;
  told: Told[];
  behave: QuestionServer["behave"];
  /** Replies that are held back. */
  stalled: (() => void)[];
  ttlMs: number | null;
  pollIntervalMs: number | null;
}

function put(task: Task, question: unknown, key = "question"): void {
  task.inputRequests = { [key]: { method: "elicitation/create", params: question } };
}

function buildServer(state: State): Server {
  const { tasks, told, behave } = state;
  const server = new Server(
    { name: "question-server", version: "1.0.0" },
    { capabilities: { tools: {}, extensions: { [TASKS]: {} } } },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: Object.entries(TOOLS).map(([name, { title, destructive, arguments: example }]) => ({
      name,
      title,
      inputSchema: {
        type: "object" as const,
        properties: Object.fromEntries(Object.keys(example).map((key) => [key, {}])),
      },
      annotations: { destructiveHint: destructive ?? false },
    })),
  }));
  server.fallbackRequestHandler = async (request) => {
    if (request.method !== "tools/call") throw new ProtocolError(-32601, "Method not found");
    const { name: tool, arguments: args = {} } = callParams.parse(request.params);
    const kind = TOOLS[tool];
    if (!kind) throw new ProtocolError(-32602, "Unknown tool");
    const fresh = newTask("input_required");
    const pollIntervalMs = state.pollIntervalMs ?? fresh.pollIntervalMs;
    const task: Task = { ...fresh, ttlMs: state.ttlMs, pollIntervalMs, tool, arguments: args };
    put(task, kind.question(args));
    tasks.set(task.taskId, task);
    const { inputRequests: _, tool: __, arguments: ___, ...shown } = task;
    return { resultType: "task", ...shown };
  };
  const find = (taskId: string) => {
    const task = tasks.get(taskId);
    if (!task) throw new ProtocolError(-32602, "Task not found");
    return task;
  };
  const params = z.looseObject({ taskId: z.string() });
  server.setRequestHandler("tasks/get", { params }, ({ taskId }) => {
    const { tool: _, arguments: __, ...task } = find(taskId);
    return task;
  });
  server.setRequestHandler("tasks/cancel", { params }, ({ taskId }) => {
    find(taskId).status = "cancelled";
    return {};
  });
  server.setRequestHandler("tasks/update", { params }, async ({ taskId }, context) => {
    const task = find(taskId);
    const [answer] = Object.values(answers.parse(context.mcpReq.inputResponses));
    if (!answer) throw new ProtocolError(-32602, "No answer");
    told.push({ tool: task.tool, arguments: task.arguments, answer });
    const how = behave.get(task.tool);
    if (how === "stall") await new Promise<void>((resolve) => state.stalled.push(resolve));
    if (how === "ignore") return {};
    if (how === "ask_again") {
      put(task, TOOLS[task.tool]?.question(task.arguments), `question ${told.length}`);
      return {};
    }
    const result = { content: [{ type: "text", text: JSON.stringify(answer) }], isError: false };
    Object.assign(task, { status: "completed", lastUpdatedAt: new Date().toISOString(), result });
    delete task.inputRequests;
    return {};
  });
  return server;
}

const callParams = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
});
const answers = z.record(z.string(), toldSchema.shape.answer);

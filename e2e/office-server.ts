/**
 * An MCP server of 2026-07-28 in this process, whose tools each ask one question (office-tools.ts), and which can be
 * told to be slow, deaf or of another mind. Intray must allow its host: start it with INTRAY_ALLOW_HOSTS.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, ProtocolError, Server } from "@modelcontextprotocol/server";
import { z } from "zod";
import { OFFICE_TOOLS, type OfficeTool } from "./office-tools.ts";

const TASKS = "io.modelcontextprotocol/tasks";
const KEY = "question";
const TOOLS: Record<string, OfficeTool> = OFFICE_TOOLS;

export interface OfficeAnswer {
  action: string;
  content?: Record<string, unknown>;
}

export interface OfficeTask {
  taskId: string;
  status: "working" | "input_required" | "completed" | "cancelled";
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: number | null;
  pollIntervalMs: number;
  inputRequests?: Record<string, unknown>;
  result?: unknown;
}

type Behaviour =
  /** The task ends. */
  | "complete"
  /** The reply waits for `release()`. */
  | "stall"
  /** It says yes, and keeps asking. */
  | "ignore"
  /** It asks the same again, as a question of its own. */
  | "ask_again";

export interface Office {
  url: string;
  /** The answers that arrived, in order, by the arguments of the call they belong to. */
  told: { tool: string; arguments: Record<string, unknown>; answer: OfficeAnswer }[];
  /** What the next answers do to tasks of a tool. */
  behave: Map<string, Behaviour>;
  /** Lets stalled replies go. */
  release(): void;
  /** How long the tasks that are made from now on live, in ms. */
  ttlMs: number | null;
  /** Asks something else instead, in every task of that tool. */
  change(tool: string, question: Pick<OfficeTool, "message" | "requestedSchema" | "url">): void;
  /** Forgets every task of that tool. */
  forget(tool: string): void;
  close(): Promise<void>;
}

interface Call {
  tool: string;
  arguments: Record<string, unknown>;
  task: OfficeTask;
}

/** Listens on a free port of 127.0.0.1. The caller closes it. */
export async function startOffice(): Promise<Office> {
  const calls = new Map<string, Call>();
  const told: Office["told"] = [];
  const behave: Office["behave"] = new Map();
  let stalled: (() => void)[] = [];
  const office = { ttlMs: null as number | null };
  const ofTool = (tool: string) => [...calls.values()].filter((call) => call.tool === tool);

  const answerTo = async (call: Call, answer: OfficeAnswer) => {
    told.push({ tool: call.tool, arguments: call.arguments, answer });
    const how = behave.get(call.tool) ?? "complete";
    if (how === "ignore") return;
    if (how === "stall") await new Promise<void>((resolve) => stalled.push(resolve));
    if (how === "ask_again") return ask(call.task, TOOLS[call.tool]!, `${KEY}-${told.length}`);
    end(call.task, answer.action === "accept" ? "DONE" : "NOT DONE");
  };
  const handler = toNodeHandler(
    createMcpHandler(() => buildServer(calls, answerTo, () => office.ttlMs), { legacy: "reject" }),
  );
  const http = createServer((request, response) => void handler(request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const release = () => {
    for (const go of stalled) go();
    stalled = [];
  };
  return Object.assign(office, {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    told,
    behave,
    release,
    change(tool: string, question: Pick<OfficeTool, "message">) {
      for (const { task } of ofTool(tool)) ask(task, { ...TOOLS[tool]!, ...question });
    },
    forget(tool: string) {
      for (const { task } of ofTool(tool)) calls.delete(task.taskId);
    },
    async close() {
      release();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  });
}

function buildServer(
  calls: Map<string, Call>,
  answerTo: (call: Call, answer: OfficeAnswer) => Promise<void>,
  ttlMs: () => number | null,
): Server {
  const capabilities = { tools: {}, extensions: { [TASKS]: {} } };
  const server = new Server({ name: "office", version: "1.0.0" }, { capabilities });
  server.setRequestHandler("tools/list", () => ({
    tools: Object.entries(TOOLS).map(([name, { title, annotations }]) => ({
      name,
      title,
      inputSchema: { type: "object" as const },
      ...(annotations && { annotations }),
    })),
  }));
  server.fallbackRequestHandler = async ({ method, params }) => {
    const tool = String(params?.name);
    const known = TOOLS[tool];
    if (method !== "tools/call" || !known) throw new ProtocolError(-32601, "Method not found");
    const task = newTask(ttlMs());
    ask(task, known);
    calls.set(task.taskId, { tool, arguments: params?.arguments as Record<string, unknown>, task });
    const { inputRequests: _, ...shown } = task;
    return { resultType: "task", ...shown };
  };

  const params = z.looseObject({ taskId: z.string() });
  const find = (taskId: string): Call => {
    const call = calls.get(taskId);
    if (!call) throw new ProtocolError(-32602, "Task not found");
    return call;
  };
  server.setRequestHandler("tasks/get", { params }, ({ taskId }) => ({ ...find(taskId).task }));
  server.setRequestHandler("tasks/cancel", { params }, ({ taskId }) => {
    const { task } = find(taskId);
    task.status = "cancelled";
    return {};
  });
  server.setRequestHandler("tasks/update", { params }, async ({ taskId }, context) => {
    const call = find(taskId);
    const { inputResponses = {} } = context.mcpReq as { inputResponses?: Record<string, OfficeAnswer> };
    for (const answer of Object.values(inputResponses)) await answerTo(call, answer);
    return {};
  });
  return server;
}

function newTask(ttlMs: number | null): OfficeTask {
  const now = new Date().toISOString();
  return {
    taskId: randomUUID(),
    status: "working",
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs,
    pollIntervalMs: 1_000,
  };
}

function ask(task: OfficeTask, { message, requestedSchema, url }: OfficeTool, key = KEY): void {
  const params = url
    ? { mode: "url", message, url, elicitationId: `${task.taskId}-${key}` }
    : { mode: "form", message, requestedSchema };
  Object.assign(task, {
    status: "input_required",
    lastUpdatedAt: new Date().toISOString(),
    inputRequests: { [key]: { method: "elicitation/create", params } },
  });
}

function end(task: OfficeTask, outcome: string): void {
  task.status = "completed";
  task.lastUpdatedAt = new Date().toISOString();
  task.result = { content: [{ type: "text", text: `Result: ${outcome}` }], isError: false };
  delete task.inputRequests;
}

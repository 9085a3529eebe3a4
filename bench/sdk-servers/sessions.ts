/**
 * A server of 2025-11-25 on `@modelcontextprotocol/sdk`, with sessions and standalone streams, whose tasks
 * all work and report nothing new. Knows no session at first, as after a restart.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TaskStore } from "@modelcontextprotocol/sdk/experimental/tasks/interfaces.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { answerPart, notePoll, pollMs } from "./counted.ts";

const capabilities = { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
const AT = new Date().toISOString();

async function task(taskId: string) {
  notePoll(taskId);
  const times = { createdAt: AT, lastUpdatedAt: AT, ttl: null, pollInterval: pollMs };
  return {
    taskId,
    status: "working" as const,
    statusMessage: "Waiting for the approval of the invoice",
    ...times,
  };
}

const never = () => Promise.reject(new Error("Nothing but polls is expected"));
const taskStore: TaskStore = {
  getTask: task,
  createTask: never,
  storeTaskResult: never,
  getTaskResult: never,
  updateTaskStatus: never,
  listTasks: never,
};
const transports = new Map<string, StreamableHTTPServerTransport>();
let held = 0;

async function open(): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void transports.set(id, transport),
  });
  const server = new McpServer({ name: "bench", version: "1.0.0" }, { capabilities, taskStore });
  await server.connect(transport);
  return transport;
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const session = request.headers["mcp-session-id"];
  const known = typeof session === "string" ? transports.get(session) : await open();
  if (!known) {
    const error = { code: -32001, message: "Session not found" };
    response.writeHead(404, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
    return;
  }
  if (request.method === "GET") {
    held++;
    response.once("close", () => held--);
  }
  await known.handleRequest(request, response);
}

const http = createServer((request, response) => {
  serve(request, response).catch(() => response.destroy());
});
http.keepAliveTimeout = 120_000;
let sockets = 0;
http.on("connection", (socket) => {
  sockets++;
  socket.once("close", () => sockets--);
});
http.listen(0, "127.0.0.1", () =>
  answerPart((http.address() as AddressInfo).port, () => ({ sockets, held })),
);

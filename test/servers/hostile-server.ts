/**
 * A server of both eras that is honest until a test lets it act otherwise: an act sees each request first,
 * and answers it itself, or leaves it to the honest part. Named acts are in hostile-acts.ts.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Message {
  id?: string | number;
  method: string;
  params: { taskId?: string; name?: string; cursor?: string } & Record<string, unknown>;
  /** Of an answer to a question of the server. */
  result?: unknown;
}

export interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
  message: Message;
  /** The result that an honest server would send. */
  result: Record<string, unknown>;
  /** Sends a JSON-RPC message as JSON. */
  send(body: unknown, headers?: Record<string, string>): void;
  /** Sends this result to the request. */
  reply(result: unknown): void;
}

/** Returns true if the request was answered, or is meant to stay unanswered. */
export type Act = (asked: Asked) => boolean;

export interface HostileServer {
  url: string;
  hostAndPort: string;
  act: Act | null;
  /** Every request, in order of arrival; "GET" and "DELETE" without a message, "response" for answers. */
  seen: { method: string; headers: IncomingMessage["headers"]; message: Message }[];
  /** Requests that wait for the end of their reply now, and the maximum so far. */
  open: { now: number; most: number };
  /** Lets all its tasks end from the next poll on. */
  finish(): void;
  close(): Promise<void>;
}

export async function startHostileServer(act: Act | null = null): Promise<HostileServer> {
  const open = { now: 0, most: 0 };
  const seen: HostileServer["seen"] = [];
  let finished = false;
  let tasks = 0;
  const server = {
    act,
    seen,
    open,
    finish: () => {
      finished = true;
    },
  };

  const shown = (taskId: string) => ({
    taskId,
    status: finished ? "completed" : "working",
    createdAt: "2026-11-21T00:00:00Z",
    lastUpdatedAt: "2026-11-21T00:00:00Z",
    ttl: null,
    ttlMs: null,
    pollInterval: 250,
    pollIntervalMs: 250,
  });
  const done = { content: [{ type: "text", text: "done" }] };
  const capabilities = { tools: {}, tasks: {} };
  const honest = ({ method, params }: Message, isModern: boolean): Record<string, unknown> => {
    switch (method) {
      case "initialize":
        return { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "hostile", version: "1" } };
      case "server/discover":
        return { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities };
      case "tools/list":
        return { tools: [{ name: "work", inputSchema: { type: "object" } }] };
      case "tools/call": {
        const task = shown(`task-${++tasks}`);
        return isModern ? { resultType: "task", ...task, status: "working" } : { task };
      }
      case "tasks/get":
        return { ...shown(params.taskId ?? ""), ...(isModern && finished && { result: done }) };
      case "tasks/result":
        return done;
      default:
        return {};
    }
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = chunks.length > 0 ? JSON.parse(String(Buffer.concat(chunks))) : {};
    const method = request.method === "POST" ? (body.method ?? "response") : (request.method ?? "");
    const message: Message = { ...body, method, params: body.params ?? {} };
    seen.push({ method, headers: request.headers, message });
    const isModern = request.headers["mcp-protocol-version"] === "2026-07-28";
    const result = honest(message, isModern);
    const session = method === "initialize" ? { "mcp-session-id": `session-${seen.length}` } : {};
    const send = (json: unknown, headers = {}) =>
      void response
        .writeHead(200, { "content-type": "application/json", ...session, ...headers })
        .end(JSON.stringify(json));
    const reply = (value: unknown) => send({ jsonrpc: "2.0", id: message.id, result: value });
    if (server.act?.({ request, response, message, result, send, reply })) return;
    if (request.method === "GET") return void response.writeHead(405).end();
    if (request.method === "DELETE") return void response.writeHead(200).end();
    if (message.id === undefined || method === "response") return void response.writeHead(202).end();
    reply(result);
  }

  const http = createServer((request, response) => {
    open.now++;
    open.most = Math.max(open.most, open.now);
    response.on("close", () => open.now--);
    // These servers expect clients that disconnect in the middle.
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const hostAndPort = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  return Object.assign(server, {
    url: `http://${hostAndPort}/mcp`,
    hostAndPort,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  });
}

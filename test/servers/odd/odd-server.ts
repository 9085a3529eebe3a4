/** A server of both eras that says the right things in odd ways, as servers in the field do. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Fields = Record<string, unknown>;
/** A reply as the specification has it. */
export interface Plain extends Fields {
  jsonrpc: "2.0";
  id: number;
}

export interface Odd {
  /** Writes the reply to any request. */
  write?(response: ServerResponse, reply: Plain): void;
  /** The result of `tools/list` for a cursor. */
  tools?(cursor: string | undefined): Fields;
  /** The result of `tasks/list` for a cursor. */
  tasks?(cursor: string | undefined): Fields;
  /** Answers a DELETE. The default is 200. */
  remove?(response: ServerResponse, request: IncomingMessage): void;
  /** What the session's standalone stream says. Without it there is none. */
  stream?: string;
}

export const DONE = { content: [{ type: "text", text: "done" }] };
export const TOOL = { name: "ask", inputSchema: { type: "object" } };
const AT = "2026-11-28T12:00:00.000Z";
const TASK = { taskId: "t-1", createdAt: AT, lastUpdatedAt: AT };

export const EVENTS = { "content-type": "text/event-stream" };
/** One event of these lines. */
export const event = (...lines: string[]) => `${lines.join("\n")}\n\n`;
export const data = (message: unknown) => event(`data: ${JSON.stringify(message)}`);

export async function startOddServer(odd: Odd) {
  /** Messages of the client's, other than requests. */
  const posted: Fields[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (request.method === "GET") return void openStream(odd, response);
    if (request.method === "DELETE") return odd.remove ? odd.remove(response, request) : void response.end();
    const message = JSON.parse(body) as Fields;
    if (typeof message.method !== "string" || message.id === undefined) {
      posted.push(message);
      return void response.writeHead(202).end();
    }
    response.setHeader("mcp-session-id", "s-1");
    const said = reply(odd, message.method, (message.params ?? {}) as Fields);
    const plain: Plain = { jsonrpc: "2.0", id: message.id as number, ...said };
    if (odd.write) odd.write(response, plain);
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(plain));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    posted,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function openStream({ stream }: Odd, response: ServerResponse): void {
  if (stream === undefined) response.writeHead(405).end();
  else response.writeHead(200, EVENTS).write(stream);
}

/** Whether a request is of 2026-07-28 is said by its `_meta`. */
function reply(odd: Odd, method: string, params: Fields): Fields {
  const version = (params._meta as Fields | undefined)?.["io.modelcontextprotocol/protocolVersion"];
  const isModern = version === "2026-07-28";
  const whole = (result: Fields) => ({ result: isModern ? { resultType: "complete", ...result } : result });
  const list = (result: Fields) => whole(isModern ? { ttlMs: 0, cacheScope: "private", ...result } : result);
  const cursor = params.cursor as string | undefined;
  const serverInfo = { name: "odd", version: "1" };
  switch (method) {
    case "server/discover":
      return list({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, serverInfo });
    case "initialize":
      return whole({ protocolVersion: "2025-11-25", capabilities: { tools: {}, tasks: {} }, serverInfo });
    case "tools/list":
      return list(odd.tools?.(cursor) ?? { tools: [TOOL] });
    case "tools/call":
      return "task" in params ? whole({ task: { ...TASK, status: "working", ttl: null } }) : whole(DONE);
    case "tasks/get":
      return whole({
        ...TASK,
        status: "completed",
        ...(isModern ? { ttlMs: null, result: DONE } : { ttl: null }),
      });
    case "tasks/result":
      return whole(DONE);
    case "resources/read":
      return list({ contents: [null, { uri: "file:///a", text: "a" }, "b"] });
    case "tasks/list":
      return whole(odd.tasks?.(cursor) ?? { tasks: [] });
    default:
      return { error: { code: -32601, message: "Method not found" } };
  }
}

/** A server of the transport of 2024-11-05, whose stream says `before` first and `between` before each reply. */
export async function startOddStream({ before = "", between = "" }: { before?: string; between?: string }) {
  let stream: ServerResponse | null = null;
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (request.method === "GET") {
      stream = response.writeHead(200, EVENTS);
      stream.write(`${before}${event("event: endpoint", "data: /messages")}`);
      return;
    }
    asked.push(request.url ?? "");
    if (request.url !== "/messages") return void response.writeHead(405).end();
    response.writeHead(202).end();
    const { id, method, params } = JSON.parse(body) as Fields;
    if (id !== undefined)
      stream?.write(
        between + data({ jsonrpc: "2.0", id, ...reply({}, String(method), (params ?? {}) as Fields) }),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`,
    /** Paths that messages were posted to. */
    asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Arguments of `node` for a command that writes each reply by this script: it has `reply` and `write(text)`. */
export function oddCommand(script: string): string[] {
  return [
    "-e",
    `const write = (text) => process.stdout.write(text + "\\n");
     const capabilities = { tools: {} };
     const RESULTS = {
       initialize: { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "odd", version: "1" } },
       "tools/list": { tools: [${JSON.stringify(TOOL)}] },
       "tools/call": ${JSON.stringify(DONE)},
     };
     require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
       const { id, method } = JSON.parse(line);
       if (id === undefined) return;
       const reply = { jsonrpc: "2.0", id, result: RESULTS[method] };
       ${script}
     });`,
  ];
}

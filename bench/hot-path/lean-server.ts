/**
 * A server of both eras in its own process, reduced to the needs of watching: bytes on sockets, without
 * parser or objects, so that ten thousand polls a second leave most of a core free. Counts polls, and how
 * much the time between two polls of a task exceeds the requested interval. Started and configured by
 * simulated.ts.
 */
import { readFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { gzipSync } from "node:zlib";
import { quantile } from "../figure.ts";
import type { Behaviour, Report } from "./simulated.ts";

const behaviour = JSON.parse(process.argv[2] ?? "") as Behaviour;
const { pollMs, latencyMs, streams, gzip } = behaviour;

let polls = 0;
let bytes = 0;
let lateMs: number[] = [];
let lastPoll = new Float64Array(1_024);
let seenOnce = 0;
let held = 0;
const sockets = new Set<Socket>();
const sessions = { made: 0 };

const AT = "2026-11-01T00:00:00.000Z";
const STATUS = `"status":"working","statusMessage":"Waiting for the approval of the invoice","createdAt":"${AT}","lastUpdatedAt":"${AT}"`;

function notePoll(taskId: string): void {
  const index = Number(taskId.slice(0, 12));
  const now = performance.now();
  if (index >= lastPoll.length) {
    const more = new Float64Array(Math.max(index + 1, 2 * lastPoll.length));
    more.set(lastPoll);
    lastPoll = more;
  }
  const last = lastPoll[index] ?? 0;
  if (last === 0) seenOnce++;
  else lateMs.push(now - last - pollMs);
  lastPoll[index] = now;
  polls++;
}

function reply(head: string, body: string): string {
  const id = /"id":("?[\w-]+"?)/.exec(body)?.[1] ?? "null";
  const method = /"method":"([^"]+)"/.exec(body)?.[1];
  if (method === "tasks/get") {
    const taskId = /"taskId":"([^"]+)"/.exec(body)?.[1] ?? "";
    notePoll(taskId);
    const isNewer = head.includes("2026-07-28");
    const rest = isNewer ? `"ttlMs":null,"pollIntervalMs":${pollMs}` : `"ttl":null,"pollInterval":${pollMs}`;
    const type = isNewer ? '"resultType":"complete",' : "";
    return result(id, `${type}"taskId":"${taskId}",${STATUS},${rest}`);
  }
  if (method === "initialize") {
    const capabilities = '{"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}},"tools":{}}';
    const session = `mcp-session-id: bench-session-${sessions.made++}\r\n`;
    return result(
      id,
      `"protocolVersion":"2025-11-25","capabilities":${capabilities},"serverInfo":{"name":"lean","version":"1"}`,
      session,
    );
  }
  if (method === undefined || method.startsWith("notifications/"))
    return "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";
  return json(
    "400 Bad Request",
    `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"Method not found"}}`,
  );
}

function result(id: string, fields: string, headers = ""): string {
  return json("200 OK", `{"jsonrpc":"2.0","id":${id},"result":{${fields}}}`, headers);
}

let date = new Date().toUTCString();
setInterval(() => {
  date = new Date().toUTCString();
}, 1_000);

/** Returns an HTTP response, compressed if `gzip` is set. All texts are ASCII. */
function json(status: string, plain: string, more = ""): string {
  const body = gzip ? gzipSync(plain).toString("latin1") : plain;
  const headers = gzip ? `content-encoding: gzip\r\n${more}` : more;
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ndate: ${date}\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;
}

const STREAM =
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n\r\n: open\n\n";
const NO_STREAM = "HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n";

function serve(socket: Socket): void {
  let rest = "";
  sockets.add(socket);
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  socket.on("close", () => sockets.delete(socket));
  socket.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    rest += chunk.toString("latin1");
    for (let end = rest.indexOf("\r\n\r\n"); end !== -1; end = rest.indexOf("\r\n\r\n")) {
      const head = rest.slice(0, end);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (rest.length < end + 4 + length) return;
      const body = rest.slice(end + 4, end + 4 + length);
      rest = rest.slice(end + 4 + length);
      answer(socket, head, body);
    }
  });
}

function answer(socket: Socket, head: string, body: string): void {
  if (head.startsWith("GET")) {
    if (streams) held++;
    write(socket, streams ? STREAM : NO_STREAM);
    if (streams) socket.once("close", () => held--);
    return;
  }
  const text = head.startsWith("DELETE") ? "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n" : reply(head, body);
  if (latencyMs > 0) setTimeout(write, latencyMs, socket, text);
  else write(socket, text);
}

function write(socket: Socket, text: string): void {
  bytes += text.length;
  if (!socket.destroyed) socket.write(text, "latin1");
}

const listeners: Server[] = Array.from({ length: behaviour.origins }, () =>
  behaviour.tls
    ? createTlsServer({ key: readFileSync(behaviour.tls.key), cert: readFileSync(behaviour.tls.cert) }, serve)
    : createServer(serve),
);
const ports = await Promise.all(
  listeners.map(
    (server) =>
      new Promise<number>((resolve) =>
        server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
      ),
  ),
);

process.on("message", (message) => {
  if (message === "reset") {
    polls = 0;
    bytes = 0;
    lateMs = [];
  }
  const report: Report = {
    polls,
    bytes,
    tasks: seenOnce,
    held,
    sockets: sockets.size,
    lateMs: { p50: quantile(lateMs, 0.5), p99: quantile(lateMs, 0.99), max: quantile(lateMs, 1) },
  };
  process.send?.(report);
});
process.on("disconnect", () => process.exit(0));
process.send?.({ ports });

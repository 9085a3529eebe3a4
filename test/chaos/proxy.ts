/** A bad network in front of one MCP server: cuts, stalls, doubles, reorders and refuses by plan. */
import { EventEmitter, once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { callIn } from "./call.ts";
import type { CallKind, Fault, FaultKind } from "./plan.ts";
import { shiftClock } from "./shift-clock.ts";

export interface BadNetwork {
  url: string;
  close(): Promise<void>;
}

export interface ProxyOptions {
  /** The port that it listens on, of 127.0.0.1. */
  port: number;
  /** The server's port, on 127.0.0.1. */
  target: number;
  /** Called once per request, with the number of earlier requests of its method. */
  plan(method: string, nth: number, kind: CallKind): { fault: Fault; clockMs: number };
  onFault(kind: FaultKind, details: Record<string, unknown>): void;
}

/** How long a reply waits for a newer one. */
const REORDER_MS = 4_000;

export async function startProxy(options: ProxyOptions): Promise<BadNetwork> {
  const counts = new Map<string, number>();
  const replies = new EventEmitter().setMaxListeners(0);
  const server = createServer((req, res) => {
    res.on("error", () => {}); // the reader has gone, so the rest is dropped
    relay(options, counts, replies, req, res).catch(() => res.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${options.port}/mcp`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Relays a request. Rejects if the connection is to be cut: by plan, or because the server's was. */
async function relay(
  options: ProxyOptions,
  counts: Map<string, number>,
  replies: EventEmitter,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const body = await readAll(req);
  const call = callIn(req.method ?? "", body);
  const nth = counts.get(call.method) ?? 0;
  counts.set(call.method, nth + 1);
  const { fault, clockMs } = options.plan(call.method, nth, call.kind);
  const note = (kind: FaultKind, more: Record<string, unknown> = {}) =>
    options.onFault(kind, { method: call.method, nth, id: call.id, taskId: call.taskId, ...more });
  const cut = () => {
    throw new Error("cut by plan");
  };

  if (fault?.kind === "refused") {
    note("refused", { status: fault.status });
    const headers = fault.retryAfterS === null ? {} : { "retry-after": String(fault.retryAfterS) };
    res.writeHead(fault.status, { "content-type": "text/plain", ...headers }).end("Not now");
    return;
  }
  if (fault?.kind === "misrouted" && req.headers["mcp-session-id"] !== undefined) {
    note("misrouted");
    const error = { code: -32001, message: "Session not found" };
    res.writeHead(404, { "content-type": "application/json" });
    res.end(JSON.stringify({ jsonrpc: "2.0", error, id: null }));
    return;
  }
  if (fault?.kind === "dropped before") {
    note("dropped before");
    cut();
  }
  if (fault?.kind === "stalled" && fault.what === "request") {
    note("stalled", { ...fault });
    await sleep(fault.forMs);
    if (fault.end === "dropped") cut();
  }
  const reply = await forward(options.target, req, body, res, fault !== null);
  const again = fault?.kind === "duplicated" && call.mayRepeat ? fault : null;
  if (clockMs !== 0) note("shifted", { clockMs });

  if (fault?.kind === "dropped after") {
    note("dropped after", { afterMs: fault.afterMs });
    if (call.kind !== "stream") await readAll(reply);
    else setTimeout(() => reply.destroy(), fault.afterMs);
    if (call.kind !== "stream") cut();
  }
  if (fault?.kind === "stalled" && fault.what === "reply") {
    note("stalled", { ...fault });
    await sleep(fault.forMs);
    if (fault.end === "dropped") {
      reply.resume();
      cut();
    }
  }
  if (fault?.kind === "cut") note("cut");
  await pass(reply, res, clockMs, fault?.kind === "cut", async () => {
    if (fault?.kind === "reordered" && (await overtaken(replies))) note("reordered");
  });
  replies.emit("reply");
  if (again) {
    note("duplicated", { afterMs: again.afterMs });
    await sleep(again.afterMs);
    const second = await forward(options.target, req, body, null, true).catch(() => null); // the server is down
    if (second) await readAll(second).catch(() => {});
  }
}

/**
 * Forwards a request. When the reader of `res` goes, so does the request, unless it is `kept`, since messages
 * under way in a network arrive.
 */
function forward(
  target: number,
  req: IncomingMessage,
  body: Buffer,
  res: ServerResponse | null,
  kept: boolean,
): Promise<IncomingMessage> {
  const headers: IncomingHttpHeaders = { ...req.headers, host: `127.0.0.1:${target}` };
  delete headers.connection;
  delete headers["keep-alive"];
  delete headers["transfer-encoding"];
  if (body.length > 0) headers["content-length"] = String(body.length);
  return new Promise((resolve, reject) => {
    // One connection per request, so that none is found closed when the next request needs it.
    const to = { host: "127.0.0.1", port: target, agent: false } as const;
    const out = request({ ...to, method: req.method, path: req.url, headers });
    out.on("error", reject);
    out.on("response", resolve);
    // A reply without a reader is not awaited; the request itself has been sent by then.
    res?.on("close", () => (kept ? setTimeout(() => out.destroy(), 1_000) : out.destroy()));
    out.end(body);
  });
}

async function pass(
  reply: IncomingMessage,
  res: ServerResponse,
  clockMs: number,
  isCut: boolean,
  beforeEach: () => Promise<void>,
): Promise<void> {
  const headers: Record<string, string | string[] | undefined> = { ...reply.headers };
  for (const name of ["connection", "keep-alive", "transfer-encoding"]) delete headers[name];
  const date = Date.parse(String(headers.date)) + clockMs;
  if (clockMs !== 0 && !Number.isNaN(date)) headers.date = new Date(date).toUTCString();
  const isStream = String(headers["content-type"]).includes("text/event-stream");
  if (res.destroyed) {
    reply.destroy();
    return;
  }
  if (!isStream) await beforeEach();
  res.writeHead(reply.statusCode ?? 502, headers);
  res.flushHeaders();
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    if (isStream) await beforeEach();
    const passed = clockMs === 0 ? chunk : shiftClock(chunk, clockMs);
    if (!isCut) res.write(passed);
    else {
      // Half of the reply arrives for certain.
      await new Promise((resolve) => res.write(passed.subarray(0, passed.length / 2), resolve));
      throw new Error("cut by plan");
    }
  }
  if (!reply.complete) throw new Error("the server's connection was cut");
  res.end();
}

/** Waits for another reply to pass. Returns false if none came. */
async function overtaken(replies: EventEmitter): Promise<boolean> {
  const enough = AbortSignal.timeout(REORDER_MS);
  return once(replies, "reply", { signal: enough }).then(
    () => true,
    () => false,
  );
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

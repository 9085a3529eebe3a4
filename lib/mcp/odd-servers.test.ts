/** Servers whose replies are odd, beside the official clients: where one of these completes a call, Intray does. */
import type { ServerResponse } from "node:http";
import * as modern from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdioTransport } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { endAll, notes, open as openCommand } from "../../test/commands.ts";
import {
  DONE,
  data,
  EVENTS,
  event,
  type Odd,
  oddCommand,
  type Plain,
  startOddServer,
  startOddStream,
  TOOL,
} from "../../test/servers/odd/odd-server.ts";
import { createNetwork } from "../base/network/network.ts";
import { probe } from "../servers/probe.ts";
import { createPeer, openWire } from "./connect.ts";
import { BATCH_MESSAGES, FLOOD_EVENTS } from "./limits.ts";
import type { Era, TaskRef } from "./peer.ts";

// A flood is counted within some seconds, which a busy machine may need for it.
vi.mock("./limits.ts", async (original) => ({
  ...(await original<typeof import("./limits.ts")>()),
  FLOOD_EVENTS_A_SECOND: 0,
  FLOOD_BYTES_A_SECOND: 0,
}));

const network = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });
afterAll(() => network.close());
afterEach(endAll);

const options = { deadlineMs: 180_000 };
const patience = { timeout: 180_000 };
const asTask = { tool: "ask", arguments: {}, ttlMs: null, idempotencyKey: "k" };
const plain = { ...asTask, taskSupport: "forbidden" } as const;
const CLIENT = { name: "official", version: "1" };

async function start(odd: Odd) {
  const server = await startOddServer(odd);
  onTestFinished(() => server.close());
  const wire = openWire({ url: server.url, headers: {} }, network);
  return { server, wire, peer: (era: Era) => createPeer(era, wire) };
}

type Clients = readonly ("1.x" | "2.x" | "2.x, 2026-07-28")[];
const ALL: Clients = ["1.x", "2.x", "2.x, 2026-07-28"];

/** Connects as an official client does, and returns the names of the tools it lists, and the result of its call. */
async function official(
  name: Clients[number],
  { url = "", args }: { url?: string; args?: string[] },
  isOld = false,
): Promise<{ tools: string[]; result: unknown }> {
  const call = { name: "ask", arguments: {} };
  const command = { command: process.execPath, args: args ?? [] };
  if (name === "1.x") {
    const client = new Client(CLIENT);
    onTestFinished(() => client.close());
    const http = isOld ? SSEClientTransport : StreamableHTTPClientTransport;
    const transport = args ? new StdioClientTransport(command) : new http(new URL(url));
    await client.connect(transport as Parameters<typeof client.connect>[0], patience);
    const { tools } = await client.listTools({}, patience);
    return {
      tools: tools.map((tool) => tool.name),
      result: await client.callTool(call, undefined, patience),
    };
  }
  const pin = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;
  const client = new modern.Client(CLIENT, name === "2.x" ? {} : pin);
  onTestFinished(() => client.close());
  const http = isOld ? modern.SSEClientTransport : modern.StreamableHTTPClientTransport;
  const transport = args ? new ModernStdioTransport(command) : new http(new URL(url));
  await client.connect(transport, patience);
  const { tools } = await client.listTools({}, patience);
  return { tools: tools.map((tool) => tool.name), result: await client.callTool(call, patience) };
}

const inStream = (before: (reply: Plain) => string, after: (reply: Plain) => string = data) => ({
  write: (response: ServerResponse, reply: Plain) =>
    response.writeHead(200, EVENTS).end(before(reply) + after(reply)),
});
const asText = (reply: Plain) => ({ ...reply, id: String(reply.id) });
const inBody = (words: (reply: Plain) => string, type = "application/json") => ({
  write: (response: ServerResponse, reply: Plain) =>
    response.writeHead(200, { "content-type": type }).end(words(reply)),
});
const LOG = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "working" } };

/** `clients`: the official ones that complete the call. */
const replies: [name: string, odd: Odd, clients: Clients][] = [
  ["an event with another name first", inStream(() => event("event: ping", "data: ping")), ALL],
  [
    "a message under another name first",
    inStream((reply) => event("event: draft", `data: ${JSON.stringify({ ...reply, result: {} })}`)),
    ALL,
  ],
  [
    "an event whose name is said and taken back",
    inStream(
      () => "",
      (reply) => event("event: ping", "event", `data: ${JSON.stringify(reply)}`),
    ),
    ALL,
  ],
  ["blank events first", inStream(() => "event: ping\n\ndata:\n\ndata\n\n: hello\n\n"), ALL],
  ["white space first", inStream(() => event("data:  ") + event("data: ", "data:")), ALL],
  ["words first", inStream(() => event("data: ping")), ALL],
  ["a heartbeat first", inStream(() => data({ type: "heartbeat" })), ALL],
  ["a value first", inStream(() => data(null) + data(7) + data("ping") + data([])), ALL],
  ["another reply first", inStream((reply) => data({ ...reply, id: reply.id + 1 })), ALL],
  ["another client's reply first", inStream((reply) => data({ ...reply, id: "7e1c" })), ALL],
  [
    "its id as a text",
    inStream(
      () => "",
      (reply) => data(asText(reply)),
    ),
    ALL,
  ],
  [
    "no blank line after it",
    { write: (response, reply) => response.writeHead(200, EVENTS).end(`data: ${JSON.stringify(reply)}`) },
    [],
  ],
  ["its id as a text, in a body", inBody((reply) => JSON.stringify(asText(reply))), ALL],
  ["a byte order mark", inBody((reply) => `\ufeff${JSON.stringify(reply)}`), ALL],
  ["a byte order mark before the stream", inStream(() => "\ufeff"), ALL],
  [
    "capitals in its media type",
    {
      write: (response, reply) =>
        response.writeHead(200, { "content-type": "Text/Event-Stream; Charset=UTF-8" }).end(data(reply)),
    },
    ALL,
  ],
  ["capitals in a body's", inBody((reply) => JSON.stringify(reply), "Application/JSON; Charset=UTF-8"), ALL],
  ["no media type", { write: (response, reply) => response.end(JSON.stringify(reply)) }, []],
  ["an array", inBody((reply) => JSON.stringify([reply])), ALL],
  [
    "an error without an id before it",
    inBody((reply) => JSON.stringify([{ jsonrpc: "2.0", error: { code: -32600, message: "What?" } }, reply])),
    [],
  ],
  ["an array of a notification and the reply", inBody((reply) => JSON.stringify([LOG, reply])), ALL],
  [
    "an array in a stream",
    inStream(
      () => "",
      (reply) => data([LOG, { ...reply, id: 0 }, reply]),
    ),
    [],
  ],
];

test.each(replies)("a reply with %s", async (_, odd, clients) => {
  const { server, wire, peer } = await start(odd);
  for (const name of clients)
    expect([name, await official(name, server)]).toMatchObject([name, { result: DONE }]);
  for (const era of ["2025-11-25", "2026-07-28"] as const) {
    const client = peer(era);
    const session = await client.open(options);
    const task: TaskRef = { taskId: "t-1", session };
    expect((await client.listTools(session, options)).map(({ name }) => name)).toEqual(["ask"]);
    const { listener, results } = notes();
    expect(await client.start(session, plain, listener, options)).toMatchObject({ result: DONE });
    const { task: remote } = await client.get(task, options);
    if (!remote) throw new Error("no task");
    expect(await client.result(task, remote, options)).toMatchObject({ result: DONE });
    if (era === "2026-07-28") continue;
    expect(await client.start(session, asTask, listener, options)).toMatchObject({ kind: "task" });
    await client.openResult(task, listener, options);
    await expect.poll(() => results).toMatchObject([{ kind: "result", result: DONE }]);
  }
  await wire.end();
});

test("an error without an id is the reply to the one request of its exchange", async () => {
  const { peer, wire } = await start({
    write(response, reply) {
      const error = { code: -32600, message: "What?" };
      const isCall = JSON.stringify(reply.result).includes("done");
      const words = isCall ? { jsonrpc: "2.0", id: null, error } : reply;
      response.writeHead(200, EVENTS).end(data({ type: "heartbeat" }) + data(words));
    },
  });
  const client = peer("2025-11-25");
  const session = await client.open(options);
  const outcome = client.start(session, plain, notes().listener, options);
  await expect(outcome).rejects.toMatchObject({ code: "rejected", rpcError: { message: "What?" } });
  await wire.end();
});

test("an error under a name of its own is the reply, if it names the request", async () => {
  const { peer, wire } = await start({
    write(response, reply) {
      const error = { code: -32602, message: "No such invoice" };
      const isCall = JSON.stringify(reply.result).includes("done");
      const of = (id: unknown) =>
        event("event: error", `data: ${JSON.stringify({ jsonrpc: "2.0", id, error })}`);
      response.writeHead(200, EVENTS).end(isCall ? of(null) + of(0) + of(reply.id) : data(reply));
    },
  });
  const client = peer("2025-11-25");
  const session = await client.open(options);
  const outcome = client.start(session, plain, notes().listener, options);
  await expect(outcome).rejects.toMatchObject({ code: "rejected", rpcError: { message: "No such invoice" } });
  await wire.end();
});

test("a reply that is cut short is none", async () => {
  const { peer, wire } = await start({
    write: (response, reply) =>
      response.writeHead(200, EVENTS).end(`data: ${JSON.stringify(reply).slice(0, -1)}`),
  });
  const outcome = peer("2026-07-28").listTools(null, options);
  await expect(outcome).rejects.toMatchObject({ code: "unreachable" });
  await wire.end();
});

test.each<[name: string, words: () => string]>([
  ["named events", () => event("event: ping", "data: x").repeat(FLOOD_EVENTS + 1)],
  ["heartbeats", () => data({ type: "heartbeat" }).repeat(FLOOD_EVENTS + 1)],
  ["empty arrays", () => data([]).repeat(FLOOD_EVENTS + 1)],
  ["full arrays", () => data(Array(BATCH_MESSAGES).fill(0)).repeat(FLOOD_EVENTS / BATCH_MESSAGES + 1)],
  ["one array with more than may be", () => data(Array(BATCH_MESSAGES + 1).fill(0))],
])("a flood of %s before the reply ends the exchange", async (_, words) => {
  const { peer, wire } = await start(inStream(words));
  await expect(peer("2026-07-28").listTools(null, options)).rejects.toMatchObject({ code: "too_large" });
  await wire.end();
});

test("a stream of more heartbeats than a reply may have bytes goes on", async () => {
  const beats = `: ${"heartbeat ".repeat(100)}\n\n`;
  const { peer, wire } = await start(inStream(() => beats.repeat(9 * 1024)));
  const listed = await peer("2026-07-28").listTools(null, options);
  expect(listed.map(({ name }) => name)).toEqual(["ask"]);
  await wire.end();
});

const QUESTION = {
  jsonrpc: "2.0",
  id: "q-1",
  method: "elicitation/create",
  params: { message: "Sure?", requestedSchema: { type: "object", properties: {} } },
};
const asked = [{ question: { message: "Sure?", address: { kind: "rpc", rpcId: "q-1" } } }];

test.each<[name: string, words: string]>([
  ["an event with another name", event("event: ping", "data: ping") + data(QUESTION)],
  ["words", event("data: ping") + data(QUESTION)],
  ["a heartbeat", data({ type: "heartbeat" }) + data(QUESTION)],
  ["half a message", event('data: {"method"') + data(QUESTION)],
  ["a message with an odd id", data({ ...QUESTION, id: 1.5 }) + data(QUESTION)],
  ["an array", data([LOG, QUESTION])],
])("a question after %s is heard on every stream", async (_, words) => {
  const { peer, wire } = await start({ ...inStream(() => words), stream: words });
  const client = peer("2025-11-25");
  const session = await client.open(options);
  const [standalone, call, result] = [notes(), notes(), notes()];
  const stream = await client.listen(session, standalone.listener, options);
  await expect.poll(() => standalone.questions).toMatchObject(asked);
  expect(await client.start(session, plain, call.listener, options)).toMatchObject({ result: DONE });
  expect(call.questions).toMatchObject(asked);
  await client.openResult({ taskId: "t-1", session }, result.listener, options);
  await expect.poll(() => result.results).toMatchObject([{ kind: "result", result: DONE }]);
  expect(result.questions).toMatchObject(asked);
  stream?.close();
  await wire.end();
});

const OLD: Clients = ["1.x", "2.x"];

test.each<[name: string, script: string, clients: Clients]>([
  ["words first", `write("starting"); write(JSON.stringify(reply));`, OLD],
  ["a heartbeat first", `write('{"type":"heartbeat"}'); write(JSON.stringify(reply));`, OLD],
  [
    "another reply first",
    `write(JSON.stringify({ ...reply, id: id + 1 })); write(JSON.stringify(reply));`,
    OLD,
  ],
  ["its id as a text", `write(JSON.stringify({ ...reply, id: String(id) }));`, OLD],
  ["an array", `write(JSON.stringify([{ jsonrpc: "2.0", method: "notifications/x" }, null, reply]));`, []],
  ["a byte order mark", `write("\ufeff" + JSON.stringify(reply));`, []],
])("a command's reply with %s", async (_, script, clients) => {
  const args = oddCommand(script);
  for (const name of clients) expect(await official(name, { args })).toMatchObject({ result: DONE });
  const { v1 } = openCommand(args);
  const session = await v1.open(options);
  expect(await v1.listTools(session, options)).toMatchObject([{ name: "ask" }]);
  expect(await v1.start(session, plain, notes().listener, options)).toMatchObject({ result: DONE });
});

describe("a command's error without an id", () => {
  /** Answers calls of tools together once so many have come: with errors without an id, and then with replies. */
  const refusing = (calls: number) =>
    oddCommand(`
      if (method !== "tools/call") return write(JSON.stringify(reply));
      globalThis.replies = [...(globalThis.replies ?? []), reply];
      if (globalThis.replies.length < ${calls}) return;
      write(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "What?" } }));
      for (const each of globalThis.replies) write(JSON.stringify(each));`);

  test("is the reply to the only call that waits", async () => {
    const { v1 } = openCommand(refusing(1));
    const session = await v1.open(options);
    const outcome = v1.start(session, plain, notes().listener, options);
    await expect(outcome).rejects.toMatchObject({ code: "rejected", rpcError: { message: "What?" } });
  });

  test("fails none of several, any of which may be meant, and is said in the log", async () => {
    const { v1, log } = openCommand(refusing(2));
    const session = await v1.open(options);
    const calls = [1, 2].map(() => v1.start(session, plain, notes().listener, options));
    expect(await Promise.all(calls)).toMatchObject([{ result: DONE }, { result: DONE }]);
    expect(log).toEqual(["An error names no request, and it can't be told which one is meant"]);
  });
});

test.each<[name: string, words: { before?: string; between?: string }]>([
  ["an event with another name", { before: event("event: ping", "data: /ping") }],
  ["a heartbeat", { before: data({ type: "heartbeat" }), between: data({ type: "heartbeat" }) }],
  ["events with other names", { between: event("event: ping", "data: ping") }],
])("a stream of 2024-11-05 that says %s first", async (_, words) => {
  const server = await startOddStream(words);
  onTestFinished(() => server.close());
  for (const name of OLD) expect(await official(name, server, true)).toMatchObject({ result: DONE });
  const wire = openWire({ url: server.url, headers: {} }, network);
  const client = createPeer("2025-11-25", wire);
  const session = await client.open(options);
  expect(await client.start(session, plain, notes().listener, options)).toMatchObject({ result: DONE });
  expect(new Set(server.asked)).toEqual(new Set(["/sse", "/messages"]));
  await wire.end();
});

test.each<[name: string, remove: Odd["remove"]]>([
  ...[302, 400, 401, 403, 405, 404, 429, 500, 503].map((status): [string, Odd["remove"]] => [
    String(status),
    (response) => response.writeHead(status, { location: "/elsewhere", "retry-after": "3600" }).end("no"),
  ]),
  ["a lost connection", (_, request) => request.socket.destroy()],
  ["silence", () => undefined],
])("a session that the server ends with %s is no fault of the server's", async (_, remove) => {
  const { server, wire, peer } = await start({ remove });
  const client = peer("2025-11-25");
  await client.close(await client.open(options), options);
  await wire.end();
  const { health, found } = await probe({ url: server.url, headers: {} }, "2025-11-25", network);
  expect(health).toEqual({ state: "ok", message: null });
  expect(found?.tools).toHaveLength(1);
});

test("a session's end asks for no new token, and its refusal says nothing about the one there is", async () => {
  let removed = 0;
  const server = await startOddServer({
    remove(response) {
      removed++;
      response.writeHead(401).end();
    },
  });
  onTestFinished(() => server.close());
  let token: string | null = "t";
  const never = () => Promise.reject(new Error("asked of the authorization server"));
  const access = { current: () => token, fresh: never, refused: never, exhausted: never, forget: () => {} };
  const wire = openWire({ url: server.url, headers: {}, access }, network);
  const client = createPeer("2025-11-25", wire);
  const session = await client.open(options);
  await client.close(session, options);
  token = null;
  await client.close(session, options);
  expect(removed).toBe(1);
  await wire.end();
});

const named = (...names: string[]) => names.map((name) => ({ ...TOOL, name }));
/** What pages hold by cursor; the first page's is "first". */
const pages = (of: Record<string, unknown>) => (cursor: string | undefined) => {
  const page = of[cursor ?? "first"];
  if (page === undefined) throw new Error(`no page ${cursor}`);
  return page as Record<string, unknown>;
};
let pagesRead = 0;

test.each<[name: string, tools: NonNullable<Odd["tools"]>, names: string[], clients: Clients]>([
  [
    "odd tools",
    () => ({
      tools: [null, 7, [], {}, { inputSchema: {} }, { name: "" }, { ...TOOL, inputSchema: null }, TOOL],
    }),
    ["ask"],
    [],
  ],
  [
    "a tool twice",
    () => ({ tools: [...named("a", "a"), TOOL, { ...TOOL, title: "Other" }] }),
    ["a", "ask"],
    ALL,
  ],
  ["a cursor that stands still", () => ({ tools: named("a", "ask"), nextCursor: "x" }), ["a", "ask"], ALL],
  [
    "the same cursor, and other tools each time",
    (cursor) => {
      pagesRead = cursor === undefined ? 1 : pagesRead + 1;
      return { tools: named(`t${pagesRead}`), ...(pagesRead < 4 && { nextCursor: "next" }) };
    },
    ["t1", "t2", "t3", "t4"],
    ["2.x", "2.x, 2026-07-28"],
  ],
  [
    "cursors that alternate",
    pages({
      first: { tools: named("a"), nextCursor: "x" },
      x: { tools: named("b"), nextCursor: "y" },
      y: { tools: named("c"), nextCursor: "x" },
    }),
    ["a", "b", "c"],
    [],
  ],
  ["ever new cursors", (cursor = "") => ({ tools: named("a"), nextCursor: `${cursor}x` }), ["a"], []],
  [
    "an empty cursor",
    pages({ first: { tools: named("a"), nextCursor: "" }, "": { tools: named("b") } }),
    ["a", "b"],
    ["2.x", "2.x, 2026-07-28"],
  ],
  ["an empty cursor that leads to the same", () => ({ tools: named("a"), nextCursor: "" }), ["a"], ALL],
  ["a cursor that is null", () => ({ tools: named("a"), nextCursor: null }), ["a"], []],
  ["a cursor that is no text", () => ({ tools: named("a"), nextCursor: 7 }), ["a"], []],
])("a list with %s", async (_, tools, names, clients) => {
  const { server, wire, peer } = await start({ tools });
  for (const name of clients)
    expect([name, new Set((await official(name, server)).tools)]).toEqual([name, new Set(names)]);
  for (const era of ["2025-11-25", "2026-07-28"] as const) {
    const client = peer(era);
    const listed = await client.listTools(await client.open(options), options);
    expect(listed.map(({ name }) => name)).toEqual(names);
  }
  await wire.end();
});

test("a server whose empty cursor leads nowhere has the tools before it", async () => {
  const { wire, peer } = await start({
    write(response, reply) {
      const error = { code: -32602, message: "Invalid cursor" };
      const isLost = JSON.stringify(reply.result).includes("lost");
      const { result, ...rest } = reply;
      response.end(JSON.stringify(isLost ? { ...rest, error } : reply));
    },
    tools: pages({ first: { tools: named("a"), nextCursor: "" }, "": { tools: named("lost") } }),
  });
  const client = peer("2025-11-25");
  const listed = await client.listTools(await client.open(options), options);
  expect(listed.map(({ name }) => name)).toEqual(["a"]);
  await wire.end();
});

test("tasks are listed without the odd ones, and once", async () => {
  const task = (taskId: string) => ({ taskId, status: "working", ttl: null });
  const { wire, peer } = await start({
    tasks: pages({
      first: { tasks: [null, task("1"), { status: "working" }, task("2")], nextCursor: "" },
      "": { tasks: [task("2"), task("3")], nextCursor: "" },
    }),
  });
  const client = peer("2025-11-25");
  const list = await client.list(await client.open(options), 100, options);
  expect(list?.tasks.map(({ taskId }) => taskId)).toEqual(["1", "2", "3"]);
  await wire.end();
});

test("a resource is read without its odd parts", async () => {
  const { wire, peer } = await start({});
  const parts = await peer("2026-07-28").readResource(null, "file:///a", options);
  expect(parts).toMatchObject([{ uri: "file:///a", text: "a" }]);
  await wire.end();
});

test("what is left out of a list is said where a server is tested", async () => {
  const { server } = await start({
    tools: () => ({ tools: [null, TOOL, { name: "odd", inputSchema: null }] }),
  });
  const { steps } = await probe({ url: server.url, headers: {} }, "2025-11-25", network);
  expect(steps.at(-1)?.message).toBe("1 tool, 2 left out: not as the protocol has them");
});

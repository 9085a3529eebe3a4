import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createNetwork, type Network } from "../../base/network/network.ts";
import { createPeer, openWire } from "../connect.ts";
import type { Session, StreamListener, TaskRef } from "../peer.ts";
import { headerValue } from "./headers.ts";

/** The server's next behavior; `id` is the request's JSON-RPC id. */
type Behaviour = (response: ServerResponse, id: number, request: IncomingMessage) => void;

let behave: Behaviour;
let requests = 0;
let network: Network;
let url: string;
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    requests++;
    behave(response, body === "" ? 0 : JSON.parse(body).id, request);
  });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}/mcp`;
  network = createNetwork({
    allowHosts: [`127.0.0.1:${port}`, "127.0.0.1:9", "unknown.invalid"],
    denyPorts: [],
  });
});
afterAll(async () => {
  await network.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  requests = 0;
});

const options = { deadlineMs: 3_000 };
const session: Session = { id: "s", protocolVersion: "2025-11-25", lastEventId: null };
const task: TaskRef = { taskId: "t", session };
const silent: StreamListener & { onResult(): void } = {
  onQuestion() {},
  onRetracted() {},
  onStatus() {},
  onProgress() {},
  onEventId() {},
  onClosed() {},
  onResult() {},
};

const v1 = (address = url) => createPeer("2025-11-25", openWire({ url: address, headers: {} }, network));
const v2 = (address = url) => createPeer("2026-07-28", openWire({ url: address, headers: {} }, network));
const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
const rpcError =
  (status: number, code: number, message: string): Behaviour =>
  (response, id) =>
    json(response, status, { jsonrpc: "2.0", id, error: { code, message } });
const plain =
  (status: number, body = "", headers = {}): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end(body);
const result =
  (value: unknown): Behaviour =>
  (response, id) =>
    json(response, 200, { jsonrpc: "2.0", id, result: value });
const input = { tool: "x", arguments: {}, ttlMs: null, idempotencyKey: "k" };
const get = () => v1().get(task, options);
const getResult = () => v1().result(task, {} as never, options);

const inAMinute = new Date(Date.now() + 60_000).toUTCString();
const nonsense: [
  name: string,
  behaviour: Behaviour,
  call: () => Promise<unknown>,
  error: Record<string, unknown>,
][] = [
  ["HTML", plain(200, "<html>Welcome</html>", { "content-type": "text/html" }), get, { code: "bad_reply" }],
  ["an empty reply", plain(200), get, { code: "bad_reply" }],
  ["202 without a reply", plain(202), get, { code: "bad_reply" }],
  ["JSON that is not JSON-RPC", plain(200, "[1]"), get, { code: "bad_reply" }],
  ["half a document", plain(200, '{"jsonrpc":"2.0","resu'), get, { code: "bad_reply" }],
  ["another task shape", result({ taskId: "t", status: 7 }), get, { code: "bad_reply" }],
  [
    "neither result nor error",
    (response, id) => json(response, 200, { jsonrpc: "2.0", id }),
    get,
    { code: "bad_reply" },
  ],
  [
    "a reply to another request",
    (response) => json(response, 200, { jsonrpc: "2.0", id: 7, result: {} }),
    getResult,
    { code: "bad_reply" },
  ],
  [
    "a redirect",
    plain(302, "", { location: "http://169.254.169.254/x?token=1#y" }),
    get,
    { code: "bad_reply", httpStatus: 302, redirectsTo: "http://169.254.169.254/x" },
  ],
  [
    "a redirect to another origin",
    plain(308, "", { location: "https://elsewhere.example/mcp" }),
    get,
    { code: "bad_reply", httpStatus: 308, redirectsTo: "https://elsewhere.example/mcp" },
  ],
  [
    "a redirect that is no address of the web",
    plain(307, "", { location: "javascript:alert(1)" }),
    get,
    { code: "bad_reply", httpStatus: 307, redirectsTo: null },
  ],
  ["500", plain(500, "oops"), get, { code: "bad_reply", httpStatus: 500 }],
  ["401", plain(401), get, { code: "unauthorized" }],
  [
    "401 whose body never ends",
    (response) => response.writeHead(401).write("no"),
    () => v1().get(task, { deadlineMs: 300 }),
    { code: "unauthorized" },
  ],
  [
    "429 with a huge body",
    (response) => response.writeHead(429, { "retry-after": "1" }).end(Buffer.alloc(1024 * 1024)),
    get,
    { code: "rate_limited", retryAfterMs: 1_000 },
  ],
  ["403", plain(403), get, { code: "unauthorized" }],
  [
    "403 that names rights in the second of two challenges",
    plain(403, "", {
      "www-authenticate": `Basic realm="x", bearer Error = "insufficient_scope", scope="a b"`,
    }),
    get,
    { code: "unauthorized", neededScope: "a b" },
  ],
  [
    "429 in seconds",
    plain(429, "", { "retry-after": "7" }),
    get,
    { code: "rate_limited", retryAfterMs: 7_000 },
  ],
  ["429 without a time", plain(429), get, { code: "rate_limited", retryAfterMs: null }],
  ["503 with a date", plain(503, "", { "retry-after": inAMinute }), get, { code: "rate_limited" }],
  ["503 without", plain(503), get, { code: "unreachable", reached: "maybe" }],
  ["502 of a gateway", plain(502), get, { code: "unreachable", reached: "maybe" }],
  [
    "503 of a gateway that speaks JSON-RPC",
    rpcError(503, -32000, "No server is ready"),
    get,
    { code: "unreachable", reached: "maybe", rpcError: null },
  ],
  [
    "504 of a gateway that speaks JSON-RPC",
    rpcError(504, -32603, "Timed out"),
    get,
    { code: "unreachable", reached: "maybe" },
  ],
  ["404 in a session", plain(404, '{"error":"Session not found"}'), get, { code: "session_gone" }],
  [
    "400 that names the session",
    rpcError(400, -32000, "Bad Request: No valid session ID"),
    get,
    { code: "session_gone" },
  ],
  ["404 without a session", plain(404), () => v2().get(task, options), { code: "bad_reply" }],
  [
    "an error after a byte order mark",
    (response, id) =>
      response.writeHead(400).end(`\ufeff${JSON.stringify({ id, error: { code: -32601, message: "no" } })}`),
    get,
    { code: "not_supported" },
  ],
  ["400 of another kind", rpcError(400, -32600, "Bad Request"), get, { code: "rejected" }],
  [
    "headers that do not repeat the body",
    rpcError(400, -32020, "Header mismatch"),
    () => v2().start(null, input, silent, options),
    { code: "header_mismatch" },
  ],
  [
    "a demand for what we do not declare",
    (response, id) => {
      const data = {
        requiredCapabilities: { sampling: {}, extensions: { "com.example/more": {}, "<b>": {} } },
      };
      json(response, 400, { jsonrpc: "2.0", id, error: { code: -32021, message: "no", data } });
    },
    () => v2().start(null, input, silent, options),
    {
      code: "rejected",
      message: "The server requires of its client what Intray does not offer: sampling, com.example/more",
    },
  ],
  [
    "503 because of too many sessions",
    plain(503, "Too many open sessions"),
    () => v1().open(options),
    { code: "sessions_full", reached: "no" },
  ],
  [
    "503 because of too many sessions, in JSON-RPC, for now",
    (response) =>
      json(
        response,
        503,
        { jsonrpc: "2.0", id: null, error: { code: -32000, message: "Too many open sessions" } },
        { "retry-after": "5" },
      ),
    () => v1().open(options),
    { code: "sessions_full", reached: "no", retryAfterMs: 5_000 },
  ],
  [
    "an error because of too many sessions",
    rpcError(200, -32000, "Session limit reached"),
    () => v1().open(options),
    { code: "sessions_full", reached: "no" },
  ],
  [
    "503 to initialize, from who knows whom",
    plain(503),
    () => v1().open(options),
    { code: "unreachable", reached: "maybe" },
  ],
  [
    "503 to another call that names sessions",
    plain(503, "Too many sessions"),
    get,
    { code: "unreachable", reached: "maybe" },
  ],
  [
    "an unknown method",
    rpcError(404, -32601, "Method not found"),
    () => v2().get(task, options),
    { code: "not_supported" },
  ],
  ["an unknown task", rpcError(200, -32602, "Task ist weg"), get, { code: "task_not_found" }],
  [
    "an unknown task, as an internal error",
    rpcError(200, -32603, "Unknown taskId"),
    get,
    { code: "task_not_found" },
  ],
  [
    "a fault of ours",
    rpcError(400, -32602, "Invalid _meta"),
    () => v2().get(task, options),
    { code: "rejected" },
  ],
  ["an internal error", rpcError(200, -32603, "Internal error"), get, { code: "rejected" }],
  [
    "a result that is not there yet",
    rpcError(200, -32602, "Task not completed yet"),
    getResult,
    { code: "not_ready" },
  ],
  [
    "a result that is not stored",
    rpcError(200, -32603, "No result stored for task t"),
    getResult,
    { code: "not_ready" },
  ],
  [
    "the result of an unknown task",
    rpcError(200, -32602, "Task not found: t"),
    getResult,
    { code: "task_not_found" },
  ],
  [
    "a reset",
    (response) => response.socket?.resetAndDestroy(),
    get,
    { code: "unreachable", reached: "maybe" },
  ],
  [
    "an end in the middle",
    (response) => {
      response.writeHead(200, { "content-length": 1000 });
      response.write("{");
      setImmediate(() => response.destroy());
    },
    get,
    { code: "unreachable", reached: "maybe" },
  ],
  [
    "a stream that ends before the reply",
    plain(200, ": hello\n\n", { "content-type": "text/event-stream" }),
    get,
    { code: "unreachable", reached: "maybe" },
  ],
  [
    "a huge body",
    (response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(Buffer.alloc(9 * 1024 * 1024, 32)),
    get,
    { code: "too_large", reached: "yes" },
  ],
  ["no headers", () => {}, () => v1().get(task, { deadlineMs: 300 }), { code: "timeout", reached: "maybe" }],
  [
    "no end",
    (response) => response.writeHead(200).write("{"),
    () => v1().get(task, { deadlineMs: 300 }),
    { code: "timeout", reached: "maybe" },
  ],
];

describe("a server that answers with", () => {
  it.each(nonsense)("%s", async (name, behaviour, call, error) => {
    behave = behaviour;
    const isCutOff = name === "a reset" || name === "an end in the middle";
    await expect(call()).rejects.toMatchObject({ name: "PeerError", reached: "yes", ...error });
    // A read whose connection was cut is sent once more.
    expect(requests).toBe(isCutOff ? 2 : 1);
  });

  it("a protocol error that is the end of the task", async () => {
    behave = rpcError(200, -32000, "Out of paper");
    expect(await getResult()).toEqual({ kind: "error", error: { code: -32000, message: "Out of paper" } });
  });
});

describe("a call that never arrives", () => {
  it.each([
    ["nobody listens", "http://127.0.0.1:9/", { code: "unreachable" }],
    ["the name does not exist", "http://unknown.invalid/", { code: "unreachable" }],
    ["the address is not allowed", "http://10.0.0.1/", { code: "address_not_allowed" }],
    ["the name leads to one that is not", "http://localhost:1/", { code: "unreachable" }],
  ])("%s", async (_, address, error) => {
    const start = { tool: "x", arguments: {}, ttlMs: null, idempotencyKey: "k" };
    for (const peer of [v1(address), v2(address)]) {
      await expect(peer.start(session, start, silent, options)).rejects.toMatchObject({
        reached: "no",
        ...error,
      });
    }
  });

  it("the caller had given up", async () => {
    const signal = AbortSignal.abort();
    await expect(v1().get(task, { ...options, signal })).rejects.toMatchObject({
      code: "timeout",
      reached: "no",
    });
    expect(requests).toBe(0);
  });
});

it("never repeats a call with side effects, nor reuses a connection for it", async () => {
  const ports = new Set<number | undefined>();
  behave = (response, _, request) => {
    ports.add(request.socket.remotePort);
    response.socket?.resetAndDestroy();
  };
  const start = { tool: "x", arguments: {}, ttlMs: null, idempotencyKey: "k" };
  for (const peer of [v1(), v2()]) {
    await expect(peer.start(session, start, silent, options)).rejects.toMatchObject({ reached: "maybe" });
  }
  await expect(
    v1().answer(task, { kind: "rpc", rpcId: 0 }, { action: "cancel" }, options),
  ).rejects.toMatchObject({ reached: "maybe" });
  expect(requests).toBe(3);
  expect(ports.size).toBe(3);
});

it.each([200, 400])(
  "takes URLs to visit before a call (-32042 with HTTP %i) as questions",
  async (status) => {
    const elicitations = [
      { mode: "url", elicitationId: "e-1", url: "https://example.com/consent", message: "Please consent" },
      { mode: "url", elicitationId: "e-2", message: "without a URL" },
    ];
    behave = (response, id) =>
      json(response, status, {
        jsonrpc: "2.0",
        id,
        error: { code: -32042, message: "Visit", data: { elicitations } },
      });
    expect(await v1().start(session, input, silent, options)).toEqual({
      kind: "input_required",
      requestState: null,
      questions: [
        {
          address: { kind: "key", key: "e-1" },
          mode: "url",
          message: "Please consent",
          requestedSchema: null,
          url: "https://example.com/consent",
        },
      ],
    });
    elicitations.shift();
    await expect(v1().start(session, input, silent, options)).rejects.toMatchObject({ code: "rejected" });
  },
);

describe("a redirect that sends the whole request on", () => {
  it.each([307, 308])("%i is followed within the origin, with method, headers and body", async (status) => {
    const seen: unknown[] = [];
    behave = (response, id, request) => {
      seen.push([request.method, request.url, request.headers.authorization, id > 0]);
      if (request.url !== "/there/?a=b")
        return plain(status, "moved", { location: "/there/?a=b" })(response, id, request);
      result({ tools: [] })(response, id, request);
    };
    const headers = { authorization: "Bearer secret-of-the-server" };
    const peer = createPeer("2026-07-28", openWire({ url, headers }, network));
    expect(await peer.listTools(null, options)).toEqual([]);
    const asked = ["POST", expect.any(String), "Bearer secret-of-the-server", true];
    expect(seen).toEqual([asked, asked]);
  });

  it("is followed five times", async () => {
    behave = (response, id, request) =>
      plain(307, "", { location: `${url}?${requests}` })(response, id, request);
    await expect(get()).rejects.toMatchObject({ code: "bad_reply", reached: "yes", redirectsTo: url });
    expect(requests).toBe(6);
  });

  it.each([
    "/mcp#again",
    "http://user@HOST/mcp",
    "http://127.0.0.1:1/mcp",
    "https://HOST/mcp",
    "//elsewhere.example/mcp",
  ])("%s is not", async (location) => {
    behave = plain(307, "", { location: location.replace("HOST", new URL(url).host) });
    await expect(get()).rejects.toMatchObject({ code: "bad_reply", redirectsTo: expect.any(String) });
    expect(requests).toBe(1);
  });
});

it("gives up in the middle when the caller does", async () => {
  const controller = new AbortController();
  behave = () => controller.abort();
  const call = v1().get(task, { ...options, signal: controller.signal });
  await expect(call).rejects.toMatchObject({ code: "timeout", reached: "maybe" });
});

describe("streams of 2025-11-25", () => {
  const event = (message: unknown, id?: string) =>
    `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;

  it("sorts what comes before the reply, and answers at once what may not wait", async () => {
    const posted: unknown[] = [];
    behave = (response, id, request) => {
      expect(request.headers["mcp-session-id"]).toBe("s");
      if (id < 1_000_000) return void response.writeHead(202).end();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(
        event(
          {
            jsonrpc: "2.0",
            id: 0,
            method: "elicitation/create",
            params: {
              message: "?",
              requestedSchema: { type: "object" },
              _meta: { "modelcontextprotocol.io/related-task": { taskId: "t" } },
            },
          },
          "e1",
        ),
      );
      response.write(event({ jsonrpc: "2.0", id: 1, method: "ping" }));
      response.write(event({ jsonrpc: "2.0", id: 2, method: "sampling/createMessage", params: {} }));
      response.write(event({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 0 } }));
      response.write(
        event({
          jsonrpc: "2.0",
          method: "notifications/elicitation/complete",
          params: { elicitationId: "e-1" },
        }),
      );
      response.write(
        event({
          jsonrpc: "2.0",
          method: "notifications/tasks/status",
          params: { taskId: "t", status: "working" },
        }),
      );
      response.write(
        event({
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken: "k", progress: 1 },
        }),
      );
      response.end(
        event({
          jsonrpc: "2.0",
          id,
          result: {
            content: [],
            _meta: { "modelcontextprotocol.io/task": { taskId: "t", status: "working" } },
          },
        }),
      );
    };
    const heard: unknown[] = [];
    const note =
      (name: string) =>
      (...values: unknown[]) =>
        void heard.push([name, ...values]);
    const listener = {
      ...silent,
      onQuestion: note("question"),
      onRetracted: note("retracted"),
      onStatus: note("status"),
      onProgress: note("progress"),
      onEventId: note("event"),
    };
    const started = await v1().start(
      session,
      { tool: "x", arguments: {}, ttlMs: null, idempotencyKey: "k" },
      listener,
      {
        ...options,
        onMessage: (direction, method, body) =>
          direction === "out" && method === "response" && posted.push(body),
      },
    );
    expect(started).toMatchObject({ kind: "task", task: { taskId: "t", status: "working" } });
    expect(heard).toEqual([
      ["event", "e1"],
      [
        "question",
        {
          address: { kind: "rpc", rpcId: 0 },
          mode: "form",
          message: "?",
          requestedSchema: { type: "object" },
          url: null,
        },
        "t",
        "stream",
        null,
      ],
      ["retracted", 0],
      ["status", "e-1"],
      ["status", "t", undefined],
      ["progress", "k", 1, null, null],
    ]);
    expect(posted).toEqual([
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: 2, error: { code: -32601, message: "Method not found" } },
    ]);
  });

  it("lives on after the deadline, and tells who ended it", async () => {
    let end = () => {};
    behave = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": hello\n\n");
      end = () => response.end();
    };
    let ended: (reason: string) => void = () => {};
    const closed = new Promise((resolve) => {
      ended = resolve;
    });
    const stream = await v1().listen(session, { ...silent, onClosed: ended }, { deadlineMs: 2_000 });
    expect(stream).not.toBeNull();
    // Another deadline of the same length runs out meanwhile.
    behave = () => {};
    await expect(v1().get(task, { deadlineMs: 2_100 })).rejects.toMatchObject({ code: "timeout" });
    end();
    expect(await closed).toBe("ended");
  });

  it("hands out the stream before it tells of its end", async () => {
    const order: string[] = [];
    const reply = { jsonrpc: "2.0", result: { content: [] } };
    const note = { ...silent, onResult: () => order.push("result") };
    for (const behaviour of [
      (response, id) => json(response, 200, { ...reply, id }),
      (response, id) =>
        response.writeHead(200, { "content-type": "text/event-stream" }).end(event({ ...reply, id })),
    ] satisfies Behaviour[]) {
      behave = behaviour;
      await new Promise<void>((resolve) => {
        const onClosed = (reason: string) => {
          order.push(reason);
          resolve();
        };
        void v1()
          .openResult(task, { ...note, onClosed }, options)
          .then(() => order.push("open"));
      });
    }
    expect(order.filter((step) => step !== "result")).toEqual(["open", "ended", "open", "ended"]);
    expect(order).toHaveLength(6);
  });

  it("has no GET stream where the server answers 405", async () => {
    behave = plain(405);
    expect(await v1().listen(session, silent, options)).toBeNull();
  });

  it("throws what the server answers to tasks/result in plain JSON", async () => {
    behave = rpcError(200, -32603, "No result stored for task t");
    await expect(v1().openResult(task, silent, options)).rejects.toMatchObject({ code: "not_ready" });
  });

  it("carries no session id where the server issued none", async () => {
    behave = (response, _, request) => {
      expect(request.headers).not.toHaveProperty("mcp-session-id");
      response.writeHead(202).end();
    };
    const anonymous = { taskId: "t", session: { ...session, id: null } };
    await v1().answer(anonymous, { kind: "rpc", rpcId: 0 }, { action: "decline" }, options);
    await v1().close(anonymous.session, options);
    expect(requests).toBe(1);
  });
});

it.each([
  ["plain", "plain"],
  ["zwölf", "=?base64?enfDtmxm?="],
  [" led", "=?base64?IGxlZA==?="],
  ["a\nb", "=?base64?YQpi?="],
  ["", "=?base64??="],
  ["=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="],
])("frames the header value %j", (value, framed) => {
  expect(headerValue(value)).toBe(framed);
});

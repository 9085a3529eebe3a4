/** A call that is answered without Next is answered as Next answers it (lib/web/http/call-server.ts). */
import { fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { readRecord } from "../scripts/database/cluster.ts";
import { readSecrets } from "../scripts/database/secrets.ts";
import { command } from "./fixtures/intray.ts";
import { expect, test } from "./fixtures/test.ts";

test.describe.configure({ timeout: 240_000 });

interface Reply {
  status: number;
  headers: Record<string, string[]>;
  body: string;
}

/** Sends a request as it is written, and reads until the server closes the connection. */
function ask(port: number, text: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("close", () => resolve(parse(Buffer.concat(chunks))));
    socket.on("error", reject);
  });
}

function parse(bytes: Buffer): Reply {
  // An interim answer goes before the answer.
  if (bytes.subarray(0, 13).toString() === "HTTP/1.1 100 ")
    return parse(bytes.subarray(bytes.indexOf("\r\n\r\n") + 4));
  const end = bytes.indexOf("\r\n\r\n");
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const headers: Record<string, string[]> = {};
  for (const line of lines) {
    const [, name = "", value = ""] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
    headers[name.toLowerCase()] = [...(headers[name.toLowerCase()] ?? []), value];
  }
  const sent = bytes.subarray(end + 4);
  const whole = headers["transfer-encoding"]?.[0] === "chunked" ? joined(sent) : sent;
  const encoding = headers["content-encoding"]?.[0];
  const body =
    encoding === "gzip" ? gunzipSync(whole) : encoding === "br" ? brotliDecompressSync(whole) : whole;
  return { status: Number(first.split(" ")[1]), headers, body: body.toString("utf8") };
}

function joined(chunks: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < chunks.length; ) {
    const end = chunks.indexOf("\r\n", at);
    const size = Number.parseInt(chunks.subarray(at, end).toString(), 16);
    if (!(size > 0)) break;
    parts.push(chunks.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return Buffer.concat(parts);
}

/** What differs from call to call, how the body is cut and packed, and what Next adds for its own pages' router. */
const OWN = [
  ...["date", "server-timing", "x-request-id", "vary"],
  ...["content-length", "transfer-encoding", "content-encoding", "keep-alive", "connection"],
];

/** What differs in a body: each call's own id, and the times of a task that its server works on, which the engine moves. */
const MOVING = /"(requestId|lastCheckedAt|nextCheckAt)":(?:"[^"]*"|null)/g;

/** What a caller has of an answer. */
function told({ status, headers, body }: Reply) {
  // A page has a nonce of its own each time.
  const isPage = headers["content-type"]?.[0]?.startsWith("text/html");
  if (isPage) return { status, isPage, location: headers.location };
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.includes(name)));
  return {
    status,
    headers: kept,
    timed: "server-timing" in headers,
    body: body.replaceAll(MOVING, '"$1":"…"'),
  };
}

let ports: { direct: number; next: number };
let key: string;
let end = () => {};

test.beforeAll(async () => {
  const dataDir = process.env.E2E_DATA_DIR ?? "";
  const secrets = readSecrets(dataDir)!;
  const child = fork("e2e/fixtures/both-ways.ts", {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: "production",
      LOG_LEVEL: "silent",
      INTRAY_URL: process.env.E2E_URL,
      INTRAY_KEYS: secrets.intrayKeys,
      AUTH_SECRET: secrets.authSecret,
      APP_DATABASE_URL: `postgresql://intray_app:${secrets.appPassword}@127.0.0.1:${readRecord(dataDir).port}/intray`,
      INTRAY_RATE_LIMIT: "100000",
    },
  });
  end = () => void child.kill("SIGKILL");
  [ports] = (await once(child, "message")) as [typeof ports];
  key = (await command("key", "create", "--org", "acme", "--role", "owner", "--name", "Both ways")).trim();
});
test.afterAll(() => end());

type Row = [what: string, request: string];
const big = "x".repeat(1_200_000);
const send = (method: string, path: string, headers: string[] = [], body = "") =>
  [
    `${method} ${path} HTTP/1.1`,
    "Host: localhost",
    "Connection: close",
    ...headers,
    ...(body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    "",
    body,
  ].join("\r\n");
const json = "Content-Type: application/json";
const nobody = "0198c0de-0000-7000-8000-000000000000";

/** `WITH_KEY` stands for the header of a key. */
const ROWS: Row[] = [
  ["a probe", send("GET", "/healthz")],
  ["a probe's HEAD", send("HEAD", "/healthz")],
  ["a probe by another method", send("POST", "/healthz")],
  ["the process's readiness", send("GET", "/readyz")],
  ["no credential", send("GET", "/api/v1/members")],
  ["a wrong key", send("GET", "/api/v1/members", ["Authorization: Bearer ik_wrong"])],
  ["an authorization that is none", send("GET", "/api/v1/me", ["Authorization: Basic eDp5"])],
  ["a wrong session", send("GET", "/api/v1/me", ["Cookie: next-auth.session-token=x; a=b"])],
  ["a read", send("GET", "/api/v1/members", ["WITH_KEY"])],
  ["a read, packed", send("GET", "/api/v1/openapi.json", ["Accept-Encoding: gzip"])],
  ["a read in HTTP/1.0", send("GET", "/api/v1/me", ["WITH_KEY"]).replace("HTTP/1.1", "HTTP/1.0")],
  ["a read's HEAD", send("HEAD", "/api/v1/members", ["WITH_KEY"])],
  ["a read with a body", send("GET", "/api/v1/me", ["WITH_KEY", json], "{}")],
  ["a read with a query", send("GET", "/api/v1/tasks?limit=2&state=working,completed", ["WITH_KEY"])],
  ["escapes in the query", send("GET", "/api/v1/tasks?q=%C3%A4%20%2B+%F0%9F%98%80", ["WITH_KEY"])],
  ["a broken escape in the query", send("GET", "/api/v1/tasks?q=%E0%A4%A", ["WITH_KEY"])],
  ["a query twice", send("GET", "/api/v1/tasks?limit=2&limit=3", ["WITH_KEY"])],
  ["a query that is no limit", send("GET", "/api/v1/tasks?limit=0", ["WITH_KEY"])],
  ["a query of Next's own router", send("GET", "/api/v1/me?_rsc=abc", ["WITH_KEY"])],
  ["a request of Next's own router", send("GET", "/api/v1/me?_rsc=abc", ["WITH_KEY", "RSC: 1"])],
  ["a thing that there is not", send("GET", `/api/v1/tasks/${nobody}`, ["WITH_KEY"])],
  ["an id that is none", send("GET", "/api/v1/tasks/nonsense", ["WITH_KEY"])],
  ["an escaped id", send("GET", "/api/v1/tasks/%30198c0de-0000-7000-8000-000000000000", ["WITH_KEY"])],
  ["an escaped path", send("GET", "/api/v1/%6De", ["WITH_KEY"])],
  ["an escape that is none", send("GET", "/api/v1/tasks/%E0%A4%A", ["WITH_KEY"])],
  ["a slash at the end", send("GET", "/api/v1/me/", ["WITH_KEY"])],
  ["two slashes", send("GET", "/api//v1/me", ["WITH_KEY"])],
  ["a way up", send("GET", "/api/v1/tasks/../me", ["WITH_KEY"])],
  ["capitals", send("GET", "/API/v1/me", ["WITH_KEY"])],
  ["a call that there is not", send("GET", "/api/v1/nothing", ["WITH_KEY"])],
  ["a call below another", send("GET", "/api/v1/me/nothing", ["WITH_KEY"])],
  ["a name where an id is", send("GET", "/api/v1/tasks/counts/events", ["WITH_KEY"])],
  ["a method that it has not", send("PATCH", "/api/v1/tasks", ["WITH_KEY", json], "{}")],
  ["a method that nobody has", send("OPTIONS", "/api/v1/tasks")],
  ["a body that is not JSON", send("POST", "/api/v1/tasks", ["WITH_KEY", json], "{")],
  ["a body of another type", send("POST", "/api/v1/tasks", ["WITH_KEY", "Content-Type: text/plain"], "x")],
  [
    "an upload",
    send("POST", "/api/v1/tasks", ["WITH_KEY", "Content-Type: multipart/form-data; boundary=x"], "x"),
  ],
  ["no body", send("POST", "/api/v1/tasks", ["WITH_KEY"])],
  ["a body that is not the call's", send("POST", "/api/v1/tasks", ["WITH_KEY", json], '{"tool":1}')],
  [
    "a body in chunks",
    `${send("POST", "/api/v1/tasks", ["WITH_KEY", json, "Transfer-Encoding: chunked"])}5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n`,
  ],
  [
    "a body that waits to be asked for",
    send("POST", "/api/v1/tasks", ["WITH_KEY", json, "Expect: 100-continue"], "{}"),
  ],
  ["a body beyond the limit", send("POST", "/api/v1/tasks", ["WITH_KEY", json, "Content-Length: 1200000"])],
  ["a body beyond the limit, unread", send("POST", "/api/v1/tasks", [json], big)],
  ["a write without a body to give", send("DELETE", `/api/v1/api-keys/${nobody}`, ["WITH_KEY"])],
  ["a write for a thing that there is not", send("POST", `/api/v1/tasks/${nobody}/cancel`, ["WITH_KEY"])],
  [
    "headers that a proxy sets",
    send("GET", "/api/v1/me", [
      "WITH_KEY",
      "X-Forwarded-For: 6.6.6.6",
      "X-Forwarded-Host: evil.example",
      "X-Forwarded-Proto: https",
    ]),
  ],
  [
    "Next's own headers",
    send("GET", "/api/v1/me", [
      "WITH_KEY",
      "x-middleware-subrequest: proxy:proxy:proxy",
      "x-nextjs-data: 1",
      "Next-Action: x",
    ]),
  ],
  ["an action of Next's", send("POST", "/api/v1/me", ["WITH_KEY", "Next-Action: 0123456789", json], "[]")],
  ["another organization", send("GET", "/api/v1/me", ["WITH_KEY", `X-Intray-Organization: ${nobody}`])],
  [
    "a range, and what the caller has already",
    send("GET", "/api/v1/me", ["WITH_KEY", "Range: bytes=0-3", 'If-None-Match: "x"']),
  ],
  ["lines that an export has", send("GET", "/api/v1/tasks/export", ["WITH_KEY"])],
  ["figures without their token", send("GET", "/metrics")],
];

test("every call is answered the same both ways", async () => {
  for (const [what, request] of ROWS) {
    const text = request.replace("WITH_KEY", `Authorization: Bearer ${key}`);
    const [direct, byNext] = [await ask(ports.direct, text), await ask(ports.next, text)];
    // Each call is told by its name, and the walk goes on.
    expect.soft(told(direct), what).toEqual(told(byNext));
    expect.soft(direct.status, what).toBeGreaterThan(0);
  }
});

test("only what is plainly a call goes past Next", async () => {
  const vary = async (path: string) => {
    const { headers } = await ask(ports.direct, send("GET", path, [`Authorization: Bearer ${key}`]));
    return headers.vary?.join(", ") ?? "";
  };
  expect(await vary("/healthz")).toBe("Accept-Encoding");
  expect(await vary("/api/v1/tasks")).toBe("Accept-Encoding");
  expect(await vary(`/api/v1/tasks/${nobody}`)).toBe("Accept-Encoding");
  expect(await vary("/api/v1/nothing")).toContain("rsc");
  expect(await vary("/api/v1/%6De")).toContain("rsc");
});

test("a session's cookie and its refusals are the same both ways", async ({ ana }) => {
  const cookies = (await ana.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  const origin = new URL(process.env.E2E_URL ?? "").origin;
  const rows = [
    send("GET", "/api/v1/me", [`Cookie: ${cookies}`]),
    send("GET", "/api/v1/events/verify", [`Cookie: ${cookies}`, "Origin: https://evil.example"]),
    send(
      "PATCH",
      "/api/v1/me/preferences",
      [`Cookie: ${cookies}`, json, "Origin: https://evil.example"],
      "{}",
    ),
    send("PATCH", "/api/v1/me/preferences", [`Cookie: ${cookies}`, json], '{"tourSeen":true}'),
    send(
      "PATCH",
      "/api/v1/me/preferences",
      [`Cookie: ${cookies}`, json, `Origin: ${origin}`],
      '{"tourSeen":true}',
    ),
  ];
  for (const row of rows) {
    const [direct, byNext] = [await ask(ports.direct, row), await ask(ports.next, row)];
    expect(told(direct)).toEqual(told(byNext));
  }
});

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { nextFreePort } from "../../scripts/ports.ts";
import { until } from "../fixtures/organization-fixture.ts";
import type { Fault, FaultKind } from "./plan.ts";
import { type BadNetwork, startProxy } from "./proxy.ts";

const STAMP = "2026-07-28T10:00:00.000Z";
const seen: string[] = [];
const noted: FaultKind[] = [];
let planned: { fault: Fault; clockMs: number };
let proxy: BadNetwork;

/** Answers each JSON-RPC request with its method and a time. */
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { method } = JSON.parse(body);
  seen.push(method);
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ method, createdAt: STAMP }));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  proxy = await startProxy({
    port: await nextFreePort(14_000),
    target: (server.address() as AddressInfo).port,
    plan: () => planned,
    onFault: (kind) => noted.push(kind),
  });
});
afterAll(async () => {
  await proxy.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  seen.length = 0;
  noted.length = 0;
  planned = { fault: null, clockMs: 0 };
});

const post = (method: string, params: object = {}) =>
  fetch(proxy.url, { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });

test("a request without a fault is passed on as it is", async () => {
  const response = await post("tasks/get");
  expect(await response.json()).toEqual({ method: "tasks/get", createdAt: STAMP });
  expect([seen, noted]).toEqual([["tasks/get"], []]);
});

test("a connection dropped before: the server sees nothing", async () => {
  planned.fault = { kind: "dropped before" };
  await expect(post("tasks/update")).rejects.toThrow();
  expect([seen, noted]).toEqual([[], ["dropped before"]]);
});

test("a connection dropped after: the server has done it, and nobody is told", async () => {
  planned.fault = { kind: "dropped after", afterMs: 0 };
  await expect(post("tasks/update")).rejects.toThrow();
  expect([seen, noted]).toEqual([["tasks/update"], ["dropped after"]]);
});

test("a reply that is cut: the server has done it, and half of what it says arrives", async () => {
  planned.fault = { kind: "cut" };
  const response = await post("tasks/update");
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
  expect([seen, noted]).toEqual([["tasks/update"], ["cut"]]);
});

test("a misrouted request meets a process that does not know its session; one without a session is passed on", async () => {
  planned.fault = { kind: "misrouted" };
  const headers = { "mcp-session-id": "s" };
  const body = '{"jsonrpc":"2.0","id":1,"method":"tasks/get"}';
  const response = await fetch(proxy.url, { method: "POST", headers, body });
  expect([response.status, (await response.json()).error.message]).toEqual([404, "Session not found"]);
  expect([seen, noted]).toEqual([[], ["misrouted"]]);
  expect((await post("tasks/get")).status).toBe(200);
});

test("a stalled request arrives although its sender has given up", async () => {
  planned.fault = { kind: "stalled", what: "request", forMs: 300, end: "goes on" };
  const signal = AbortSignal.timeout(100);
  await expect(
    fetch(proxy.url, { method: "POST", body: '{"method":"tasks/update"}', signal }),
  ).rejects.toThrow();
  await until("the request arrives", async () => seen.length === 1);
});

test("an answer is duplicated, and only one reply comes", async () => {
  planned.fault = { kind: "duplicated", afterMs: 10 };
  expect((await post("tasks/update")).status).toBe(200);
  await until("it arrives again", async () => seen.length === 2);
});

test("a call is duplicated only when it carries a key", async () => {
  planned.fault = { kind: "duplicated", afterMs: 0 };
  await post("tools/call");
  await post("tools/call", { _meta: { "intray/idempotency-key": "k" } });
  await until("the one with the key arrives again", async () => seen.length === 3);
  expect(noted).toEqual(["duplicated"]);
});

test("a reordered reply comes after a newer one", async () => {
  planned = { fault: { kind: "reordered" }, clockMs: 0 };
  const order: string[] = [];
  const first = post("tasks/get").then(() => order.push("older"));
  await until("the older one has been answered", async () => seen.length === 1);
  planned = { fault: null, clockMs: 0 };
  await post("tasks/list").then(() => order.push("newer"));
  await first;
  expect(order).toEqual(["newer", "older"]);
});

test("a refusal comes with the time to wait, and the server sees nothing", async () => {
  planned.fault = { kind: "refused", status: 429, retryAfterS: 2 };
  const response = await post("tasks/update");
  expect([response.status, response.headers.get("retry-after"), seen]).toEqual([429, "2", []]);
});

test("times are off by an hour in the body and in the Date header", async () => {
  planned.clockMs = -3_600_000;
  const response = await post("tasks/get");
  expect(await response.json()).toEqual({ method: "tasks/get", createdAt: "2026-07-28T09:00:00.000Z" });
  expect(Date.parse(response.headers.get("date")!)).toBeLessThan(Date.now() - 3_000_000);
});

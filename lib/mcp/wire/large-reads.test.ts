import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { patiently } from "../../../test/setup/patience.ts";
import { createNetwork, type Network } from "../../base/network/network.ts";
import { createPeer, openWire } from "../connect.ts";
import { LARGE_BYTES, LARGE_EACH, LARGE_MOST } from "../limits.ts";
import { Places } from "./large-reads.ts";

const PATIENCE_MS = 180_000;

/** Sends the reply about a task. */
type Reply = (response: ServerResponse, taskId: string, text: string) => void;

const servers: Server[] = [];
let network: Network;
beforeAll(() => {
  network = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });
});
afterAll(async () => {
  await network.close();
  for (const server of servers) server.closeAllConnections();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
});

/** Starts a server. The returned function gets a task's result: its id, repeated `characters` times. */
async function serverOf(characters: number, reply: Reply) {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const { id, params } = JSON.parse(body);
      const { taskId } = params;
      const result = { taskId, status: "completed", result: { text: taskId.repeat(characters) } };
      reply(response, taskId, JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const peer = createPeer("2026-07-28", openWire({ url, headers: {} }, network));
  return async (taskId: string) => {
    const { task } = await peer.get({ taskId, session: null }, { deadlineMs: PATIENCE_MS });
    return task ? (task.result as { text: string }).text : null;
  };
}

const JSON_TYPE = { "content-type": "application/json" };
const body: Reply = (response, _, text) => response.writeHead(200, JSON_TYPE).end(text);
const event: Reply = (response, _, text) =>
  response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${text}\n\n`);

test.each([["as a body", body] as const, ["as an event", event] as const])(
  "many large replies at once, each %s, all come whole, and each to who asked",
  async (_, reply) => {
    const size = 4 * LARGE_BYTES;
    const ask = await serverOf(size, reply);
    const ids = Array.from({ length: 2 * LARGE_MOST }, (_, at) => "abcdefghij"[at % 10] as string);
    const texts = await Promise.all(ids.map(async (id) => (await ask(id)) === id.repeat(size)));
    expect(texts).toEqual(ids.map(() => true));
  },
  2 * PATIENCE_MS,
);

test("replies that never end hold up the large ones of their own server, and no small ones, nor others", async () => {
  const neverEnds: Reply = (response) =>
    response.writeHead(200, JSON_TYPE).write(" ".repeat(2 * LARGE_BYTES));
  const open: ServerResponse[] = [];
  const slow = await serverOf(1, (response, taskId, text) => {
    if (taskId === "small") return body(response, taskId, text);
    // A read that was cut off is repeated.
    if (taskId === "endless" && open.length > LARGE_EACH) return response.writeHead(500).end();
    open.push(response);
    if (taskId === "late") return body(response, taskId, text.padStart(2 * LARGE_BYTES));
    neverEnds(response, taskId, text);
  });
  const endless = Array.from({ length: LARGE_EACH }, () => slow("endless").catch(() => "cut off"));
  await patiently(() => expect(open).toHaveLength(LARGE_EACH));
  const late = slow("late");
  await patiently(() => expect(open).toHaveLength(LARGE_EACH + 1));
  expect(await slow("small")).toBe("small");
  const other = await serverOf(LARGE_BYTES, body);
  expect(await other("xx")).toHaveLength(2 * LARGE_BYTES);
  for (const response of open.slice(0, LARGE_EACH)) response.destroy();
  expect(await Promise.all(endless)).toEqual(endless.map(() => "cut off"));
  expect(await late).toBe("late");
});

test("places are given in turn, a few to each, and none is lost", () => {
  const places = new Places(3, 2);
  const entered: string[] = [];
  const take = (origin: string, name: string) => places.take(origin, () => entered.push(name));
  const first = take("a", "a1");
  const second = take("a", "a2");
  const third = take("a", "a3");
  take("b", "b1");
  const waits = take("c", "c1");
  expect(entered).toEqual(["a1", "a2", "b1"]);
  waits();
  first();
  first();
  expect(entered).toEqual(["a1", "a2", "b1", "a3"]);
  second();
  take("d", "d1");
  expect(entered).toEqual(["a1", "a2", "b1", "a3", "d1"]);
  third();
  take("d", "d2");
  take("d", "d3");
  expect(entered).toEqual(["a1", "a2", "b1", "a3", "d1", "d2"]);
});

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { contributeTaskFilterV2, isTaskStatusNotificationV2 } from "@modelcontextprotocol/ext-tasks/core/v2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forFile } from "../../test/for-file.ts";
import { startTestServer } from "../../test/servers/mcp-server.ts";
import { patiently } from "../../test/setup/patience.ts";
import { createNetwork, type Network } from "../base/network/network.ts";
import { createPeer, openWire } from "./connect.ts";
import type { StreamListener } from "./peer.ts";

interface Listen {
  id: number;
  method: string;
  params: { notifications: Record<string, unknown>; _meta: unknown };
}

const options = { deadlineMs: 5_000 };
const UNNAMED = { jsonrpc: "2.0", id: null, error: { code: -32601, message: "Method not found" } };
let behave: (response: ServerResponse, message: Listen) => void;
let network: Network;
const official = forFile(startTestServer);
let url: string;
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    expect(request.headers).toMatchObject({
      "mcp-method": "subscriptions/listen",
      "mcp-protocol-version": "2026-07-28",
    });
    behave(response, JSON.parse(body) as Listen);
  });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hostAndPort = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  url = `http://${hostAndPort}/mcp`;
  network = createNetwork({ allowHosts: [hostAndPort, official.hostAndPort], denyPorts: [] });
});
afterAll(async () => {
  await network.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function notes() {
  const changed: string[] = [];
  const closed: string[] = [];
  const listener: StreamListener = {
    onQuestion() {},
    onRetracted() {},
    onStatus: (taskId) => changed.push(taskId),
    onProgress() {},
    onEventId() {},
    onClosed: (reason) => closed.push(reason),
  };
  return { changed, closed, listener };
}
const say = (response: ServerResponse, ...messages: unknown[]) => {
  if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  for (const message of messages)
    response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...(message as object) })}\n\n`);
};
const acknowledged = (id: number, taskIds?: unknown) => ({
  method: "notifications/subscriptions/acknowledged",
  params: { notifications: { taskIds }, _meta: { "io.modelcontextprotocol/subscriptionId": id } },
});
const changed = (taskId: string) => ({
  method: "notifications/tasks",
  params: {
    taskId,
    status: "working",
    createdAt: "2026-11-21T00:00:00Z",
    lastUpdatedAt: "2026-11-21T00:00:00Z",
    ttlMs: null,
  },
});
const subscribe = (heard: ReturnType<typeof notes>, taskIds = ["t1", "t2"], more = {}) =>
  createPeer("2026-07-28", openWire({ url, headers: {} }, network)).subscribe(taskIds, heard.listener, {
    ...options,
    ...more,
  });

describe("subscribing to tasks", () => {
  it("tells of those that were asked for, until it is closed here or there", async () => {
    let end = () => {};
    behave = (response, { id, params }) => {
      const { notifications } = contributeTaskFilterV2({}, ["t1", "t2"]);
      expect(params.notifications).toEqual(notifications);
      say(response, acknowledged(id, ["t1"]), changed("t1"), changed("other"), changed("t2"), changed("t1"));
      end = () => {
        say(response, { id, result: { _meta: { "io.modelcontextprotocol/subscriptionId": id } } });
        response.end();
      };
    };
    expect(isTaskStatusNotificationV2({ jsonrpc: "2.0", ...changed("t1") })).toBe(true);
    const heard = notes();
    const stream = await subscribe(heard, ["t1", "t2", "t1"]);
    await patiently(() => expect(heard.changed).toEqual(["t1", "t2", "t1"]));
    stream?.close();
    expect(heard.closed).toEqual(["closed_here"]);

    const other = notes();
    expect(await subscribe(other)).not.toBeNull();
    end();
    await patiently(() => expect(other.closed).toEqual(["ended"]));
  });

  it.each<[string, typeof behave]>([
    ["does not honour tasks", (response, { id }) => say(response, acknowledged(id))],
    ["honours other tasks", (response, { id }) => say(response, acknowledged(id, ["t3"]))],
    ["answers nonsense", (response, { id }) => say(response, acknowledged(id, "t1"))],
    [
      "does not know the method",
      (response, { id }) =>
        response
          .writeHead(404, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } })),
    ],
    [
      "names no request in its error",
      (response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(UNNAMED)),
    ],
    [
      "packs such an error",
      (response) =>
        response
          .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
          .end(gzipSync(JSON.stringify(UNNAMED))),
    ],
    [
      "says so on the stream",
      (response, { id }) => say(response, { id, error: { code: -32601, message: "Method not found" } }),
    ],
    [
      "ends it at once",
      (response, { id }) => {
        say(response, { id, result: {} });
        response.end();
      },
    ],
  ])("is nothing where the server %s", async (_, behaviour) => {
    behave = behaviour;
    const heard = notes();
    expect(await subscribe(heard)).toBeNull();
    expect(heard.closed).toEqual([]);
  });

  it("fails where the server says nothing in time, or breaks off", async () => {
    behave = (response) => response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    await expect(subscribe(notes(), ["t1"], { deadlineMs: 300 })).rejects.toMatchObject({ code: "timeout" });
    behave = (response) => {
      say(response);
      response.flushHeaders();
      setTimeout(() => response.destroy(), 50);
    };
    await expect(subscribe(notes())).rejects.toMatchObject({ code: "unreachable" });
  });

  it("is nothing at the official server, which acknowledges and honours no tasks", async () => {
    const peer = createPeer("2026-07-28", openWire({ url: official.url, headers: {} }, network));
    expect(await peer.subscribe(["t1"], notes().listener, options)).toBeNull();
  });

  it("is nothing in 2025-11-25", async () => {
    const peer = createPeer("2025-11-25", openWire({ url, headers: {} }, network));
    expect(await peer.subscribe(["t1"], notes().listener, options)).toBeNull();
  });
});

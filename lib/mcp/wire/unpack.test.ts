import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it, test } from "vitest";
import { createNetwork, type Network } from "../../base/network/network.ts";
import { createPeer, openWire } from "../connect.ts";
import type { StreamListener } from "../peer.ts";

/** The server's next behavior; `id` is the request's JSON-RPC id. */
let behave: (response: ServerResponse, id: number) => void;
let network: Network;
let url: string;
let asked: string | undefined;
const server = createServer((request, response) => {
  asked = request.headers["accept-encoding"] as string | undefined;
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => behave(response, body === "" ? 0 : JSON.parse(body).id));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  network = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });
});
afterAll(async () => {
  await network.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const options = { deadlineMs: 10_000 };
const session = { id: "s", protocolVersion: "2025-11-25", lastEventId: null };
const peer = () => createPeer("2025-11-25", openWire({ url, headers: {} }, network));
const get = () => peer().get({ taskId: "t", session }, options);
const fields = { taskId: "t", status: "working", createdAt: "2026-11-01T00:00:00Z", ttl: null };
const reply = (id: number, more = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, result: { ...fields, lastUpdatedAt: fields.createdAt, ...more } });
const send = (response: ServerResponse, status: number, coding: string, body: Buffer) =>
  response.writeHead(status, { "content-type": "application/json", "content-encoding": coding }).end(body);

test.each([
  { coding: "gzip", pack: gzipSync },
  { coding: "deflate", pack: deflateSync },
  { coding: "br", pack: brotliCompressSync },
])(
  "a reply that a server packs by $coding, though nobody asked for it, is read",
  async ({ coding, pack }) => {
    behave = (response, id) => send(response, 200, coding, pack(reply(id)));
    const { task, fingerprint } = await get();
    expect(task?.status).toBe("working");
    expect(asked).toBeUndefined();
    // Compressed or not, the message is the same.
    behave = (response, id) => response.writeHead(200, { "content-type": "application/json" }).end(reply(id));
    expect((await get()).fingerprint).toBe(fingerprint);
  },
);

it("reads what a server says against a call, packed", async () => {
  const error = { code: -32602, message: "Failed to retrieve task: Task not found" };
  behave = (response, id) =>
    send(response, 400, "gzip", gzipSync(JSON.stringify({ jsonrpc: "2.0", id, error })));
  await expect(get()).rejects.toMatchObject({ rpcError: error });
});

it("tells of each event of a packed stream as it comes, and of its end", async () => {
  const packer = createGzip();
  behave = (response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
    packer.pipe(response);
    packer.flush();
  };
  const ids: string[] = [];
  const first = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<string>();
  const listener: StreamListener = {
    onQuestion() {},
    onRetracted() {},
    onStatus() {},
    onProgress() {},
    onEventId(id) {
      ids.push(id);
      first.resolve();
    },
    onClosed: closed.resolve,
  };
  await peer().listen(session, listener, options);
  packer.write("id: 1\ndata: \n\n");
  packer.flush();
  await first.promise;
  expect(ids).toEqual(["1"]);
  packer.end("id: 2\ndata: \n\n");
  expect(await closed.promise).toBe("ended");
  expect(ids).toEqual(["1", "2"]);
});

it.each([
  ["packed", gzipSync, "gzip"],
  ["plain", (text: string) => Buffer.from(text), "identity"],
])("an error without an id, %s, that ends a held request fails it alone", async (_what, pack, coding) => {
  const said = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "Not now" } });
  behave = (response) => send(response, 200, coding, pack(said));
  const handlers = {
    onServerMessage() {},
    onReply() {
      throw new Error("no reply of ours");
    },
    onEventId() {},
    onClosed() {},
  };
  const wire = openWire({ url, headers: {} }, network);
  const held = wire.hold({ method: "tasks/result", params: {}, headers: {} }, options, handlers);
  await expect(held).rejects.toMatchObject({ code: "bad_reply" });
});

it("fails a call whose reply can't be unpacked, is cut off, is none, or is a bomb", async () => {
  behave = (response) => send(response, 200, "gzip", Buffer.from("no gzip at all"));
  await expect(get()).rejects.toMatchObject({ code: "bad_reply" });
  behave = (response, id) => send(response, 200, "gzip", gzipSync(reply(id)).subarray(0, 60));
  await expect(get()).rejects.toMatchObject({ code: "bad_reply" });
  behave = (response) => send(response, 200, "gzip", Buffer.alloc(0));
  await expect(get()).rejects.toMatchObject({ code: "bad_reply" });
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  behave = (response) => send(response, 200, "gzip", bomb);
  await expect(get()).rejects.toMatchObject({ code: "too_large" });
});

it("gives a packed reply up at its deadline", async () => {
  behave = (response, id) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.write(gzipSync(reply(id)).subarray(0, 20));
  };
  const call = peer().get({ taskId: "t", session }, { deadlineMs: 300 });
  await expect(call).rejects.toMatchObject({ code: "timeout", reached: "maybe" });
});

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type OfficialServer, startOfficialServer } from "../../../test/servers/official/official-server.ts";
import { patiently } from "../../../test/setup/patience.ts";
import { createNetwork, type Network } from "../../base/network/network.ts";
import { createPeer, openWire } from "../connect.ts";
import type {
  CallOptions,
  Peer,
  Question,
  Session,
  StartInput,
  StreamListener,
  TaskResult,
} from "../peer.ts";

type Behaviour = (response: ServerResponse, id: number, request: IncomingMessage) => void;

const session: Session = { id: "s", protocolVersion: "2025-11-25", lastEventId: null };
const input: StartInput = {
  tool: "x",
  arguments: {},
  taskSupport: "forbidden",
  ttlMs: null,
  idempotencyKey: "k",
};
const options: CallOptions = { deadlineMs: 10_000, replyWithinMs: 15_000 };

function notes() {
  const questions: Question[] = [];
  const eventIds: string[] = [];
  const listener: StreamListener & { onResult(result: TaskResult): void } = {
    onQuestion: (question) => questions.push(question),
    onRetracted() {},
    onStatus() {},
    onProgress() {},
    onEventId: (id) => eventIds.push(id),
    onClosed() {},
    onResult() {},
  };
  return { questions, eventIds, listener };
}

const stream = (response: ServerResponse, ...events: string[]) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(events.join(""));
  return response;
};
const event = (id: string, message: unknown = "", retry?: number) =>
  `id: ${id}\n${retry === undefined ? "" : `retry: ${retry}\n`}data: ${message === "" ? "" : JSON.stringify(message)}\n\n`;
const reply = (id: number) => ({ jsonrpc: "2.0", id, result: { content: [], done: true } });
const question = {
  jsonrpc: "2.0",
  id: 5,
  method: "elicitation/create",
  params: { message: "?", requestedSchema: { type: "object" } },
};

/** Behavior of POSTs, and of each GET in turn; the last one repeats. */
let onPost: Behaviour;
let onGets: Behaviour[];
let gets: { lastEventId: unknown; session: unknown; at: number }[];
let callId: number;
let network: Network;
let peer: Peer;
let everything: OfficialServer;
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    if (request.method === "POST") {
      callId = JSON.parse(body).id;
      return onPost(response, callId, request);
    }
    gets.push({
      lastEventId: request.headers["last-event-id"],
      session: request.headers["mcp-session-id"],
      at: performance.now(),
    });
    (onGets.length > 1 ? onGets.shift() : onGets[0])?.(response, callId, request);
  });
});
beforeAll(async () => {
  everything = await startOfficialServer("everything");
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hostAndPort = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  network = createNetwork({ allowHosts: [hostAndPort, everything.hostAndPort], denyPorts: [] });
  peer = createPeer("2025-11-25", openWire({ url: `http://${hostAndPort}/mcp`, headers: {} }, network));
});
afterAll(async () => {
  await network.close();
  await everything.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  gets = [];
  onPost = (response) => void stream(response, event("e1", "", 300)).end();
});

const cutOff = (response: ServerResponse) => setTimeout(() => response.destroy(), 50);
const status =
  (code: number): Behaviour =>
  (response) =>
    void response.writeHead(code).end();

describe("a reply that takes its time", () => {
  it("may do so once the call was written, and no longer than it was given", async () => {
    onPost = (response, id) =>
      void setTimeout(
        () => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply(id))),
        1_500,
      );
    const patient = { deadlineMs: 1_000, replyWithinMs: 10_000 };
    expect(await peer.start(session, input, notes().listener, patient)).toMatchObject({ kind: "result" });
    await expect(peer.start(session, input, notes().listener, { deadlineMs: 1_000 })).rejects.toMatchObject({
      code: "timeout",
      reached: "maybe",
    });
    const shorter = { deadlineMs: 10_000, replyWithinMs: 1_000 };
    await expect(peer.start(session, input, notes().listener, shorter)).rejects.toMatchObject({
      code: "timeout",
      reached: "maybe",
    });
  });

  it("is unreachable when the connection breaks, and nobody knows whether the tool ran", async () => {
    onPost = (response) => void cutOff(stream(response, ": hello\n\n"));
    await expect(peer.start(session, input, notes().listener, options)).rejects.toMatchObject({
      code: "unreachable",
      reached: "maybe",
    });
    expect(gets).toEqual([]);
  });
});

describe("a reply whose stream ended before it", () => {
  it("is waited for on the next stream, from the last event on, after the pause that the server wants", async () => {
    onGets = [
      (response) => void stream(response, event("e2", question)).end(),
      (response) => void cutOff(stream(response, event("e3"))),
      (response, id) => void stream(response, event("e4", reply(1)), event("e5", reply(id))),
    ];
    const heard = notes();
    const startedAt = performance.now();
    expect(await peer.start(session, input, heard.listener, options)).toMatchObject({
      kind: "result",
      result: { done: true },
    });
    expect(heard.questions).toHaveLength(1);
    expect(heard.eventIds).toEqual(["e1", "e2", "e3", "e4", "e5"]);
    expect(gets.map(({ lastEventId }) => lastEventId)).toEqual(["e1", "e2", "e3"]);
    expect(gets.map((get) => get.session)).toEqual(["s", "s", "s"]);
    expect((gets[0]?.at ?? 0) - startedAt).toBeGreaterThanOrEqual(295);
  });

  it("is found among what is none, on the first stream and the next", async () => {
    const odd = 'event: ping\ndata: {"id":1}\n\ndata: ping\n\ndata: {"type":"heartbeat"}\n\n';
    onPost = (response) => void stream(response, odd, event("e1", "", 1)).end();
    onGets = [
      (response) => void stream(response, odd).end(),
      (response, id) => void stream(response, odd, event("e2", [question, { ...reply(id), id: String(id) }])),
    ];
    const heard = notes();
    expect(await peer.start(session, input, heard.listener, options)).toMatchObject({ kind: "result" });
    expect(heard.questions).toHaveLength(1);
    expect(gets).toHaveLength(2);
  });

  it("is waited for while the server is away for a moment", async () => {
    onGets = [status(502), (response, id) => void stream(response, event("e2", reply(id)))];
    expect(await peer.start(session, input, notes().listener, options)).toMatchObject({ kind: "result" });
    expect(gets).toHaveLength(2);
  });

  it.each([400, 404, 405, 409, 401])("is given up where the server answers %i", async (code) => {
    onGets = [status(code)];
    await expect(peer.start(session, input, notes().listener, options)).rejects.toMatchObject({
      code: "unreachable",
      reached: "maybe",
    });
    expect(gets).toHaveLength(1);
  });

  it("is given up when its time is over, or its caller gives up", async () => {
    onGets = [(response) => void stream(response, ": nothing yet\n\n")];
    const short = { deadlineMs: 300, replyWithinMs: 600 };
    const failure = { code: "timeout", reached: "maybe" };
    await expect(peer.start(session, input, notes().listener, short)).rejects.toMatchObject(failure);
    const controller = new AbortController();
    onGets = [
      (response) => {
        stream(response, ": nothing yet\n\n");
        setTimeout(() => controller.abort(), 100);
      },
    ];
    const { signal } = controller;
    await expect(peer.start(session, input, notes().listener, { ...options, signal })).rejects.toMatchObject(
      failure,
    );
  });

  it("is not what a 2026-07-28 server offers", async () => {
    const v2 = createPeer("2026-07-28", openWire({ url: everything.url, headers: {} }, network));
    await expect(v2.resume(null, "e1", 1, notes().listener, options)).rejects.toMatchObject({
      reached: "maybe",
    });
  });
});

it("another process goes on with a call that it did not make", async () => {
  const call = new AbortController();
  const ids: number[] = [];
  onPost = (response) => void stream(response, event("e1"));
  const heard = notes();
  const listener = { ...heard.listener, onEventId: () => setImmediate(() => call.abort()) };
  const first = peer.start(session, { ...input, onCall: (id) => ids.push(id) }, listener, {
    ...options,
    signal: call.signal,
  });
  await expect(first).rejects.toMatchObject({ code: "timeout", reached: "maybe" });
  onGets = [(response, id) => void stream(response, event("e2", question), event("e3", reply(id)))];
  expect(ids).toEqual([callId]);
  expect(await peer.resume(session, "e1", callId, heard.listener, options)).toMatchObject({ kind: "result" });
  expect(heard.questions).toMatchObject([{ address: { kind: "rpc", rpcId: 5 } }]);
  expect(gets).toMatchObject([{ lastEventId: "e1", session: "s" }]);
});

it("server-everything says its question again to who names the last event before it, and takes the answer", async () => {
  const real = createPeer("2025-11-25", openWire({ url: everything.url, headers: {} }, network));
  const opened = await real.open(options);
  const outcome = await real.start(
    opened,
    {
      ...input,
      tool: "simulate-research-query",
      arguments: { topic: "python", ambiguous: true },
      taskSupport: "required",
    },
    notes().listener,
    options,
  );
  if (outcome.kind !== "task") throw new Error(`no task but ${outcome.kind}`);
  const task = { taskId: outcome.task.taskId, session: opened };
  await patiently(async () => expect((await real.get(task, options)).task?.status).toBe("input_required"));
  const dropped = notes();
  const result = await real.openResult(task, dropped.listener, options);
  await patiently(() => expect(dropped.questions).toHaveLength(1));
  result?.close();

  const replayed = notes();
  const lastEventId = dropped.eventIds[0]!;
  const again = await real.listen({ ...opened!, lastEventId }, replayed.listener, options);
  await patiently(() => expect(replayed.questions).toEqual(dropped.questions));
  again?.close();
  const { address } = replayed.questions[0]!;
  await real.answer(task, address, { action: "accept", content: { interpretation: "technical" } }, options);
  await patiently(async () => expect((await real.get(task, options)).task?.status).toBe("completed"));
});

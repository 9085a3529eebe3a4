/** The specifications' requirements for clients. docs/threat-model.md says where each is met. */
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { forFile } from "../../test/for-file.ts";
import { startHostileServer } from "../../test/servers/hostile-server.ts";
import { createNetwork } from "../base/network/network.ts";
import { createPeer, openWire } from "./connect.ts";
import type { Era, Session, StreamListener } from "./peer.ts";

const options = { deadlineMs: 5_000 };
const network = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });
const server = forFile(startHostileServer);
beforeEach(() => {
  server.act = null;
  server.seen.length = 0;
});
afterAll(async () => {
  await network.close();
});

const peer = (era: Era) => createPeer(era, openWire({ url: server.url, headers: {} }, network));
const session: Session = { id: "s", protocolVersion: "2025-11-25", lastEventId: null };
/** Returns a listener that records its calls. */
function listener() {
  const received: unknown[] = [];
  const note =
    (what: string) =>
    (...rest: unknown[]) =>
      void received.push([what, ...rest]);
  const one: StreamListener = {
    onQuestion: note("question"),
    onRetracted: note("retracted"),
    onStatus: note("status"),
    onProgress: note("progress"),
    onEventId: note("event id"),
    onClosed: note("closed"),
  };
  return { received: received, one };
}
const call = { tool: "work", arguments: { a: 1 }, ttlMs: null, idempotencyKey: "k" };
const STATE = ' {"looks":"like JSON"}\n\u2028\u0000\ud800 \u00e9\u{1f4b6} ';

describe("2026-07-28", () => {
  test("MUST name the task in Mcp-Name with tasks/get, tasks/update and tasks/cancel", async () => {
    const task = { taskId: "tâche-1", session: null };
    const modern = peer("2026-07-28");
    await modern.get(task, options);
    await modern.answer(task, { kind: "key", key: "k" }, { action: "decline" }, options);
    await modern.cancel(task, options);
    const coded = `=?base64?${Buffer.from(task.taskId).toString("base64")}?=`;
    expect(
      server.seen.map(({ method, headers }) => [method, headers["mcp-method"], headers["mcp-name"]]),
    ).toEqual(["tasks/get", "tasks/update", "tasks/cancel"].map((method) => [method, method, coded]));
  });

  test("MUST echo requestState exactly, whatever it is, and make the call again under another id", async () => {
    server.act = ({ message, reply }) => {
      if (message.method !== "tools/call") return false;
      const asked = { q: { method: "elicitation/create", params: { message: "Sure?" } } };
      if (message.params.requestState === undefined)
        reply({ resultType: "input_required", requestState: STATE, inputRequests: asked });
      else reply({ content: [] });
      return true;
    };
    const modern = peer("2026-07-28");
    const first = await modern.start(null, call, listener().one, options);
    expect(first).toMatchObject({ kind: "input_required", requestState: STATE });
    const retry = { inputResponses: { q: { action: "accept" as const } }, requestState: STATE };
    await modern.start(null, { ...call, retry }, listener().one, options);
    const [one, other] = server.seen.map(({ message }) => message);
    expect(other?.params.requestState).toBe(STATE);
    expect(other?.id).not.toBe(one?.id);
    expect(other?.params.arguments).toEqual(one?.params.arguments);
  });

  test("MUST leave requestState out where the server sent none", async () => {
    const retry = { inputResponses: { q: { action: "accept" as const } }, requestState: null };
    await peer("2026-07-28").start(null, { ...call, retry }, listener().one, options);
    expect(server.seen[0]?.message.params).not.toHaveProperty("requestState");
  });

  test("a question without a mode is a form", async () => {
    server.act = ({ message, reply, result }) => {
      if (message.method !== "tasks/get") return false;
      const inputRequests = { q: { method: "elicitation/create", params: { message: "Sure?" } } };
      reply({ ...result, status: "input_required", inputRequests });
      return true;
    };
    const { task } = await peer("2026-07-28").get({ taskId: "t", session: null }, options);
    expect(task?.questions).toMatchObject([{ mode: "form" }]);
  });
});

describe("2025-11-25", () => {
  test("MUST ignore notifications/elicitation/complete for ids that it does not know", async () => {
    const says = (params: object) =>
      `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/elicitation/complete", params })}\n\n`;
    server.act = ({ request, response }) => {
      if (request.method !== "GET") return false;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(says({ elicitationId: "unknown" }) + says({}) + says({ elicitationId: 7 }));
      return true;
    };
    const { received, one } = listener();
    const closed = new Promise<void>((resolve) => {
      const onClosed = one.onClosed;
      one.onClosed = (reason) => {
        onClosed(reason);
        resolve();
      };
    });
    await peer("2025-11-25").listen(session, one, options);
    await closed;
    // A notification about an unknown task only wakes; it answers, asks and retracts nothing.
    expect(received).toEqual([
      ["status", "unknown"],
      ["closed", "ended"],
    ]);
    expect(server.seen.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test("MUST treat cursors as opaque: they go back as they came", async () => {
    const cursor = ' {"page":2}\u2028é ';
    let page = 0;
    server.act = ({ message, reply }) => {
      if (message.method !== "tools/list") return false;
      reply({ tools: [], ...(page++ === 0 && { nextCursor: cursor }) });
      return true;
    };
    await peer("2025-11-25").listTools(session, options);
    expect(server.seen.map(({ message }) => message.params.cursor)).toEqual([undefined, cursor]);
  });

  test("a session id goes to its own server alone, in a header, never in an address", async () => {
    const secret = { ...session, id: "the-session-secret" };
    await peer("2025-11-25").get({ taskId: "the-task-secret", session: secret }, options);
    const [seen] = server.seen;
    expect(seen?.headers["mcp-session-id"]).toBe(secret.id);
    const { "mcp-session-id": _, ...others } = seen?.headers ?? {};
    expect(JSON.stringify(others)).not.toContain("secret");
  });
});

describe("2025-11-25, as the receiver of tasks", () => {
  const says = (...messages: object[]) => {
    server.act = ({ request, response }) => {
      if (request.method !== "GET") return false;
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const message of messages)
        response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
      return true;
    };
  };
  const asked = { mode: "form", message: "Sure?", requestedSchema: { type: "object", properties: {} } };
  const heard = async (in_: Session, ...messages: object[]) => {
    says(...messages, { id: "last", method: "ping" });
    const { received, one } = listener();
    one.onTaskRequest = (request) => void received.push(["task request", request]);
    const stream = await peer("2025-11-25").listen(in_, one, options);
    const posted = () =>
      server.seen
        .filter(({ method }) => method === "response")
        .map(({ message }) => message as { id?: unknown; error?: unknown });
    try {
      await expect.poll(() => posted().some(({ id }) => id === "last"), { timeout: 10_000 }).toBe(true);
    } finally {
      stream?.close();
    }
    return {
      received: (received as unknown[][]).filter(([what]) => what !== "closed"),
      posted: posted().filter(({ id }) => id !== "last"),
    };
  };
  const takes = { ...session, takesTasks: true };
  const question = { id: 1, method: "elicitation/create", params: { ...asked, task: { ttl: 60_000 } } };

  test("MUST process a request normally where tasks were not declared, and ignore its task", async () => {
    const { received, posted } = await heard(session, question, {
      id: 2,
      method: "tasks/get",
      params: { taskId: "t" },
    });
    expect(received).toMatchObject([["question", { message: "Sure?" }, null, "stream", null]]);
    expect(posted).toMatchObject([{ id: 2, error: { code: -32601 } }]);
  });

  test("takes a request as a task where that was declared; one without a task stays what it is", async () => {
    const { received, posted } = await heard(takes, question, { ...question, id: 3, params: asked });
    expect(received).toMatchObject([
      ["question", {}, null, "stream", { ttlMs: 60_000 }],
      ["question", {}, null, "stream", null],
    ]);
    expect(posted).toEqual([]);
  });

  test("MUST go by the taskId of the request, and ignore related-task metadata", async () => {
    const _meta = { "io.modelcontextprotocol/related-task": { taskId: "another" } };
    const { received } = await heard(
      takes,
      { id: 4, method: "tasks/get", params: { taskId: "t", _meta } },
      { id: 5, method: "tasks/list", params: {} },
      { id: 6, method: "tasks/list", params: { cursor: "c" } },
    );
    expect(received).toEqual([
      ["task request", { method: "tasks/get", taskId: "t", rpcId: 4 }],
      ["task request", { method: "tasks/list", cursor: null, rpcId: 5 }],
      ["task request", { method: "tasks/list", cursor: "c", rpcId: 6 }],
    ]);
  });

  test("an invalid taskId, cursor or task is -32602", async () => {
    const { received, posted } = await heard(
      takes,
      { id: 7, method: "tasks/get", params: { taskId: 7 } },
      { id: 8, method: "tasks/result", params: {} },
      { id: 9, method: "tasks/list", params: { cursor: 1 } },
      { ...question, id: 10, params: { ...asked, task: "yes" } },
    );
    expect(received).toEqual([]);
    expect(posted).toHaveLength(4);
    for (const id of [7, 8, 9, 10])
      expect(posted).toContainEqual(
        expect.objectContaining({ id, error: expect.objectContaining({ code: -32602 }) }),
      );
  });
});

describe("a client declares", () => {
  test("tasks of its own in a session where it is told to, and only to a server of that version", async () => {
    const opened = await peer("2025-11-25").open({ ...options, takesTasks: true });
    const [initialize] = server.seen;
    expect(initialize?.message.params.capabilities).toEqual({
      elicitation: { form: {}, url: {} },
      tasks: { list: {}, cancel: {}, requests: { elicitation: { create: {} } } },
    });
    expect(opened).toMatchObject({ takesTasks: true });
    expect(await peer("2025-11-25").open(options)).not.toHaveProperty("takesTasks");
  });

  test("forms and URLs, and nothing that it could not answer by a person", async () => {
    await peer("2025-11-25").open(options);
    const [initialize] = server.seen;
    expect(initialize?.message.params.capabilities).toEqual({ elicitation: { form: {}, url: {} } });
    await peer("2026-07-28").get({ taskId: "t", session: null }, options);
    const meta = server.seen.at(-1)?.message.params._meta as Record<string, unknown>;
    expect(meta["io.modelcontextprotocol/clientCapabilities"]).toEqual({
      elicitation: { form: {}, url: {} },
      extensions: { "io.modelcontextprotocol/tasks": {} },
    });
  });
});

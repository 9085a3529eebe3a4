import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hasTaskServerCapabilityV2, isCreateTaskResultV2 } from "@modelcontextprotocol/ext-tasks/core/v2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { APPROVAL_SCHEMA } from "../../test/fixtures/fake-task.ts";
import { forFile } from "../../test/for-file.ts";
import { startTestServer } from "../../test/servers/mcp-server.ts";
import { createNetwork, type Network } from "../base/network/network.ts";
import { createPeer, openWire } from "./connect.ts";
import { discover } from "./discover.ts";
import type { Peer, StreamListener, TaskRef } from "./peer.ts";

const options = { deadlineMs: 5_000 };
const SAMPLING = { method: "sampling/createMessage", params: {} };
const elicitation = (more: object) => ({
  method: "elicitation/create",
  params: { message: "Sure?", ...more },
});
const silent: StreamListener = {
  onQuestion() {},
  onRetracted() {},
  onStatus() {},
  onProgress() {},
  onEventId() {},
  onClosed() {},
};

const server = forFile(startTestServer);
let network: Network;
let peer: Peer;
beforeAll(async () => {
  network = createNetwork({ allowHosts: [server.hostAndPort], denyPorts: [] });
  peer = createPeer(
    "2026-07-28",
    openWire({ url: server.url, headers: { authorization: "Bearer t" } }, network),
  );
});
afterAll(async () => {
  await network.close();
});

const start = (tool: string, more = {}) =>
  peer.start(null, { tool, arguments: {}, ttlMs: null, idempotencyKey: "key-1", ...more }, silent, options);
async function startTask(tool: string): Promise<TaskRef> {
  const outcome = await start(tool);
  if (outcome.kind !== "task") throw new Error(`not a task but ${outcome.kind}`);
  return { taskId: outcome.task.taskId, session: null };
}

describe("a server of 2026-07-28", () => {
  it("is discovered, with what it says of itself", async () => {
    const found = await discover(openWire({ url: server.url, headers: {} }, network), "auto", options);
    expect(found).toMatchObject({
      era: "2026-07-28",
      serverInfo: { name: "test-server" },
      instructions: "Be kind",
    });
    expect(hasTaskServerCapabilityV2(found.capabilities)).toBe(true);
  });

  it("lists its tools over pages", async () => {
    const tools = await peer.listTools(null, options);
    expect(tools.map((tool) => [tool.name, tool.honoursIdempotencyKey])).toEqual([
      ["approve", true],
      ["quick", false],
      ["order", false],
      ["wait", false],
      ["refuse", false],
    ]);
    expect(tools[1]).toMatchObject({ taskSupport: "optional", annotations: { readOnlyHint: true } });
  });

  it("answers at once", async () => {
    expect(await start("quick")).toMatchObject({ kind: "result", result: { content: [{ text: "done" }] } });
    expect(server.seen.at(-1)).toMatchObject({ authorization: "Bearer t", "mcp-name": "quick" });
    expect(server.calls.at(-1)).toMatchObject({ _meta: { "intray/idempotency-key": "key-1" } });
  });

  it("repeats marked arguments in headers", async () => {
    const inputSchema = (await peer.listTools(null, options))[0]?.inputSchema;
    await start("quick", { inputSchema, arguments: { note: "grüezi" } });
    expect(server.seen.at(-1)?.["mcp-param-note"]).toBe("=?base64?Z3LDvGV6aQ==?=");
  });

  it("asks in a task and takes the answer", async () => {
    const messages: [string, string, unknown][] = [];
    const outcome = await peer.start(
      null,
      { tool: "approve", arguments: {}, ttlMs: null, idempotencyKey: "k" },
      silent,
      { ...options, onMessage: (direction, method, body) => messages.push([direction, method, body]) },
    );
    expect(outcome).toMatchObject({
      kind: "task",
      task: { status: "input_required", pollIntervalMs: 50, ttlMs: null },
    });
    expect(messages.map(([direction, method]) => `${direction} ${method}`)).toEqual([
      "out tools/call",
      "in tools/call",
    ]);
    const [, , reply] = messages[1] ?? [];
    expect(isCreateTaskResultV2((reply as { result?: unknown } | undefined)?.result)).toBe(true);
    const task: TaskRef = { taskId: outcome.kind === "task" ? outcome.task.taskId : "", session: null };

    const asked = await peer.get(task, options);
    expect(asked.task?.questions).toEqual([
      {
        address: { kind: "key", key: "approval" },
        mode: "form",
        message: "Approve the invoice?",
        requestedSchema: APPROVAL_SCHEMA,
        url: null,
      },
    ]);
    // The task is not `working`, so the reply is always parsed.
    expect((await peer.get(task, { ...options, fingerprint: asked.fingerprint })).task).not.toBeNull();

    await peer.answer(
      task,
      { kind: "key", key: "approval" },
      { action: "accept", content: { approve: true } },
      options,
    );
    const done = await peer.get(task, options);
    expect(done.task).toMatchObject({ status: "completed", questions: [] });
    if (!done.task) throw new Error("not parsed");
    expect(await peer.result(task, done.task, options)).toMatchObject({
      kind: "result",
      result: { content: [{ text: '{"action":"accept","content":{"approve":true}}' }] },
    });
  });

  it("does not parse an unchanged reply while working", async () => {
    const task = await startTask("wait");
    const first = await peer.get(task, options);
    expect(first.task?.status).toBe("working");
    const again = await peer.get(task, { ...options, fingerprint: first.fingerprint });
    expect(again).toMatchObject({ fingerprint: first.fingerprint, task: null });

    const stored = server.tasks.get(task.taskId);
    Object.assign(stored ?? {}, { lastUpdatedAt: "2030-01-01T00:00:00Z" });
    expect((await peer.get(task, { ...options, fingerprint: first.fingerprint })).task).toBeNull();
    Object.assign(stored ?? {}, { statusMessage: "halfway" });
    const changed = await peer.get(task, { ...options, fingerprint: first.fingerprint });
    expect(changed.task?.statusMessage).toBe("halfway");
  });

  it("cancels, and ends in a protocol error", async () => {
    const task = await startTask("wait");
    await peer.cancel(task, options);
    expect((await peer.get(task, options)).task?.status).toBe("cancelled");

    const failing = await startTask("refuse");
    const { task: failed } = await peer.get(failing, options);
    if (!failed) throw new Error("not parsed");
    expect(await peer.result(failing, failed, options)).toEqual({
      kind: "error",
      error: { code: -32000, message: "Out of paper" },
    });
  });

  it("asks before it makes a task, with the state echoed exactly", async () => {
    const outcome = await start("order");
    expect(outcome).toMatchObject({ kind: "input_required", requestState: "first ✓ second" });
    if (outcome.kind !== "input_required") return;
    expect(outcome.questions).toMatchObject([
      { address: { kind: "key", key: "amount" }, message: "How many?" },
    ]);
    const inputResponses = { amount: { action: "accept", content: { n: 3 } } };
    const end = await start("order", { retry: { inputResponses, requestState: outcome.requestState } });
    expect(end.kind === "result" && JSON.stringify(end.result)).toContain("first ✓ second");
  });

  it.each<[string, Record<string, unknown>, unknown]>([
    ["a completion alone", { s: SAMPLING }, null],
    ["nothing that can be read", { q: null }, null],
    ["under a key that can't be kept", { ["k".repeat(600)]: elicitation({}), q: elicitation({}) }, null],
    ["a completion too", { s: SAMPLING, q: elicitation({}) }, [{ address: { key: "q" }, message: "Sure?" }]],
    [
      "what can't be shown",
      { q: elicitation({ mode: "voice" }) },
      [{ address: { key: "q" }, message: "Sure?", unreadable: { reason: expect.stringContaining("voice") } }],
    ],
  ])("that asks before it makes a task, for %s", async (_, inputRequests, questions) => {
    const asking = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () => {
        const { id } = JSON.parse(Buffer.concat(chunks).toString());
        response.setHeader("content-type", "application/json");
        const result = { resultType: "input_required", inputRequests, requestState: "s" };
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      });
    });
    await new Promise<void>((resolve) => asking.listen(0, "127.0.0.1", resolve));
    const host = `127.0.0.1:${(asking.address() as AddressInfo).port}`;
    const there = createNetwork({ allowHosts: [host], denyPorts: [] });
    const other = createPeer("2026-07-28", openWire({ url: `http://${host}/mcp`, headers: {} }, there));
    try {
      const input = { tool: "t", arguments: {}, ttlMs: null, idempotencyKey: "k" };
      const outcome = other.start(null, input, silent, options);
      if (questions) expect(await outcome).toMatchObject({ kind: "input_required", questions });
      else await expect(outcome).rejects.toMatchObject({ code: "not_supported", reached: "yes" });
    } finally {
      await there.close();
      asking.close();
    }
  });

  it("does not know a task", async () => {
    const gone: TaskRef = { taskId: "nobody", session: null };
    const error = { code: "task_not_found", reached: "yes", rpcError: { code: -32602 } };
    await expect(peer.get(gone, options)).rejects.toMatchObject(error);
    await expect(peer.cancel(gone, options)).rejects.toMatchObject(error);
  });

  it("has no sessions, streams or lists, and makes no traffic for them", async () => {
    const before = server.seen.length;
    expect(await peer.open(options)).toBeNull();
    expect(await peer.listen(null, silent, options)).toBeNull();
    expect(await peer.list(null, 10, options)).toBeNull();
    await peer.close(null, options);
    expect(server.seen.length).toBe(before);
  });
});

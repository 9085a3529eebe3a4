/**
 * The quirks as described, observed by the official client of 2025-11-25 and by plain requests of 2026-07-28.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, type TestContext, test } from "vitest";
import { z } from "zod";
import { createNetwork } from "../../lib/base/network/network.ts";
import { createPeer, openWire } from "../../lib/mcp/connect.ts";
import { until } from "../../test/fixtures/organization-fixture.ts";
import { readLedger } from "../../test/fixtures/sample-ledger.ts";
import { createInvoiceDatabase, startInvoiceServer } from "../../test/servers/invoice-server.ts";
import { createTestDatabase } from "../../test/setup/postgres.ts";
import { readQuirks } from "./quirks/quirks.ts";

type Body = Record<string, unknown>;
type Finish = Pick<TestContext, "onTestFinished">;
const SOON = { deadlineMs: 10_000 };
const APPROVAL = { kind: "key" as const, key: "approval-1" };
const approve = { action: "accept" as const, content: { value: "approve" } };
const inMonths = new Date(Date.now() + 180 * 24 * 3600_000).toISOString();

async function setScene({ onTestFinished }: Finish, settings: Record<string, string>) {
  const postgres = await createTestDatabase();
  onTestFinished(() => postgres.drop());
  const database = await createInvoiceDatabase(postgres.adminUrl);
  onTestFinished(() => database.drop());
  const server = await startInvoiceServer(database.url, { INVOICE_TEST: "1", ...settings });
  onTestFinished(() => server.kill());
  const network = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });
  const peer = createPeer("2026-07-28", openWire({ url: server.url, headers: {} }, network));
  const start = async (dueDate: string) => {
    const invoice = {
      invoice_id: "INV-1",
      customer: "ACME Corp",
      lines: [{ description: "Line", amount: 10, due_date: dueDate }],
    };
    const input = { tool: "process_invoice", arguments: { invoice }, ttlMs: null, idempotencyKey: dueDate };
    const outcome = await peer.start(null, input, DEAF, SOON);
    if (outcome.kind !== "task") throw new Error(`no task: ${outcome.kind}`);
    return { taskId: outcome.task.taskId, session: null };
  };
  const status = async (ref: { taskId: string; session: null }) => (await peer.get(ref, SOON)).task?.status;
  const asked = async (dueDate: string) => {
    const ref = await start(dueDate);
    await until("it asks", async () => (await status(ref)) === "input_required");
    return ref;
  };
  const kinds = async () => (await readLedger(server.baseUrl)).map(({ kind }) => kind);
  return { server, peer, start, asked, status, kinds };
}

/** A session of the official client. */
async function openSession({ onTestFinished }: Finish, url: string) {
  const client = new Client({ name: "witness", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  return (method: string, params: Body = {}): Promise<Body> =>
    client.request({ method, params }, z.looseObject({}));
}

test("quirks are refused outside tests, and unknown ones everywhere", () => {
  expect(() => readQuirks({ NODE_ENV: "test", INVOICE_QUIRKS: "a" })).toThrow("INVOICE_TEST");
  expect(() => readQuirks({ NODE_ENV: "test", INVOICE_QUIRKS: "a,z", INVOICE_TEST: "1" })).toThrow("z");
  expect([...readQuirks({ NODE_ENV: "test", INVOICE_QUIRKS: "a,f", INVOICE_TEST: "1" })]).toEqual(["a", "f"]);
});

describe("a server with quirks", () => {
  test("a, d, e, h, i: what 2025-11-25 says of a task", async ({ onTestFinished }) => {
    const scene = await setScene({ onTestFinished }, { INVOICE_QUIRKS: "a,d,e,h,i" });
    const request = await openSession({ onTestFinished }, scene.server.url);
    const invoice = {
      invoice_id: "INV-2",
      customer: "ACME Corp",
      lines: [{ description: "Line", amount: 10, due_date: inMonths }],
    };
    const made = await request("tools/call", { name: "process_invoice", arguments: { invoice }, task: {} });
    expect(made).toMatchObject({ content: [] });
    const meta = made._meta as { "modelcontextprotocol.io/task": { taskId: string } };
    const { taskId } = meta["modelcontextprotocol.io/task"];

    const rejected = await scene.asked(inMonths);
    await scene.peer.answer(rejected, APPROVAL, { action: "decline" }, SOON);
    const end = await request("tasks/result", { taskId: rejected.taskId });
    expect(end).toEqual({
      content: [{ type: "text", text: "Invoice processing result: REJECTED" }],
      isError: false,
      _meta: { "modelcontextprotocol.io/related-task": { taskId: rejected.taskId } },
    });

    await until("it asks", async () => (await request("tasks/get", { taskId })).status === "input_required");
    const first = await request("tasks/get", { taskId });
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = await request("tasks/get", { taskId });
    expect(second.lastUpdatedAt).not.toBe(first.lastUpdatedAt);
    expect({ ...second, lastUpdatedAt: first.lastUpdatedAt }).toEqual(first);
    expect(first.ttl).toBe(432_000_000);
    expect(await request("tasks/list")).toMatchObject({
      tasks: [{ taskId, statusMessage: `Invoice workflow ${taskId}` }],
    });
  });

  test("b: the result of a task that works is an error instead of a wait", async ({ onTestFinished }) => {
    const scene = await setScene({ onTestFinished }, { INVOICE_QUIRKS: "b" });
    const request = await openSession({ onTestFinished }, scene.server.url);
    const { taskId, ...ref } = await scene.asked(inMonths);
    await scene.peer.answer({ taskId, ...ref }, APPROVAL, approve, SOON);
    await expect(request("tasks/result", { taskId })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("Task not completed yet"),
    });
  });

  test("c: an answer without sense rejects the invoice", async ({ onTestFinished }) => {
    const scene = await setScene({ onTestFinished }, { INVOICE_QUIRKS: "c" });
    const ref = await scene.asked(inMonths);
    await scene.peer.answer(ref, APPROVAL, { action: "accept", content: {} }, SOON);
    const { task } = await scene.peer.get(ref, SOON);
    expect(task?.statusMessage).toContain("REJECTED");
  });

  test("f: a second answer corrupts the payment", async ({ onTestFinished }) => {
    const scene = await setScene({ onTestFinished }, { INVOICE_QUIRKS: "f" });
    const ref = await scene.asked(inMonths);
    await scene.peer.answer(ref, APPROVAL, approve, SOON);
    expect(await scene.kinds()).not.toContain("corrupted");
    await scene.peer.answer(ref, APPROVAL, approve, SOON);
    expect(await scene.kinds()).toContain("corrupted");
    expect((await scene.peer.get(ref, SOON)).task?.statusMessage).toContain("FAILED");
  });

  test("g: a cancel, and the end of a question's time, change nothing", async ({ onTestFinished }) => {
    const settings = { INVOICE_QUIRKS: "g", INVOICE_ANSWER_WITHIN_MS: "500" };
    const scene = await setScene({ onTestFinished }, settings);
    const ref = await scene.asked(inMonths);
    await until("it gives up", async () => (await scene.kinds()).includes("gave_up"));
    await scene.peer.answer(ref, APPROVAL, approve, SOON);
    await scene.peer.cancel(ref, SOON);
    expect(await scene.kinds()).toEqual(expect.arrayContaining(["told", "cancelled"]));
    expect(await scene.status(ref)).toBe("input_required");
  });
});

describe("a server without quirks", () => {
  test("ignores what is under a key that nobody asked with, and refuses an answer that is none", async ({
    onTestFinished,
  }) => {
    const scene = await setScene({ onTestFinished }, {});
    const ref = await scene.asked(inMonths);
    const nonsense = { ignored: true } as unknown as typeof approve;
    await scene.peer.answer(ref, { kind: "key", key: "unknown" }, nonsense, SOON);
    await expect(scene.peer.answer(ref, APPROVAL, nonsense, SOON)).rejects.toMatchObject({
      rpcError: { code: -32602 },
    });
    expect(await scene.status(ref)).toBe("input_required");
  });

  test("goes on with the tasks of its fixture tools after a kill", async ({ onTestFinished }) => {
    const scene = await setScene({ onTestFinished }, { INVOICE_FIXTURES: "1" });
    const call = { tool: "multi_input", arguments: {}, ttlMs: null, idempotencyKey: "1" };
    const outcome = await scene.peer.start(null, call, DEAF, SOON);
    if (outcome.kind !== "task") throw new Error(`no task: ${outcome.kind}`);
    const ref = { taskId: outcome.task.taskId, session: null };
    await until("it asks", async () => (await scene.status(ref)) === "input_required");
    await scene.peer.answer(ref, { kind: "key", key: "name-1" }, approve, SOON);
    await scene.server.kill();
    await scene.server.start();
    expect((await scene.peer.get(ref, SOON)).task?.questions.map(({ address }) => address)).toEqual([
      { kind: "key", key: "confirm-1" },
    ]);
    await scene.peer.answer(ref, { kind: "key", key: "confirm-1" }, approve, SOON);
    await until("it completes", async () => (await scene.status(ref)) === "completed");
  });
});

const DEAF = {
  onQuestion: () => undefined,
  onRetracted: () => undefined,
  onStatus: () => undefined,
  onProgress: () => undefined,
  onEventId: () => undefined,
  onClosed: () => undefined,
};

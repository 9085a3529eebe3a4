import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nextFreePort } from "../../scripts/ports.ts";
import { until } from "../fixtures/organization-fixture.ts";
import { readLedger } from "../fixtures/sample-ledger.ts";

const SCRIPT = fileURLToPath(new URL("pair-server.ts", import.meta.url));
const ARGUMENTS = { name: "process_invoice", arguments: { invoice: { invoice_id: "INV-1" } } };
let folder: string;
let port: number;
let child: ChildProcess;

async function start() {
  child = spawn(process.execPath, [SCRIPT, String(port), join(folder, "ledger")], { stdio: "inherit" });
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until("it is up", isUp);
}
async function kill() {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "intray-pair-"));
  port = await nextFreePort(14_500);
  await start();
});
afterAll(async () => {
  await kill();
  await rm(folder, { recursive: true });
});

const post = (message: object, headers: Record<string, string>, path = "/mcp") =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, ...message }),
  });
const modern = async (method: string, params: object) =>
  (await (await post({ method, params }, { "mcp-protocol-version": "2026-07-28" })).json()).result;

test("without tasks: the same invoices by tools that answer at once; each first decision counts, through a kill -9", async () => {
  const call = async (name: string, given: object, key = "t1") => {
    const message = {
      method: "tools/call",
      params: { name, arguments: given, _meta: { "intray/idempotency-key": key } },
    };
    const response = await post(message, { "mcp-protocol-version": "2026-07-28" }, "/tunnel");
    return (await response.json()).result;
  };
  const { reference } = (await call("submit_invoice", ARGUMENTS.arguments)).structuredContent;
  expect((await call("submit_invoice", ARGUMENTS.arguments)).structuredContent.reference).toBe(reference);
  const status = async () => (await call("get_invoice_status", { reference })).structuredContent;
  expect(await status()).toMatchObject({ status: "OPEN", waiting: ["approval-1", "cost-center-1"] });
  expect((await call("decide_invoice", { reference, choice: "Approve" })).isError).toBeUndefined();
  await kill();
  await start();
  expect((await call("decide_invoice", { reference, choice: "Approve" })).isError).toBeUndefined();
  expect((await call("decide_invoice", { reference, choice: "Reject" })).isError).toBe(true);
  await call("assign_cost_center", { reference, choice: "Assign", cost_center: "CC-1" });
  expect(await status()).toMatchObject({ status: "PAID", waiting: [] });
  expect((await call("get_invoice_status", { reference: "T-0" })).isError).toBe(true);
});

test("2026-07-28: two questions at once; each first answer counts, through a kill -9", async () => {
  const call = { ...ARGUMENTS, _meta: { "intray/idempotency-key": "k1" } };
  const { taskId } = await modern("tools/call", call);
  expect((await modern("tools/call", call)).taskId).toBe(taskId);
  expect(Object.keys((await modern("tasks/get", { taskId })).inputRequests)).toEqual([
    "approval-1",
    "cost-center-1",
  ]);
  const approve = { action: "accept", content: { value: "approve" } };
  await modern("tasks/update", { taskId, inputResponses: { "approval-1": approve } });
  await kill();
  await start();
  expect(Object.keys((await modern("tasks/get", { taskId })).inputRequests)).toEqual(["cost-center-1"]);
  const answers = { "approval-1": { action: "decline" }, "cost-center-1": { action: "cancel" } };
  await modern("tasks/update", { taskId, inputResponses: answers });
  expect(await modern("tasks/get", { taskId })).toMatchObject({ status: "completed" });
  const told = (await readLedger(`http://127.0.0.1:${port}`)).filter(
    (line) => line.taskId === taskId && line.kind === "told",
  );
  expect(told.map(({ data }) => [data.question, data.action, data.accepted])).toEqual([
    ["approval-1", "accept", true],
    ["approval-1", "decline", false],
    ["cost-center-1", "cancel", true],
  ]);
});

test("2025-11-25: both questions on one tasks/result; answers count in their session, which ends with the process", async () => {
  const open = async () => {
    const { headers } = await post({ method: "initialize", params: {} }, {});
    return { "mcp-session-id": String(headers.get("mcp-session-id")) };
  };
  const first = await open();
  const made = await (await post({ method: "tools/call", params: { ...ARGUMENTS, task: {} } }, first)).json();
  const { taskId } = made.result.task;
  const asked = async (session: Record<string, string>, count: number) => {
    const { body } = await post({ method: "tasks/result", params: { taskId } }, session);
    let text = "";
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const messages = [...text.matchAll(/data: (.*)\n\n/g)].map(([, json]) => JSON.parse(json!));
      if (messages.length === count) return messages;
    }
    throw new Error(`the stream ended: ${text}`);
  };
  const questions = await asked(first, 2);
  expect(questions.map(({ id, method }) => [id, method])).toEqual([
    [0, "elicitation/create"],
    [1, "elicitation/create"],
  ]);
  const answer = { id: 1, method: undefined, result: { action: "accept", content: { cost_center: "A" } } };
  expect((await post(answer, first)).status).toBe(202);
  await kill();
  await start();
  expect((await post({ method: "tasks/get", params: { taskId } }, first)).status).toBe(404);
  const second = await open();
  const [left] = await asked(second, 1);
  expect(left.params.message).toBe("Invoice INV-1 requires approval.");
  await post({ id: left.id, method: undefined, result: { action: "decline" } }, second);
  const task = await (await post({ method: "tasks/get", params: { taskId } }, second)).json();
  expect(task.result.status).toBe("completed");
});

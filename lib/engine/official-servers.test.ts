/** Servers of 2025-11-25 by others, and a durable one that restarts: captured, answered after an engine restart. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createInvoiceDatabase, startInvoiceServer } from "../testing/invoice-server.ts";
import { lookInto } from "../testing/look.ts";
import { startOfficialServer } from "../testing/official-server.ts";
import { createTestDatabase } from "../testing/postgres.ts";
import { readLedger } from "../testing/sample-ledger.ts";
import { tool } from "../testing/tool.ts";
import { createWorld, type World } from "../testing/world.ts";
import type { Engine } from "./engine.ts";

let world: World;
let engine: Engine;
beforeAll(async () => {
  world = await createWorld(["127.0.0.1"]);
  engine = await world.startEngine();
});
afterAll(() => world?.close());

const { openRequest, inState, deliveryOfTask, requestsOf, asksOf } = lookInto(() => world);
async function restartEngine() {
  await engine.stop();
  engine = await world.startEngine();
}

test.each([
  {
    example: "simpleTaskInteractive",
    name: "confirm_delete",
    args: { filename: "a.txt" },
    content: { confirm: true },
    says: /a\.txt/,
  },
  {
    // It stays `working`, does not name the task with its question, and may ask before the handle is told.
    example: "simpleStreamableHttp",
    name: "collect-user-info-task",
    args: { infoType: "preferences" },
    content: { theme: "dark", notifications: true },
    says: /dark/,
  },
] as const)("$example: the question of before the restart is answered on its session", async (scene) => {
  const official = await startOfficialServer(scene.example);
  try {
    const server = await world.addServer(official.url, "2025-11-25");
    const id = await world.startTask(server, scene.args, tool(scene.name, { taskSupport: "required" }));
    const request = await openRequest(id);
    await restartEngine();
    await world.answer(request.id, { action: "accept", content: scene.content });
    const done = await inState(id, "completed");
    expect(JSON.stringify(done.result)).toMatch(scene.says);
    expect(await deliveryOfTask(id)).toMatchObject({ state: "confirmed", attempts: 1 });
  } finally {
    await official.stop();
  }
});

test("a durable server that restarted: a new session, the same question again, the answer to its new id", async () => {
  const { adminUrl, drop } = await createTestDatabase();
  const database = await createInvoiceDatabase(adminUrl);
  const invoices = await startInvoiceServer(database.url);
  try {
    const server = await world.addServer(invoices.url, "2025-11-25");
    const lines = [{ description: "Line", amount: 10, due_date: "2024-06-30T00:00:00Z" }];
    const invoice = { invoice_id: "INV-1", customer: "ACME Corp", lines };
    const id = await world.startTask(
      server,
      { invoice },
      tool("process_invoice", { taskSupport: "required" }),
    );
    const request = await openRequest(id);
    await invoices.kill();
    await world.answer(request.id, { action: "accept", content: { value: "approve" } });
    await invoices.start();
    expect((await inState(id, "completed")).outcome).toBe("PAID");
    const told = (await readLedger(invoices.baseUrl)).filter(({ kind }) => kind === "told");
    expect(told).toHaveLength(1);
    const requests = await requestsOf(id);
    expect(requests.map(({ id: one, state }) => [one, state])).toEqual([[request.id, "settled"]]);
    expect(await asksOf(request.id)).toBe(2);
  } finally {
    await invoices.kill();
    await database.drop();
    await drop();
  }
}, 40_000);

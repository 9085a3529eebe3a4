import { afterAll, beforeAll, expect, test } from "vitest";
import { lookInto } from "../../../test/fixtures/look.ts";
import { readLedger } from "../../../test/fixtures/sample-ledger.ts";
import { startElsewhere } from "../../../test/fixtures/stranger.ts";
import { createWorld, type World } from "../../../test/fixtures/world.ts";
import {
  createInvoiceDatabase,
  type InvoiceServer,
  startInvoiceServer,
} from "../../../test/servers/invoice-server.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/setup/postgres.ts";
import { storable } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { createNetwork } from "../../base/network.ts";
import { createSeal, type Seal } from "../../base/seal.ts";
import type { Services } from "../../base/services.ts";
import { adoptFoundTask } from "../../task-lifecycle/adopt.ts";
import { settleStart } from "../../task-lifecycle/settle-unknown.ts";
import { refreshFoundTasks } from "./refresh.ts";

let aside: TestDatabase;
let invoices: InvoiceServer;
let dropInvoices: () => Promise<void>;
let world: World;
const look = lookInto(() => world, 30_000);
let seal: Seal;
let server: { serverId: string; connectionId: string };

beforeAll(async () => {
  aside = await createTestDatabase();
  const database = await createInvoiceDatabase(aside.adminUrl);
  dropInvoices = database.drop;
  invoices = await startInvoiceServer(database.url);
  world = await createWorld([invoices.hostAndPort]);
  const [kid = "", key = ""] = world.engineEnvironment.INTRAY_KEYS?.split(":") ?? [];
  seal = createSeal([{ kid, key: Buffer.from(key, "base64") }]);
  server = await world.addServer(invoices.url, "2025-11-25");
});
afterAll(async () => {
  await world.close();
  await invoices.kill();
  await dropInvoices();
  await aside.drop();
});

/** Starts an invoice behind Intray's back, and finds it. */
async function find(): Promise<{ handle: string; foundId: string }> {
  const handle = await startElsewhere(invoices.baseUrl, uuidv7());
  const services: Services = {
    db: world.database,
    network: createNetwork({ allowHosts: [invoices.hostAndPort], denyPorts: [] }),
    seal,
  };
  const { items } = await refreshFoundTasks(services, world.organizationId, server.serverId);
  const [newest] = items.filter((item) => item.taskId === null);
  if (!newest) throw new Error("nothing was found");
  return { handle, foundId: newest.id };
}

async function approve(taskId: string): Promise<void> {
  const { id } = await look.openRequest(taskId);
  await world.answer(id, { action: "accept", content: { value: "approve" } });
}

async function answersTold(handle: string): Promise<number> {
  return (await readLedger(invoices.baseUrl, handle)).filter((line) => line.kind === "told").length;
}

test("an adopted task asks its question, takes the answer once, and comes to its end", async () => {
  const { handle, foundId } = await find();
  await world.startEngine();
  const taskId = await world.within((tx) =>
    adoptFoundTask(
      world.organizationId,
      tx,
      world.operator,
      seal,
      { serverId: server.serverId, foundId },
      { tool: "process_invoice" },
    ),
  );
  await approve(taskId);
  await look.inState(taskId, "completed");
  expect(await look.task(taskId)).toMatchObject({ adopted: true, outcome: "PAID" });
  expect(await answersTold(handle)).toBe(1);
});

test("so does a start of unknown outcome, once a person has said what it made", async () => {
  const { handle, foundId } = await find();
  const started = uuidv7();
  await world.within(async (tx) => {
    await tx.task.create({
      data: {
        organizationId: world.organizationId,
        id: started,
        serverId: server.serverId,
        connectionId: server.connectionId,
        tool: "process_invoice",
        arguments: {},
        state: "start_unknown",
        watched: false,
        visibility: "organization",
        requestedBy: storable(world.operator.actor),
      },
    });
    await tx.taskWatch.create({ data: { organizationId: world.organizationId, taskId: started } });
  });
  await world.within((tx) => settleStart(world.organizationId, tx, world.operator, seal, started, foundId));
  await approve(started);
  await look.inState(started, "completed");
  expect(await look.task(started)).toMatchObject({ adopted: true, outcome: "PAID" });
  expect(await answersTold(handle)).toBe(1);
});

import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createOrganizationFixture,
  type OrganizationFixture,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { readLedger } from "../../../test/fixtures/sample-ledger.ts";
import { startElsewhere } from "../../../test/fixtures/third-party-client.ts";
import { databaseForFile } from "../../../test/for-file.ts";
import {
  createInvoiceDatabase,
  type InvoiceServer,
  startInvoiceServer,
} from "../../../test/servers/invoice-server.ts";
import { storable } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { createNetwork } from "../../base/network/network.ts";
import type { Services } from "../../base/process/services.ts";
import { createSeal, type Seal } from "../../base/seal.ts";
import { adoptFoundTask } from "./adopt.ts";
import { refreshFoundTasks } from "./refresh.ts";
import { settleStart } from "./settle-unknown.ts";

const aside = databaseForFile();
let invoices: InvoiceServer;
let dropInvoices: () => Promise<void>;
let fixture: OrganizationFixture;
const queries = createQueries(() => fixture, 180_000);
let seal: Seal;
let server: { serverId: string; connectionId: string };

beforeAll(async () => {
  const database = await createInvoiceDatabase(aside.adminUrl);
  dropInvoices = database.drop;
  invoices = await startInvoiceServer(database.url);
  fixture = await createOrganizationFixture([invoices.hostAndPort]);
  const [kid = "", key = ""] = fixture.engineEnvironment.INTRAY_KEYS?.split(":") ?? [];
  seal = createSeal([{ kid, key: Buffer.from(key, "base64") }]);
  server = await fixture.addServer(invoices.url, "2025-11-25");
});
afterAll(async () => {
  await fixture.close();
  await invoices.kill();
  await dropInvoices();
});

/** Starts an invoice behind Intray's back, and finds it. */
async function find(): Promise<{ handle: string; foundId: string }> {
  const handle = await startElsewhere(invoices.baseUrl, uuidv7());
  const services: Services = {
    db: fixture.database,
    network: createNetwork({ allowHosts: [invoices.hostAndPort], denyPorts: [] }),
    seal,
  };
  const { items } = await refreshFoundTasks(services, fixture.organizationId, server.serverId);
  const [newest] = items.filter((item) => item.taskId === null);
  if (!newest) throw new Error("nothing was found");
  return { handle, foundId: newest.id };
}

async function approve(taskId: string): Promise<void> {
  const { id } = await queries.openRequest(taskId);
  await fixture.answer(id, { action: "accept", content: { value: "approve" } });
}

async function answersTold(handle: string): Promise<number> {
  return (await readLedger(invoices.baseUrl, handle)).filter((line) => line.kind === "told").length;
}

test("an adopted task asks its question, takes the answer once, and comes to its end", async () => {
  const { handle, foundId } = await find();
  await fixture.startEngine();
  const taskId = await fixture.within((tx) =>
    adoptFoundTask(
      tx,
      fixture.operator,
      seal,
      { serverId: server.serverId, foundId },
      { tool: "process_invoice" },
    ),
  );
  await approve(taskId);
  await queries.inState(taskId, "completed");
  expect(await queries.task(taskId)).toMatchObject({ adopted: true, outcome: "PAID" });
  expect(await answersTold(handle)).toBe(1);
});

test("so does a start of unknown outcome, once a person has said what it made", async () => {
  const { handle, foundId } = await find();
  const started = uuidv7();
  await fixture.within(async (tx) => {
    await tx.task.create({
      data: {
        organizationId: fixture.organizationId,
        id: started,
        serverId: server.serverId,
        connectionId: server.connectionId,
        tool: "process_invoice",
        arguments: {},
        state: "start_unknown",
        watched: false,
        visibility: "organization",
        requestedBy: storable(fixture.operator.actor),
      },
    });
    await tx.taskWatch.create({ data: { organizationId: fixture.organizationId, taskId: started } });
  });
  await fixture.within((tx) => settleStart(tx, fixture.operator, seal, started, foundId));
  await approve(started);
  await queries.inState(started, "completed");
  expect(await queries.task(started)).toMatchObject({ adopted: true, outcome: "PAID" });
  expect(await answersTold(handle)).toBe(1);
});

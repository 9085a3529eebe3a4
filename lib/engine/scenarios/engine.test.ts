import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createOrganizationFixture,
  type OrganizationFixture,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { readLedger } from "../../../test/fixtures/sample-ledger.ts";
import {
  createInvoiceDatabase,
  type InvoiceServer,
  startInvoiceServer,
} from "../../../test/servers/invoice-server.ts";
import type { Era } from "../../mcp/peer.ts";

let fixture: OrganizationFixture;
let invoices: InvoiceServer;
let dropInvoices: () => Promise<void>;

beforeAll(async () => {
  const { adminUrl } = await import("../../../test/setup/postgres.ts").then((m) => m.createTestDatabase());
  const database = await createInvoiceDatabase(adminUrl);
  dropInvoices = database.drop;
  invoices = await startInvoiceServer(database.url);
  fixture = await createOrganizationFixture([invoices.hostAndPort]);
});

afterAll(async () => {
  await fixture?.close();
  await invoices?.kill();
  await dropInvoices?.();
});

function invoice(id: string, amounts: number[]) {
  const lines = amounts.map((amount, at) => ({
    description: `Line ${at + 1}`,
    amount,
    due_date: "2024-06-30T00:00:00Z",
  }));
  return { invoice: { invoice_id: id, customer: "ACME Corp", lines } };
}

const queries = createQueries(() => fixture);

describe.each<Era>(["2026-07-28", "2025-11-25"])("a task of %s", (era) => {
  test("is started, asks, is answered and completes; the server is told once", async () => {
    const engine = await fixture.startEngine();
    const server = await fixture.addServer(invoices.url, era);
    const id = await fixture.startTask(server, invoice(`INV-${era}`, [100, 200]));
    const request = await queries.openRequest(id);
    expect(request.message).toBe(
      `Invoice INV-${era} for ACME Corp ($300.00) requires approval. Lines: 2 items.`,
    );

    await fixture.answer(request.id, { action: "accept", content: { value: "approve" } });
    expect((await queries.inState(id, "completed")).outcome).toBe("PAID");

    expect((await queries.deliveryOf(request.id)).state).toBe("confirmed");
    expect((await queries.request(request.id)).state).toBe("settled");
    const received = (await readLedger(invoices.baseUrl)).filter(
      (line) => line.kind === "told" && line.data.era === era,
    );
    expect(received).toHaveLength(1);
    await engine.stop();
  });

  test("above 5000 asks a second question after the first", async () => {
    const engine = await fixture.startEngine();
    const server = await fixture.addServer(invoices.url, era);
    const id = await fixture.startTask(server, invoice(`BIG-${era}`, [9000]));
    const first = await queries.openRequest(id);
    await fixture.answer(first.id, { action: "accept", content: { value: "approve" } });
    const second = await queries.openRequest(id);
    expect(second.message).toContain("cost center");
    await fixture.answer(second.id, { action: "accept", content: { cost_center: "CC-1" } });
    await queries.inState(id, "completed");
    await engine.stop();
  });

  test("cancelled while it waits: the question is withdrawn and the server is told", async () => {
    const { requestCancel } = await import("../../lifecycle/task-writes.ts");
    const engine = await fixture.startEngine();
    const server = await fixture.addServer(invoices.url, era);
    const id = await fixture.startTask(server, invoice(`CAN-${era}`, [10]));
    const request = await queries.openRequest(id);
    await fixture.within((tx) => requestCancel(tx, fixture.operator, id));
    await expect(
      fixture.answer(request.id, { action: "accept", content: { value: "approve" } }),
    ).rejects.toMatchObject({
      code: "no_longer_open",
    });
    await queries.inState(id, "cancelled");
    await engine.stop();
  });
});

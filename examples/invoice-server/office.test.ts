/** The office tools as Intray's engine meets them, in both eras, with the server killed between question and answer. */
import { describe, expect, onTestFinished, type TestContext, test } from "vitest";
import { recordAnswer } from "../../lib/input-requests/transitions.ts";
import type { Era } from "../../lib/mcp/peer.ts";
import { eventually, setInvoiceScene } from "../../lib/testing/invoice-scene.ts";
import { readLedger } from "../../lib/testing/sample-ledger.ts";
import { tool } from "../../lib/testing/tool.ts";
import { describeTool } from "./office/tool.ts";
import { officeTools } from "./office/tools/all.ts";

const ERAS: Era[] = ["2026-07-28", "2025-11-25"];
const inAnHour = () => new Date(Date.now() + 3600_000).toISOString();

const EXPENSE = {
  report_id: "EXP-1",
  employee: "Mara Lindt",
  purpose: "Customer visit",
  items: [
    { description: "Train", date: "2026-03-02", amount: 182.4 },
    { description: "Hotel", date: "2026-03-03", amount: 117.6 },
  ],
};
const SUPPLIERS = {
  request_id: "PR-1",
  item: "12 desks",
  needed_by: "2026-09-01",
  quotes: [
    { supplier: "Halden Office", price: 6480, delivery_days: 10 },
    { supplier: "Kestrel", price: 5990.5, delivery_days: 21 },
  ],
};
const BANK = {
  supplier_id: "SUP-1",
  supplier: "Kestrel <IT>",
  bank: "Nordbank",
  iban: "DE02 1203 0000 0000 2020 51",
  received_by: "Letter",
};
const CURRENCY = { order_id: "FX-1", purpose: "Rent", amount_usd: 48_000, to: "EUR" };
const RUN = {
  run_id: "PAY-1",
  account: "Operating account",
  release_by: inAnHour(),
  payments: [{ payee: "Kestrel", reference: "K-9", amount: 300 }],
};
const STATEMENT = {
  statement_id: "BS-1",
  account: "Operating account",
  opening_balance: 100.1,
  closing_balance: 300.3,
  movements: [
    { date: "2026-03-02", text: "In", amount: 250.2 },
    { date: "2026-03-03", text: "Out", amount: -50 },
  ],
};

async function setOffice(context: Pick<TestContext, "onTestFinished">, era: Era, settings = {}) {
  const scene = await setInvoiceScene(context, era, "", { settings });
  const { world, server, invoices } = scene;
  return {
    ...scene,
    begin: (name: string, args: Record<string, unknown>) =>
      world.startTask(server, args, { ...tool(name), taskSupport: "required", honoursIdempotencyKey: true }),
    restartServer: async () => {
      await invoices.kill();
      await invoices.start();
    },
    result: async (id: string) => (await scene.shown(id)).result as Result,
    ledger: () => readLedger(invoices.baseUrl),
    /** Who authorised the connection: nobody else may say that a site was opened. */
    continueAsOwner: async (requestId: string) => {
      const { questionHash } = await requestOf(scene, requestId);
      await world.within((tx) =>
        recordAnswer(world.organizationId, tx, world.operator, requestId, { action: "accept", questionHash }),
      );
    },
  };
}

type Result = { structuredContent: Record<string, unknown>; isError?: boolean };
type Scene = Awaited<ReturnType<typeof setInvoiceScene>>;

const requestOf = ({ world }: Scene, id: string) =>
  world.within((tx) =>
    tx.inputRequest.findFirstOrThrow({ where: { organizationId: world.organizationId, id } }),
  );

const accept = (content: Record<string, unknown>) => ({ action: "accept" as const, content });

/** As a browser does it. */
async function press(url: string, choice: 0 | 1): Promise<string> {
  const page = await fetch(url);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("Kestrel &lt;IT&gt;");
  const answer = await fetch(url, { method: "POST", body: new URLSearchParams({ choice: String(choice) }) });
  expect(answer.status).toBe(200);
  return answer.text();
}

describe.each(ERAS)("%s", (era) => {
  test("a form and a choice survive a killed server, and are answered once", async () => {
    const office = await setOffice({ onTestFinished }, era);
    const expense = await office.begin("approve_expense", EXPENSE);
    const suppliers = await office.begin("choose_supplier", SUPPLIERS);
    const form = await office.openRequest(expense);
    const choice = await office.openRequest(suppliers);
    expect(form.message).toContain("EXP-1 of Mara Lindt ($300.00)");
    expect(form.form).toMatchObject({
      kind: "supported",
      fields: [
        { name: "approved_amount", kind: "number", maximum: 300, default: 300 },
        { name: "category", kind: "one_of", options: { length: 4 } },
        { name: "pay_on", kind: "text", format: "date", required: false },
        { name: "receipts_complete", kind: "boolean" },
        { name: "note", kind: "text" },
      ],
    });
    expect(choice.form).toMatchObject({
      fields: [{ kind: "one_of", options: [{ title: "Halden Office, $6,480.00" }, { value: "Kestrel" }] }],
    });

    await office.restartServer();
    await office.world.answer(
      form.id,
      accept({ approved_amount: 250, category: "travel", receipts_complete: true }),
    );
    await office.world.answer(choice.id, accept({ supplier: "Kestrel" }));
    await office.inState(expense, "completed");
    await office.inState(suppliers, "completed");
    expect((await office.result(expense)).structuredContent).toMatchObject({
      status: "Approved",
      approved_amount: 250,
    });
    expect((await office.result(suppliers)).structuredContent).toMatchObject({
      status: "Ordered",
      price: 5990.5,
    });
    const taken = (await office.ledger()).filter(({ kind, data }) => kind === "told" && data.accepted);
    expect(taken).toHaveLength(2);
    expect((await office.ledger()).filter(({ kind }) => kind === "created")).toHaveLength(2);
  });

  test("a declined request ends the task, and nothing is done", async () => {
    const office = await setOffice({ onTestFinished }, era);
    const id = await office.begin("approve_expense", EXPENSE);
    const { id: requestId } = await office.openRequest(id);
    await office.world.answer(requestId, { action: "decline" });
    await office.inState(id, "completed");
    expect((await office.result(id)).structuredContent.status).toBe("Rejected");
  });

  test("a question that changes after it was shown is asked anew, and the difference is kept", async () => {
    const office = await setOffice({ onTestFinished }, era, { INVOICE_CHANGE_AFTER_MS: "500" });
    const id = await office.begin("convert_currency", CURRENCY);
    const [first, second] = await eventually("it is asked anew", async () => {
      const requests = await office.requestsOf(id);
      return requests.length === 2 && requests;
    });
    expect(first).toMatchObject({ state: "withdrawn", endedReason: "replaced" });
    expect(first?.message).toContain("€44,097.60");
    expect(second).toMatchObject({ state: "open", replaces: first?.id });
    expect(second?.message).toContain("€43,929.60");
    expect((await office.ledger()).filter(({ kind }) => kind === "asked")).toHaveLength(2);

    await office.restartServer();
    await office.world.answer(second!.id, accept({ decision: "accept 0.9152" }));
    await office.inState(id, "completed");
    expect((await office.result(id)).structuredContent).toMatchObject({ status: "Converted", rate: 0.9152 });
    expect(await office.requestsOf(id)).toHaveLength(2);
  });

  test.each([
    { order: "page first", outcome: "Confirmed", choice: 0 as const },
    { order: "answer first", outcome: "Rejected", choice: 1 as const },
  ])("a page is opened, and the task goes on once its button was pressed too: $order", async (way) => {
    const office = await setOffice({ onTestFinished }, era);
    const id = await office.begin("confirm_bank_details", BANK);
    const request = await office.openRequest(id);
    expect(request).toMatchObject({ mode: "url" });
    const url = request.url!;
    expect(url).toMatch(/^http:\/\/localhost:\d+\/confirm\/[0-9a-f-]{36}$/);
    const reach = url.replace("localhost", "127.0.0.1");
    // To look is to change nothing.
    expect((await fetch(reach)).status).toBe(200);

    if (way.order === "page first") {
      expect(await press(reach, way.choice)).toContain("continue there");
      await office.restartServer();
      await office.continueAsOwner(request.id);
    } else {
      await office.continueAsOwner(request.id);
      await eventually("the answer is there", async () =>
        (await office.ledger()).some(({ kind }) => kind === "told"),
      );
      await office.restartServer();
      await press(reach, way.choice);
    }
    // A second press changes nothing.
    await fetch(reach, { method: "POST", body: new URLSearchParams({ choice: "1" }) });
    await office.inState(id, "completed");
    expect((await office.result(id)).structuredContent.status).toBe(way.outcome);
    expect((await office.ledger()).filter(({ kind }) => kind === "pressed")).toHaveLength(1);
    expect((await fetch(reach.replace(/[^/]+$/, "unknown"))).status).toBe(404);
  });

  test("a question that ends in an hour says so", async () => {
    const office = await setOffice({ onTestFinished }, era);
    const id = await office.begin("release_payment_run", { ...RUN, release_by: inAnHour() });
    const { expiresAt, form } = await office.openRequest(id);
    const minutes = ((expiresAt?.getTime() ?? 0) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(50);
    expect(minutes).toBeLessThanOrEqual(61);
    expect(form).toMatchObject({ fields: [{ options: [{ title: "Release" }, { title: "Hold back" }] }] });
  });

  test("what nobody released in time has failed, and was not paid", async () => {
    const office = await setOffice({ onTestFinished }, era);
    const release_by = new Date(Date.now() + 4_000).toISOString();
    const id = await office.begin("release_payment_run", { ...RUN, release_by });
    const failed = await office.inState(id, "failed");
    expect(failed.error).toMatchObject({ message: expect.stringContaining("PAY-1: nobody answered in time") });
  });

  test("a statement is reconciled without asking anybody, and one that does not add up fails", async () => {
    const office = await setOffice({ onTestFinished }, era);
    const right = await office.begin("reconcile_statement", STATEMENT);
    const wrong = await office.begin("reconcile_statement", { ...STATEMENT, closing_balance: 310 });
    await office.inState(right, "completed");
    await office.inState(wrong, era === "2025-11-25" ? "failed" : "completed");
    expect((await office.result(right)).structuredContent.status).toBe("Reconciled");
    expect(await office.result(wrong)).toMatchObject({
      isError: true,
      structuredContent: { status: "Does not add up", difference: 9.7 },
    });
    expect(await office.requestsOf(wrong)).toEqual([]);
  });

  test("a cancelled task stays so", async () => {
    const office = await setOffice({ onTestFinished }, era);
    const id = await office.begin("choose_supplier", SUPPLIERS);
    await office.openRequest(id);
    await office.cancel(id);
    await office.inState(id, "cancelled");
    await office.restartServer();
    expect((await office.ledger()).map(({ kind }) => kind)).toEqual([
      "created",
      "asked",
      "cancelled",
      "ended",
    ]);
  });
});

test("an answer that was meant for another rate is refused, and the question stays", async () => {
  const office = await setOffice({ onTestFinished }, "2026-07-28", { INVOICE_CHANGE_AFTER_MS: "0" });
  const id = await office.begin("convert_currency", CURRENCY);
  const again = await eventually("it is asked anew", async () =>
    (await office.requestsOf(id)).find((request) => request.replaces),
  );
  const created = (await office.ledger()).find(({ kind }) => kind === "created")!;
  const ref = { taskId: created.taskId, session: null };
  const address = { kind: "key" as const, key: "decision-1" };
  const old = accept({ decision: "accept 0.9187" });
  await expect(office.another().answer(ref, address, old, { deadlineMs: 10_000 })).rejects.toThrow();
  expect((await requestOf(office, again.id)).state).toBe("open");
});

test.each(officeTools.map(describeTool))("$name says what it takes, with a title for every field", (tool) => {
  const { properties } = tool.inputSchema as unknown as { properties: Record<string, { title?: string }> };
  expect(Object.keys(properties).length).toBeGreaterThan(2);
  for (const [name, { title }] of Object.entries(properties)) expect(title, name).toBeTruthy();
});

/**
 * The office tools with Intray's engine, in both eras, with the server killed between question and answer.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Era } from "../../lib/mcp/peer.ts";
import { recordDecision } from "../../lib/requests/answers/answer-writes.ts";
import { createInvoiceFixture, eventually } from "../../test/fixtures/invoice-fixture.ts";
import { readLedger } from "../../test/fixtures/sample-ledger.ts";
import { tool } from "../../test/fixtures/tool.ts";
import { describeTool } from "./office/tool.ts";
import { officeTools } from "./office/tools/all.ts";

const ERAS: Era[] = ["2026-07-28", "2025-11-25"];

const EXPENSE = {
  employee: "Mara Lindt",
  purpose: "Customer visit",
  items: [
    { description: "Train", date: "2026-03-02", amount: 182.4 },
    { description: "Hotel", date: "2026-03-03", amount: 117.6 },
  ],
};
const SUPPLIERS = {
  item: "12 desks",
  needed_by: "2026-09-01",
  quotes: [
    { supplier: "Halden Office", price: 6480, freight_cost: 0, delivery_days: 10 },
    { supplier: "Kestrel", price: 5990.5, freight_cost: 120, delivery_days: 21 },
  ],
};
const BANK = {
  supplier: "Kestrel <IT>",
  bank: "Nordbank",
  iban: "DE02 1203 0000 0000 2020 51",
  received_by: "Letter",
};
const CURRENCY = { purpose: "Rent", amount_usd: 48_000, to: "EUR" };
const RUN = {
  account: "Operating account",
  payments: [{ payee: "Kestrel", reference: "K-9", amount: 300 }],
};
const STATEMENT = {
  account: "Operating account",
  opening_balance: 100.1,
  closing_balance: 300.3,
  movements: [
    { date: "2026-03-02", text: "In", amount: 250.2 },
    { date: "2026-03-03", text: "Out", amount: -50 },
  ],
};

async function setOffice(era: Era, finish: (end: () => unknown) => void) {
  const onTestFinished = (end: (context: never) => unknown) => finish(end as () => unknown);
  const settings = { INVOICE_CHANGE_AFTER_MS: "500" };
  const scene = await createInvoiceFixture({ onTestFinished }, era, "", { settings });
  const { organization: world, server, invoices } = scene;
  const requestOf = (id: string) =>
    world.within((tx) =>
      tx.inputRequest.findFirstOrThrow({ where: { organizationId: world.organizationId, id } }),
    );
  return {
    ...scene,
    requestOf,
    begin: (name: string, args: Record<string, unknown>) =>
      world.startTask(server, args, { ...tool(name), taskSupport: "required", honoursIdempotencyKey: true }),
    restartServer: async () => {
      await invoices.kill();
      await invoices.start();
    },
    result: async (id: string) => (await scene.shown(id)).result as Result,
    /** Returns the server's ledger of the task with that number. */
    ledgerOf: async (number: string) => {
      const lines = await readLedger(invoices.baseUrl);
      const [created, ...others] = lines.filter(
        (line) => line.kind === "created" && line.data.number === number,
      );
      expect(others).toEqual([]);
      return lines.filter((line) => line.taskId === created?.taskId);
    },
    /** Answers as the person who authorised the connection: only they may report that a site was opened. */
    continueAsOwner: async (requestId: string) => {
      const { questionHash } = await requestOf(requestId);
      await world.within((tx) =>
        recordDecision(tx, world.operator, requestId, { action: "accept", questionHash }),
      );
    },
  };
}

type Result = { structuredContent: Record<string, unknown>; isError?: boolean };

const accept = (content: Record<string, unknown>) => ({ action: "accept" as const, content });

/** Presses a button as a browser does. */
async function press(url: string, choice: 0 | 1): Promise<string> {
  const page = await fetch(url);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("Kestrel &lt;IT&gt;");
  const answer = await fetch(url, { method: "POST", body: new URLSearchParams({ choice: String(choice) }) });
  expect(answer.status).toBe(200);
  return answer.text();
}

describe.each(ERAS)("%s", (era) => {
  const ends: (() => unknown)[] = [];
  let office: Awaited<ReturnType<typeof setOffice>>;
  beforeAll(async () => {
    office = await setOffice(era, (end) => ends.push(end));
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  test("a form and a choice survive a killed server, and are answered once", async () => {
    const expense = await office.begin("approve_expense", { report_id: "EXP-1", ...EXPENSE });
    const suppliers = await office.begin("choose_supplier", { request_id: "PR-1", ...SUPPLIERS });
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
      fields: [
        { kind: "one_of", options: [{ title: "Halden Office, $6,480.00" }, { value: "Kestrel, $6,110.50" }] },
      ],
    });

    await office.restartServer();
    const booking = { approved_amount: 250, category: "travel", receipts_complete: true };
    await office.organization.answer(form.id, accept(booking));
    await office.organization.answer(choice.id, accept({ supplier: "Kestrel, $6,110.50" }));
    await office.inState(expense, "completed");
    await office.inState(suppliers, "completed");
    expect((await office.result(expense)).structuredContent).toMatchObject({
      status: "Approved",
      ...booking,
    });
    expect((await office.result(suppliers)).structuredContent).toMatchObject({
      status: "Ordered",
      total: 6110.5,
    });
    for (const number of ["EXP-1", "PR-1"]) {
      const lines = await office.ledgerOf(number);
      expect(lines.map(({ kind }) => kind)).toEqual(["created", "asked", "told", "ended"]);
    }
  });

  test("a declined request ends the task, and nothing is done", async () => {
    const id = await office.begin("approve_expense", { report_id: "EXP-2", ...EXPENSE });
    const { id: requestId } = await office.openRequest(id);
    await office.organization.answer(requestId, { action: "decline" });
    await office.inState(id, "completed");
    expect((await office.result(id)).structuredContent.status).toBe("Rejected");
  });

  test("a question that changes is asked anew, where the era shows changes", async () => {
    const id = await office.begin("convert_currency", { order_id: "FX-1", ...CURRENCY });
    const first = await office.openRequest(id);
    expect(first.message).toContain("€44,097.60");
    const shown =
      era === "2025-11-25"
        ? first
        : await eventually("it is asked anew", async () =>
            (await office.requestsOf(id)).find((request) => request.replaces === first.id),
          );
    const rate = era === "2025-11-25" ? 0.9187 : 0.9152;
    if (era === "2026-07-28") {
      expect(shown.message).toContain("€43,929.60");
      expect(await office.requestOf(first.id)).toMatchObject({ state: "withdrawn", endedReason: "replaced" });
    }
    await office.restartServer();
    await office.organization.answer(shown.id, accept({ decision: `accept ${rate}` }));
    await office.inState(id, "completed");
    expect((await office.result(id)).structuredContent).toMatchObject({ status: "Converted", rate });
    expect(await office.requestsOf(id)).toHaveLength(era === "2025-11-25" ? 1 : 2);
  });

  test.each([
    { order: "page first", number: "SUP-1", outcome: "Confirmed", choice: 0 as const },
    { order: "answer first", number: "SUP-2", outcome: "Rejected", choice: 1 as const },
  ])("a page is opened, and the task goes on once its button was pressed too: $order", async (way) => {
    const id = await office.begin("confirm_bank_details", { supplier_id: way.number, ...BANK });
    const request = await office.openRequest(id);
    expect(request).toMatchObject({ mode: "url" });
    expect(request.url).toMatch(/^http:\/\/localhost:\d+\/confirm\/[0-9a-f-]{36}$/);
    const page = request.url?.replace("localhost", "127.0.0.1") ?? "";
    if (way.order === "page first") {
      expect(await press(page, way.choice)).toContain("continue there");
      await office.restartServer();
      await office.continueAsOwner(request.id);
    } else {
      await office.continueAsOwner(request.id);
      await eventually("the answer is there", async () =>
        (await office.ledgerOf(way.number)).some(({ kind }) => kind === "told"),
      );
      await office.restartServer();
      await press(page, way.choice);
    }
    // A second press changes nothing.
    await fetch(page, { method: "POST", body: new URLSearchParams({ choice: "1" }) });
    await office.inState(id, "completed");
    expect((await office.result(id)).structuredContent.status).toBe(way.outcome);
    expect((await office.ledgerOf(way.number)).filter(({ kind }) => kind === "pressed")).toHaveLength(1);
    expect((await fetch(page.replace(/[^/]+$/, "unknown"))).status).toBe(404);
  });

  test("a question that ends in an hour says so", async () => {
    const release_by = new Date(Date.now() + 3600_000).toISOString();
    const id = await office.begin("release_payment_run", { run_id: "PAY-1", release_by, ...RUN });
    const { expiresAt, form } = await office.openRequest(id);
    const early = Date.parse(release_by) - (expiresAt?.getTime() ?? 0);
    expect(Math.abs(early)).toBeLessThan(60_000);
    expect(form).toMatchObject({ fields: [{ options: [{ title: "Release" }, { title: "Hold" }] }] });
  });

  test("what nobody released in time has failed, and was not paid", async () => {
    // Time enough for a busy machine to start it.
    const release_by = new Date(Date.now() + 12_000).toISOString();
    const id = await office.begin("release_payment_run", { run_id: "PAY-2", release_by, ...RUN });
    const failed = await office.inState(id, "failed");
    expect(failed.error).toMatchObject({
      message: expect.stringContaining("PAY-2: nobody answered in time"),
    });
  });

  test("a statement is reconciled without asking anybody, and one that does not add up fails", async () => {
    const right = await office.begin("reconcile_statement", { statement_id: "BS-1", ...STATEMENT });
    const wrong = { statement_id: "BS-2", ...STATEMENT, closing_balance: 310 };
    const differs = await office.begin("reconcile_statement", wrong);
    await office.inState(right, "completed");
    await office.inState(differs, era === "2025-11-25" ? "failed" : "completed");
    expect((await office.result(right)).structuredContent.status).toBe("Reconciled");
    expect(await office.result(differs)).toMatchObject({
      isError: true,
      structuredContent: { status: "Does not add up", difference: 9.7 },
    });
    expect(await office.requestsOf(differs)).toEqual([]);
  });

  test("a cancelled task stays so", async () => {
    const id = await office.begin("choose_supplier", { request_id: "PR-2", ...SUPPLIERS });
    await office.openRequest(id);
    await office.cancel(id);
    await office.inState(id, "cancelled");
    await office.restartServer();
    const lines = await office.ledgerOf("PR-2");
    expect(lines.map(({ kind }) => kind)).toEqual(["created", "asked", "cancelled", "ended"]);
  });

  test("an answer that was meant for another rate is refused, and the question stays", async () => {
    const id = await office.begin("convert_currency", { order_id: "FX-2", ...CURRENCY });
    await office.openRequest(id);
    const [created] = await office.ledgerOf("FX-2");
    const ref = { taskId: created?.taskId ?? "", session: null };
    const address = { kind: "key" as const, key: "decision-1" };
    const other = accept({ decision: "accept 1.2345" });
    await expect(office.another().answer(ref, address, other, { deadlineMs: 10_000 })).rejects.toThrow();
    expect((await office.requestsOf(id)).some(({ state }) => state === "open")).toBe(true);
  });
});

test.each(officeTools.map(describeTool))("$name says what it takes, with a title for every field", (tool) => {
  const { properties } = tool.inputSchema as unknown as { properties: Record<string, { title?: string }> };
  expect(Object.keys(properties).length).toBeGreaterThan(2);
  for (const [name, { title }] of Object.entries(properties)) expect(title, name).toBeTruthy();
});

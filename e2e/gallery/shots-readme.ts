/** The pictures of the README: an inbox as it looks on a working day. */
import type { Page } from "@playwright/test";
import { apiOf, openRequest, startInvoice } from "../fixtures/test.ts";
import type { GalleryFixture } from "./fixture.ts";
import { DARK, LIGHT, ON_PHONE, type Shot } from "./shot.ts";
import { openInbox } from "./shots-request.ts";

const MINUTE = 60_000;

let invoice: Promise<string> | null = null;

async function openInvoice(page: Page, fixture: GalleryFixture): Promise<void> {
  invoice ??= setTheDay(fixture);
  await openInbox(page, await invoice, "?tab=all&order=newest");
}

/** Returns the request that the pictures show: an invoice of someone whose invoices were paid before. */
async function setTheDay(fixture: GalleryFixture): Promise<string> {
  const { ask, office } = fixture;
  for (const [id, amount, person] of [
    ["INV-081", 1_120, "Ben"],
    ["INV-096", 940, "Cleo"],
  ] as const) {
    const requestId = await bill(fixture, id, amount);
    await fixture.answer(person, requestId, { action: "accept", content: { value: "approve" }, holdMs: 0 });
    await fixture.became(requestId, "settled");
  }
  const access = await ask("grant_access");
  const topic = await ask("research");
  const site = await ask("bank_sign_in");
  const build = await ask("deploy");
  await apiOf(fixture.as("Cleo")).write("POST", `/input-requests/${build.requestId}/claim`);
  office.liveFor(48 * MINUTE);
  const file = await ask("delete_file");
  office.liveFor(null);
  const dates = await ask("schedule");
  await fixture.assign(dates.requestId, "Ben");
  const payment = await ask("approve_payment", { invoice_id: "INV-207" });
  const ages = { payment: 4, dates: 12, file: 31, build: 64, site: 130, topic: 190, access: 310 };
  const asked = { payment, dates, file, build, site, topic, access };
  for (const [name, { requestId }] of Object.entries(asked)) {
    const createdAt = new Date(Date.now() - ages[name as keyof typeof ages] * MINUTE);
    await fixture.testRows.within((tx) =>
      tx.inputRequest.updateMany({ where: { id: requestId }, data: { createdAt } }),
    );
  }
  return (await fixture.invoice("acme", "INV-100")).requestId;
}

/** A single line, due long ago. */
async function bill(fixture: GalleryFixture, id: string, amount: number): Promise<string> {
  const ola = fixture.as("Ola");
  const due = new Date(Date.now() - 3 * 86_400_000).toISOString();
  const lines = [{ description: "Maintenance", amount, due_date: due }];
  const { taskId } = await startInvoice(ola, { id, changes: { customer: "ACME Corp", lines } });
  return openRequest(ola, taskId);
}

export const README: Shot[] = [
  { name: "inbox", person: "Ben", appearances: [{ ...LIGHT, name: "" }], open: openInvoice },
  { name: "inbox-dark", person: "Ben", appearances: [{ ...DARK, name: "" }], open: openInvoice },
  { name: "request-phone", person: "Ben", appearances: [{ ...ON_PHONE, name: "" }], open: openInvoice },
];

/** The pictures of the README, an approval on a working day, and of docs/operations.md. */
import type { Page } from "@playwright/test";
import { seed } from "../fixtures/intray.ts";
import { apiOf, expect, expectToast, openRequest, startInvoice, taskHeader } from "../fixtures/test.ts";
import { Film } from "./film.ts";
import type { GalleryFixture } from "./fixture.ts";
import { LIGHT, ON_PHONE, type Shot } from "./shot.ts";
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

/** From the invoice to the server's reply: the pointer presses Approve, and the inbox goes on to the next request. */
async function filmApproval(page: Page): Promise<Film> {
  const film = await Film.of(page);
  await film.frame(2_600);
  const approve = page.getByRole("button", { name: /^Approve/ }).last();
  await approve.hover();
  await showPointer(page);
  await film.frame(1_100);
  await approve.click();
  await expectToast(page, "Approved INV-100");
  await film.frame(1_800);
  await expectToast(page, "Approved INV-100 · accepted by Finance ERP");
  await film.frame(2_200);
  await page.getByRole("link", { name: "Done" }).first().click();
  await page
    .getByRole("region", { name: "Requests" })
    .getByRole("link", { name: /INV-100/ })
    .click();
  await expect(page.getByRole("list", { name: "Delivery" })).toBeVisible();
  await film.frame(3_000);
  return film;
}

/** Draws a pointer where the mouse is: a picture of a page has none. */
async function showPointer(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.addEventListener(
      "mousemove",
      ({ clientX, clientY }) => {
        const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        const arrow = document.createElementNS("http://www.w3.org/2000/svg", "path");
        arrow.setAttribute("d", "M2 2 L2 21 L7 16.5 L10 23 L13.5 21.5 L10.5 15 L17 15 Z");
        arrow.setAttribute("fill", "black");
        arrow.setAttribute("stroke", "white");
        arrow.setAttribute("stroke-width", "1.5");
        picture.append(arrow);
        Object.assign(picture.style, {
          ...{ position: "fixed", width: "24px", height: "26px", zIndex: "1000", pointerEvents: "none" },
          ...{ left: `${clientX}px`, top: `${clientY}px` },
        });
        document.body.append(picture);
        document.addEventListener("pointerup", () => picture.remove(), { once: true });
      },
      { once: true },
    );
  });
  const {
    x = 0,
    y = 0,
    width = 0,
    height = 0,
  } = (await page
    .getByRole("button", { name: /^Approve/ })
    .last()
    .boundingBox()) ?? {};
  await page.mouse.move(x + width / 2 + 1, y + height / 2 + 1);
}

/** A single line, due long ago. */
async function bill(fixture: GalleryFixture, id: string, amount: number): Promise<string> {
  const ola = fixture.as("Ola");
  const due = new Date(Date.now() - 3 * 86_400_000).toISOString();
  const lines = [{ description: "Maintenance", amount, due_date: due }];
  const { taskId } = await startInvoice(ola, { id, changes: { customer: "ACME Corp", lines } });
  return openRequest(ola, taskId);
}

let month: Promise<void> | null = null;

/** Opens the tasks that are stuck among a month of tasks, as docs/operations.md has them made. */
async function openStuck(page: Page): Promise<void> {
  month ??= seed("--tasks", "5000");
  await month;
  await page.goto("/tasks?attention=stuck");
  await expect(page.getByRole("row").nth(1)).toBeVisible();
}

const ofOperations = (name: string, open: (page: Page) => Promise<void>): Shot => ({
  name,
  person: "Ola",
  appearances: [{ ...LIGHT, name: "" }],
  async open(page) {
    await openStuck(page);
    await open(page);
  },
});
const taskWith = (page: Page, badge: string) =>
  page.getByRole("row").filter({ hasText: badge }).getByRole("link").first();

export const README: Shot[] = [
  { name: "request-phone", person: "Ben", appearances: [{ ...ON_PHONE, name: "" }], open: openInvoice },
  {
    name: "approval",
    person: "Ben",
    appearances: [{ ...LIGHT, name: "" }],
    open: openInvoice,
    film: filmApproval,
  },
  ofOperations("overview", async (page) => {
    await page.goto("/overview");
    await expect(page.getByRole("heading", { name: "Tasks by state" })).toBeVisible();
  }),
  ofOperations("task-stalled", async (page) => {
    await taskWith(page, "Stalled").click();
    await expect(taskHeader(page).getByText("Stalled")).toBeVisible();
  }),
  ofOperations("request-keeps-asking", async (page) => {
    await taskWith(page, "Keeps asking").click();
    await page.getByRole("tab", { name: /^Requests/ }).click();
    await page.getByRole("tabpanel").getByRole("link").first().click();
    await expect(page.getByRole("button", { name: "Send the same answer again" })).toBeVisible();
  }),
  ofOperations("tasks-stuck", async () => undefined),
];

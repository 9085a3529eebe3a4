/** A request while it is decided, and what becomes of it. */
import type { Page } from "@playwright/test";
import { apiOf, expect, requestPane } from "../fixtures/test.ts";
import type { Way } from "../fixtures/test-rows.ts";
import type { Asked, GalleryFixture } from "./fixture.ts";
import { DARK, LIGHT, ON_PHONE, type Shot } from "./shot.ts";
import { openInbox } from "./shots-request.ts";

const LONG_DUE = { deliverAfter: new Date(Date.now() - 120_000) };
const CONFIRM = { action: "accept", content: {} } as const;

/** A deployment that was approved, as far as `work` takes it. */
const approved = (
  name: string,
  work: (fixture: GalleryFixture, asked: Asked) => Promise<void>,
  more: Partial<Shot> = {},
): Shot => ({
  name,
  person: "Ben",
  async open(page, fixture) {
    const asked = await fixture.ask("deploy", { build: "4820" });
    await work(fixture, asked);
    await openInbox(page, asked.requestId);
  },
  async after(_, fixture) {
    fixture.office.behave.clear();
    fixture.office.release();
  },
  ...more,
});

const dialog = (name: string, open: (page: Page) => Promise<void>, person: Shot["person"] = "Ben"): Shot => ({
  name,
  person,
  async open(page, fixture) {
    await openInbox(page, (await fixture.ask("approve_payment")).requestId);
    await open(page);
    await expect(page.getByRole("dialog")).toBeVisible();
  },
});

const WAYS: (Way & { name: string; state: string })[] = [
  {
    name: "answer waits for its question",
    state: "completed",
    request: { state: "answered", endedReason: null, endedAt: null },
    delivery: {
      state: "pending",
      attempts: 0,
      sentAt: null,
      error: null,
      waitingSince: new Date(),
      ...LONG_DUE,
    },
  },
  {
    name: "answer without a reply",
    state: "completed",
    request: { state: "settled", endedReason: null },
    delivery: { state: "confirmed", error: null, inDoubt: true, confirmedAt: new Date() },
  },
  { name: "answer in doubt", state: "failed", delivery: { inDoubt: true } },
  { name: "answer not sent", state: "failed", delivery: { attempts: 0, sentAt: null } },
];

export const DECIDING: Shot[] = [
  dialog("decline dialog", (page) => page.keyboard.press("d")),
  dialog(
    "hand over dialog, operator",
    async (page) => {
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: "Hand over…" }).click();
    },
    "Ola",
  ),
  {
    name: "request menu",
    person: "Ola",
    appearances: [LIGHT, DARK],
    async open(page, fixture) {
      await openInbox(page, (await fixture.ask("approve_payment")).requestId);
      await page.getByRole("button", { name: "More about this request" }).click();
      await expect(page.getByRole("menu")).toBeVisible();
    },
  },
  {
    name: "undo toast",
    person: "Ben",
    brief: true,
    async open(page, fixture) {
      await openInbox(page, (await fixture.ask("approve_payment")).requestId);
      await requestPane(page).getByRole("button", { name: "Approve" }).click();
      await expect(page.getByText(/sending in/i).first()).toBeVisible();
    },
  },
  approved("answer held", (fixture, { requestId }) =>
    fixture.answer("Ben", requestId, { ...CONFIRM, comment: "Checked with Cleo.", holdMs: 60_000 }),
  ),
  approved(
    "answer sending",
    async (fixture, { requestId }) => {
      fixture.office.behave.set("deploy", "stall");
      await fixture.answer("Ben", requestId, { ...CONFIRM, holdMs: 0 });
      await fixture.delivered(requestId, "sending");
    },
    { brief: true },
  ),
  {
    name: "answer accepted",
    person: "Ben",
    brief: true,
    async open(page, fixture) {
      // Looked at so rarely that it is not yet known whether the task moved on.
      fixture.office.pollEvery(20_000);
      const { requestId } = await fixture.ask("deploy", { build: "4819" });
      fixture.office.pollEvery(null);
      fixture.office.behave.set("deploy", "ignore");
      await fixture.answer("Ben", requestId, { ...CONFIRM, holdMs: 0 });
      await fixture.delivered(requestId, "accepted");
      await openInbox(page, requestId);
    },
    async after(_, fixture) {
      fixture.office.behave.clear();
    },
  },
  approved("answer flagged", async (fixture, { requestId }) => {
    fixture.office.behave.set("deploy", "ignore");
    await fixture.answer("Ben", requestId, { ...CONFIRM, holdMs: 0 });
    const flagged = async () =>
      (await apiOf(fixture.as("Ola")).get<{ delivery: { flagged: boolean } }>(`/input-requests/${requestId}`))
        .delivery.flagged;
    await expect.poll(flagged, { timeout: 60_000 }).toBe(true);
  }),
  // The engine makes such of servers that break off, or forget what they asked.
  ...WAYS.map(
    ({ name, state, ...way }): Shot => ({
      name,
      person: "Ben",
      appearances: [LIGHT, DARK, ON_PHONE],
      async open(page, fixture) {
        const { requestId } = await fixture.ask("deploy", { build: "4821" });
        const server = await fixture.testRows.serverNamed("Finance ERP");
        const taskId = await fixture.testRows.insertTask(server, { state });
        const reason = "not_asked_again";
        await openInbox(page, await fixture.testRows.insertUndeliverable(requestId, taskId, reason, way));
      },
    }),
  ),
  approved("task moved on", async (fixture, { requestId }) => {
    await fixture.answer("Ben", requestId, { ...CONFIRM, holdMs: 0 });
    await fixture.became(requestId, "settled");
  }),
  {
    name: "asked again",
    person: "Ben",
    async open(page, fixture) {
      const { taskId, requestId } = await fixture.ask("deploy", { build: "4816" });
      fixture.office.behave.set("deploy", "ask_again");
      await fixture.answer("Cleo", requestId, { ...CONFIRM, holdMs: 0 });
      await fixture.became(requestId, "settled");
      fixture.office.behave.clear();
      await openInbox(page, await fixture.openIn(taskId));
    },
  },
  approved("withdrawn", async (fixture, { taskId, requestId }) => {
    await apiOf(fixture.as("Ola")).write("POST", `/tasks/${taskId}/cancel`);
    await fixture.became(requestId, "withdrawn");
  }),
  approved("task lost with an answer on its way", async (fixture, { requestId }) => {
    fixture.office.behave.set("deploy", "stall");
    await fixture.answer("Ben", requestId, { ...CONFIRM, holdMs: 0 });
    await fixture.delivered(requestId, "sending");
    fixture.office.forget("deploy");
    await fixture.became(requestId, "withdrawn");
  }),
  {
    name: "expired",
    person: "Ben",
    async open(page, fixture) {
      fixture.office.liveFor(5_000);
      const { taskId, requestId } = await fixture.ask("deploy", { build: "4820" });
      fixture.office.liveFor(null);
      await fixture.expire(taskId);
      await fixture.became(requestId, "expired");
      await openInbox(page, requestId);
    },
  },
  {
    name: "receipt to print",
    person: "Ben",
    async open(page, fixture) {
      const { requestId } = await fixture.invoice();
      await fixture.answer("Ben", requestId, {
        action: "accept",
        content: { value: "approve" },
        holdMs: 0,
        comment: "As agreed with ACME",
      });
      await fixture.became(requestId, "settled");
      await page.goto(`/receipts/${requestId}`);
      await expect(page.getByRole("article")).toContainText("Approved by Ben");
    },
  },
  {
    name: "recording",
    person: "Ben",
    brief: true,
    async open(page, fixture) {
      await fixture.ask("approve_payment");
      const { requestId } = await fixture.ask("approve_payment");
      await openInbox(page, requestId);
      await page.route(`**/api/v1/input-requests/${requestId}/answer`, () => new Promise(() => {}));
      await requestPane(page).getByRole("button", { name: "Reject" }).click();
      await expect(page.getByText(/^Recording your decision/).first()).toBeVisible();
    },
  },
  {
    name: "conflict",
    person: "Ben",
    brief: true,
    async open(page, fixture) {
      const { requestId } = await fixture.ask("approve_payment");
      await openInbox(page, requestId);
      // What Cleo does reaches the server first, and this screen last.
      await page.route("**/api/v1/stream", (route) => route.abort());
      await page.route(`**/api/v1/input-requests/${requestId}/answer`, async (route) => {
        await fixture.answer("Cleo", requestId, {
          action: "accept",
          content: { decision: "approve" },
          holdMs: 0,
        });
        await route.continue();
      });
      await requestPane(page).getByRole("button", { name: "Reject" }).click();
      await expect(page.getByText(/Cleo/).first()).toBeVisible();
      await expect(page.getByText(/Your answer was not sent|not recorded/i).first()).toBeVisible();
    },
  },
];

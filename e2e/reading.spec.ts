/** What a person reads is what is decided: every value is drawn within its frame, and nothing is accepted before it can be read. */
import type { Locator, Page } from "@playwright/test";
import { checkAppearance } from "./fixtures/appearance.ts";
import { ask } from "./fixtures/questions.ts";
import { expect, newInvoiceId, openPhoneAs, readRequest, requestPane, SOON, test } from "./fixtures/test.ts";

const pane = requestPane;
const approve = (page: Page) => pane(page).getByRole("button", { name: "Approve" });
const IMAGE = {
  type: "image",
  mimeType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};

function nested(levels: number, value: unknown, more: object = {}): unknown {
  return levels === 0 ? value : { step: nested(levels - 1, value, more), ...more };
}

async function expectInFrame(frame: Locator, text: Locator): Promise<void> {
  await expect(text).toBeVisible();
  expect(await frame.evaluate(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth)).toBeLessThan(2);
}

test("a value in deep JSON is drawn within its frame, also on a phone", async ({ ana, browser }) => {
  const page = await openPhoneAs(browser, "Ben");
  const asked = await ask(ana, "approve_payment", {
    plan: { alone: nested(40, "Pay Mallory 1"), beside: nested(40, "Pay Mallory 2", { and: 1 }) },
  });
  await page.goto(`/inbox/${asked.requestId}`);
  const json = pane(page).getByRole("region", { name: /^JSON: / });
  await expectInFrame(json.first(), json.getByText("Pay Mallory 1").first());
  await expectInFrame(json.last(), json.getByText("Pay Mallory 2").last());
  await checkAppearance(page, "deep JSON on a phone");
  await page.context().close();
});

test("an image that a call sends is opened before the call is approved", async ({ ana, ben }) => {
  const asked = await ask(ana, "approve_payment", { stamp: IMAGE });
  await ben.goto(`/inbox/${asked.requestId}`);
  await expect(approve(ben)).toBeVisible();
  await approve(ben).click();
  // The press has opened it, and decided nothing. What it says goes once the image is there.
  await expect(pane(ben).getByRole("img", { name: /^Document / })).toBeVisible(SOON);
  expect((await readRequest(ana, asked.requestId)).state).toBe("open");
  await expect(pane(ben).locator("#decide[data-armed]")).toBeVisible();
  await approve(ben).click();
  await expect
    .poll(asked.receivedAnswer, SOON)
    .toEqual({ action: "accept", content: { decision: "approve" } });
});

test("several calls are accepted below all that they send, with what differs beside each", async ({
  ana,
  ben,
}) => {
  const batch = newInvoiceId();
  const roles = ["viewer", "viewer", "viewer", "viewer", "viewer", "admin"];
  const note = `until further notice ${"and so on ".repeat(80)}`;
  const requests: string[] = [];
  for (const [at, role] of roles.entries()) {
    const args = {
      invoice_id: `${batch}-${at}`,
      grants: { role, team: "finance" },
      ...(at === 5 && { note }),
    };
    requests.push((await ask(ana, "approve_payment", args)).requestId);
  }
  await ben.goto(`/inbox?tab=all&q=${batch}`);
  const rows = ben.getByRole("region", { name: "Requests", exact: true }).locator('a[href*="/inbox/"]');
  await expect(rows).toHaveCount(roles.length);
  for (const row of [rows.first(), rows.last()]) await row.click({ modifiers: ["Shift"] });
  const bar = ben.getByRole("region", { name: "Selected requests" });
  await expect(bar.getByRole("button", { name: "Approve…" })).toBeVisible();
  await ben.keyboard.press("a");
  const dialog = ben.getByRole("dialog");
  const list = dialog.getByRole("list", { name: "Selected requests" });
  await expect(list.getByText("grants.role")).toHaveCount(roles.length);
  await expect(list.getByText("admin", { exact: true })).toHaveCount(1);
  await expect(list.getByText("grants.team")).toHaveCount(0);
  await expect(dialog.getByRole("region", { name: "The same in each" })).toContainText("finance");
  const send = dialog.getByRole("button", { name: "Approve 6 requests" });
  await expect(send).not.toBeInViewport();
  // The keyboard scrolls the dialog as a wheel does.
  await ben.keyboard.press("End");
  await expect(send).toBeInViewport();
  await checkAppearance(ben, "several calls with what differs");
  await send.click();
  // The press has opened the long text, and decided nothing.
  await expect(list.getByRole("button", { name: "Show less" })).toBeInViewport();
  for (const id of requests) expect((await readRequest(ana, id)).state).toBe("open");
  await ben.keyboard.press("Escape");
});

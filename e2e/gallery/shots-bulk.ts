/** Many requests answered at once, and the end of a day's work. */
import type { Page } from "@playwright/test";
import { apiOf, expect, requestPane } from "../fixtures/test.ts";
import type { GalleryFixture } from "./fixture.ts";
import { DARK, LIGHT, ON_PHONE, type Shot } from "./shot.ts";

let rounds = 0;

/** Three payments of a round of their own, so that no look finds those of another answered. */
async function selectThree(page: Page, fixture: GalleryFixture): Promise<void> {
  const round = `INV-9${String(rounds++).padStart(2, "0")}`;
  for (const letter of ["A", "B", "C"])
    await fixture.ask("approve_payment", { invoice_id: `${round}${letter}` });
  await page.goto(`/inbox?tab=all&q=${round}`);
  const rows = page
    .getByRole("region", { name: "Requests", exact: true })
    .getByRole("listitem")
    .filter({ has: page.locator("a") });
  await expect(rows).toHaveCount(3);
  await page.getByRole("button", { name: "Select requests" }).click();
  const wide = (page.viewportSize()?.width ?? 0) >= 768;
  for (const at of [0, 1, 2])
    await rows
      .nth(at)
      .locator("a")
      .click(wide ? { modifiers: ["Shift"] } : {});
  await expect(page.getByText(/3 selected/).first()).toBeVisible();
}

async function approveThree(page: Page, fixture: GalleryFixture): Promise<void> {
  await selectThree(page, fixture);
  await page.getByRole("button", { name: "Approve…" }).click();
  await expect(page.getByRole("dialog").getByText("3,000.00")).toBeVisible();
}

export const BULK: Shot[] = [
  { name: "bulk selected by taps", person: "Ben", appearances: [ON_PHONE], open: selectThree },
  { name: "bulk dialog", person: "Ben", brief: true, open: approveThree },
  {
    name: "bulk results",
    person: "Ben",
    brief: true,
    async open(page, fixture) {
      await approveThree(page, fixture);
      await page.getByRole("dialog").getByRole("button", { name: "Approve 3 requests" }).click();
      await expect(page.getByRole("dialog").getByText(/3 recorded/)).toBeVisible();
    },
  },
  {
    name: "save view",
    person: "Ben",
    async open(page) {
      await page.goto("/inbox?tab=all&amountMin=500");
      await page
        .getByRole("button", { name: /views?/i })
        .first()
        .click();
      await page.getByRole("menuitem", { name: "Save this view…" }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },
  {
    name: "declined",
    person: "Ben",
    async open(page, fixture) {
      const { requestId } = await fixture.ask("approve_payment", { invoice_id: "INV-950" });
      await fixture.answer("Cleo", requestId, {
        action: "decline",
        comment: "Wrong amount: the order says 900.",
        holdMs: 0,
      });
      await fixture.became(requestId, "settled");
      await page.goto(`/inbox/${requestId}`);
      await expect(
        requestPane(page)
          .getByText(/Declined by Cleo/)
          .first(),
      ).toBeVisible();
    },
  },
  {
    name: "nothing left in this list",
    person: "Ben",
    brief: true,
    appearances: [LIGHT, DARK],
    async open(page, fixture) {
      const { requestId } = await fixture.ask("approve_payment", { invoice_id: `INV-96${rounds++}` });
      await page.goto(`/inbox/${requestId}?tab=all&q=INV-96${rounds - 1}`);
      await requestPane(page).getByRole("button", { name: "Approve" }).click();
      await expect(page.getByRole("heading", { name: "Nothing left in this list" })).toBeVisible();
    },
  },
  {
    name: "signed out elsewhere",
    person: "Gus",
    async open(page) {
      await page.goto("/inbox");
      await expect(page.getByText("You’re all caught up").first()).toBeVisible();
      await page.route("**/api/v1/**", (route) =>
        route.fulfill({ status: 401, json: { code: "unauthenticated" } }),
      );
      await page.evaluate(() => void fetch("/api/v1/me"));
      await page.getByRole("link", { name: "Unassigned" }).click();
      await expect(page.getByText("You were signed out.").first()).toBeVisible();
    },
  },
  {
    name: "new here",
    person: "Gus",
    async open(page) {
      await page.goto("/tasks");
      await expect(
        page
          .getByRole("main")
          .getByText(/No task|Nothing/)
          .first(),
      ).toBeVisible();
    },
  },
  {
    name: "a choice of the decision menu",
    person: "Ben",
    appearances: [ON_PHONE],
    async open(page, fixture) {
      const { requestId } = await fixture.ask("approve_payment", { invoice_id: "INV-951" });
      await page.goto(`/inbox/${requestId}`);
      await page.getByRole("button", { name: "More", exact: true }).last().click();
      await expect(page.getByRole("menu")).toBeVisible();
      expect(await apiOf(page).get(`/input-requests/${requestId}`)).toMatchObject({ state: "open" });
    },
  },
];

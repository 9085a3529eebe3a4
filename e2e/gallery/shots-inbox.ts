/** The list of the inbox: empty, filled, searched, filtered, selected from, and when it can't be loaded. */
import type { Page, Route } from "@playwright/test";
import { apiOf, expect } from "../fixtures/test.ts";
import type { GalleryFixture } from "./fixture.ts";
import { DARK, LIGHT, ON_PHONE, ON_PHONE_DARK, type Shot } from "./shot.ts";

const ALL_APPEARANCES = [LIGHT, DARK, ON_PHONE, ON_PHONE_DARK];
const LIST = "**/api/v1/input-requests?*";

const rows = (page: Page) => page.getByRole("region", { name: "Requests" }).locator('a[href*="/inbox/"]');

async function openList(page: Page, query = ""): Promise<void> {
  await page.goto(`/inbox${query}`);
  await expect(rows(page).first()).toBeVisible();
}

/** Opens a second list, whose reply is `answer`: the first one comes with the page. */
async function openNextList(page: Page, answer: (route: Route) => Promise<void>): Promise<void> {
  await page.goto("/inbox?tab=all");
  await page.route(LIST, answer);
  const tabs = page.getByRole("navigation", { name: "Which requests" });
  await tabs.getByRole("link", { name: /^Unassigned/ }).click();
}

const full = (name: string, query: string, more: Partial<Shot> = {}): Shot => ({
  name,
  person: "Ben",
  async open(page, fixture) {
    await fillInbox(fixture);
    await openList(page, query);
  },
  ...more,
});

export const EMPTY_INBOX: Shot[] = [
  {
    name: "inbox empty",
    person: "Gus",
    appearances: ALL_APPEARANCES,
    async open(page) {
      await page.goto("/inbox");
      await expect(page.getByText("You’re all caught up").first()).toBeVisible();
    },
  },
  {
    name: "inbox few",
    person: "Ben",
    async open(page, fixture) {
      await fixture.invoice("acme");
      await fixture.ask("deploy");
      await openList(page);
    },
  },
];

export const FULL_INBOX: Shot[] = [
  full("inbox many", "?tab=all", { appearances: ALL_APPEARANCES }),
  full("inbox mine", "?tab=mine"),
  full("inbox unassigned", "?tab=unassigned"),
  full("inbox done", "?tab=done"),
  full("inbox largest first", "?order=amount"),
  full("inbox filtered", "?tab=all&tool=deploy"),
  {
    name: "inbox no hits",
    person: "Ben",
    async open(page) {
      await page.goto("/inbox?q=nothing-like-this");
      await expect(page.getByText(/Nothing matches/).first()).toBeVisible();
    },
  },
  {
    name: "inbox no hits of filters",
    person: "Ben",
    async open(page) {
      await page.goto("/inbox?tab=all&amountMin=999999999");
      await expect(page.getByText(/Nothing matches/).first()).toBeVisible();
    },
  },
  {
    name: "inbox loading",
    person: "Ben",
    appearances: ALL_APPEARANCES,
    async open(page) {
      await openNextList(page, () => new Promise(() => undefined));
      await expect(page.locator(".skeleton").first()).toBeVisible();
    },
  },
  {
    name: "request loading",
    person: "Ben",
    async open(page, fixture) {
      const { requestId } = await fixture.ask("deploy");
      await page.route(`**/api/v1/input-requests/${requestId}`, () => new Promise(() => undefined));
      // The page of a request has it already.
      await page.goto("/inbox?tab=all");
      await page.locator(`a[href*="${requestId}"]`).click();
      await expect(page.locator(".skeleton").first()).toBeVisible();
    },
  },
  {
    name: "inbox error",
    person: "Ben",
    async open(page) {
      await openNextList(page, (route) =>
        route.fulfill({ status: 500, json: { code: "internal", requestId: "r-42" } }),
      );
      await expect(page.getByRole("button", { name: /Try again|Retry/ }).first()).toBeVisible({
        timeout: 30_000,
      });
    },
  },
  full("inbox filters open", "?tab=all", {
    async open(page) {
      await openList(page, "?tab=all");
      await page.getByRole("button", { name: /^Filter/ }).click();
      await expect(page.getByRole("dialog").first()).toBeVisible();
    },
    brief: true,
  }),
  full("inbox views", "?tab=all", {
    async open(page) {
      const write = apiOf(page).write;
      await write("POST", "/views", {
        page: "inbox",
        name: "Over 1,000",
        query: { tab: "all", amountMin: "1000" },
        shared: false,
      });
      await openList(page, "?tab=all");
      await page
        .getByRole("button", { name: /views?/i })
        .first()
        .click();
      await expect(page.getByText("Over 1,000").first()).toBeVisible();
    },
  }),
  full("inbox selected", "?tab=all&tool=approve_payment", {
    async open(page) {
      await openList(page, "?tab=all&tool=approve_payment");
      await page.keyboard.press("x");
      await page.keyboard.press("j");
      await page.keyboard.press("x");
      await expect(page.getByText(/2 selected/).first()).toBeVisible();
    },
  }),
  full("inbox selected unlike", "?tab=all", {
    async open(page) {
      await openList(page, "?tab=all&order=newest");
      for (const key of ["x", "j", "x", "j", "x", "j", "x"]) await page.keyboard.press(key);
      await expect(page.getByText(/selected/).first()).toBeVisible();
    },
  }),
];

const filled = new WeakSet<GalleryFixture>();

/** A working day's worth of requests, once: some claimed, some assigned, one with little time. */
async function fillInbox(fixture: GalleryFixture): Promise<void> {
  if (filled.has(fixture)) return;
  filled.add(fixture);
  const { ask, office } = fixture;
  const vendors = ["Northwind Traders", "Contoso Ltd", "Fabrikam AG", "Adventure Works"];
  for (const [n, vendor] of vendors.entries()) {
    await fixture.invoice(n % 2 ? "large" : "acme");
    await ask("approve_payment", { invoice_id: `INV-${311 + n}`, vendor });
    await ask("grant_access", { person: ["Kim Lee", "Noor Aziz", "Jo Park", "Max Roth"][n] });
  }
  office.liveFor(40 * 60_000);
  await ask("deploy", { build: "4813", environment: "staging" });
  office.liveFor(null);

  const claimed = await ask("delete_file", { filename: "exports-2021.zip" });
  await apiOf(fixture.as("Cleo")).write("POST", `/input-requests/${claimed.requestId}/claim`);
  const mine = await ask("schedule");
  await apiOf(fixture.as("Ben")).write("POST", `/input-requests/${mine.requestId}/claim`);
  await fixture.assign((await ask("onboard_vendor")).requestId, "Ben");
}

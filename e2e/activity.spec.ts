/** The history on screen: found, filtered, verified and exported, by mouse and by keyboard, by admins alone. */
import { readFile } from "node:fs/promises";
import { checkAppearance, PHONE } from "./fixtures/appearance.ts";
import { apiOf, expect, keysListen, openRequest, SOON, startInvoice, test } from "./fixtures/test.ts";

const LIST = /\/api\/v1\/events($|\?)/;

test("an admin finds who decided what, verifies the history and takes it along", { tag: "@journey" }, async ({
  ana,
  ola,
  ben,
}) => {
  const { id, taskId } = await startInvoice(ola);
  const requestId = await openRequest(ola, taskId, id);
  const claim = await apiOf(ben).write("POST", `/input-requests/${requestId}/claim`, {});
  expect(claim.status()).toBe(200);

  await ana.goto("/tasks");
  await keysListen(ana);
  await ana.keyboard.press("g");
  await ana.keyboard.press("a");
  await expect(ana).toHaveURL(/\/activity$/);
  const rows = ana.getByRole("listitem");
  const claimed = rows.filter({ hasText: "Ben claimed the request" }).first();
  await expect(claimed).toBeVisible(SOON);
  await expect(claimed.getByRole("link", { name: id, exact: true })).toHaveAttribute(
    "href",
    `/tasks/${taskId}`,
  );
  await expect(ana.getByRole("heading", { name: "Today" })).toBeVisible();
  await checkAppearance(ana, "the activity");

  await ana.keyboard.press("/");
  await expect(ana.getByRole("searchbox", { name: "Search the activity" })).toBeFocused();
  await ana.keyboard.type(id);
  await expect(ana).toHaveURL(new RegExp(`q=${id}`));
  await expect(rows.filter({ hasText: "signed in" })).toHaveCount(0);
  await expect(claimed).toBeVisible();
  await checkAppearance(ana, "a search of the activity");
  await ana.getByRole("button", { name: "Clear" }).click();
  await expect(ana).toHaveURL(/\/activity$/);
  await ana.getByRole("combobox", { name: "What" }).selectOption("Questions");
  await expect(ana).toHaveURL(/type=request/);
  await expect(rows.filter({ hasText: "started it" })).toHaveCount(0);
  await claimed.getByRole("button", { name: "Ben" }).click();
  await expect(ana.getByRole("combobox", { name: "Who" })).toHaveValue(/.+/);
  await expect(rows.filter({ hasText: "Server asked" })).toHaveCount(0);
  await checkAppearance(ana, "the activity of one person");
  await ana.getByLabel("From").fill("2035-01-01");
  await expect(ana.getByText("No events match")).toBeVisible();
  await checkAppearance(ana, "no activity");
  await ana.getByRole("button", { name: "Show everything" }).click();
  await expect(ana).toHaveURL(/\/activity$/);

  await ana.getByRole("button", { name: "Verify" }).press("Enter");
  const result = ana.getByRole("alert").filter({ hasText: "none altered" });
  await expect(result).toContainText(/^[\d,]+ entries checked, none altered/);
  await checkAppearance(ana, "the activity, verified");
  const started = ana.waitForEvent("download");
  await ana.getByRole("button", { name: "Export" }).press("Enter");
  const path = await (await started).path();
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  // Tasks of other tests may go on meanwhile.
  const exported = lines.map((line) => JSON.parse(line)).findLast(({ type }) => type === "events.exported");
  expect(exported).toMatchObject({ actor: { name: "Ana" } });

  await claimed.getByRole("link", { name: /^Request of line/ }).click();
  await expect(ana).toHaveURL(new RegExp(`/inbox/${requestId}`));
  // Ben's inbox is as others expect it.
  await apiOf(ben).write("POST", `/input-requests/${requestId}/release`, {});
});

test("what cannot be read is said, and so is a history that was altered", async ({ ana }) => {
  await ana.route(LIST, (route) =>
    route.fulfill({ status: 500, json: { title: "Something went wrong", requestId: "r-1" } }),
  );
  await ana.route("**/api/v1/events/verify", (route) =>
    route.fulfill({ json: { ok: false, lines: 41, head: null, brokenAt: 42, fault: "altered" } }),
  );
  await ana.goto("/activity");
  await expect(ana.getByText("The history could not be loaded")).toBeVisible(SOON);
  await ana.getByRole("button", { name: "Verify" }).click();
  await expect(ana.getByRole("alert").filter({ hasText: "was altered at entry 42" })).toBeVisible();
  await checkAppearance(ana, "the activity, broken");
  await ana.unroute(LIST);
  await ana.getByRole("button", { name: "Try again" }).click();
  await expect(ana.getByRole("listitem").first()).toBeVisible();
});

test("those who are no admins are told so, and find no way there", async ({ ben }) => {
  await ben.goto("/activity");
  await expect(ben.getByText("Only admins read the history of the organization.")).toBeVisible();
  await checkAppearance(ben, "the activity for others");
  await ben.keyboard.press("ControlOrMeta+k");
  const search = ben.getByRole("combobox", { name: "Search and commands" });
  await expect(search).toBeFocused();
  await ben.keyboard.type("activity");
  // The pages that match are listed together with it.
  await expect(search).toHaveValue("activity");
  await expect(ben.getByRole("option").filter({ hasText: /^Activity/ })).toHaveCount(0);
});

test("a phone has it in the menu of the person", async ({ ana }) => {
  await ana.setViewportSize(PHONE);
  await ana.goto("/tasks");
  await ana.getByRole("button", { name: "Ana: account and appearance" }).click();
  await ana.getByRole("menuitem", { name: "Activity" }).click();
  await expect(ana).toHaveURL(/\/activity$/);
  await expect(ana.getByRole("listitem").first()).toBeVisible();
});

test("a search that finds nothing in the newest lines goes on with older ones", async ({ ana }) => {
  await ana.route(LIST, (route) => {
    const isOlder = new URL(route.request().url()).searchParams.has("cursor");
    return isOlder
      ? route.continue()
      : route.fulfill({ json: { items: [], nextCursor: "WyI5OTk5OTk5OTkiXQ" } });
  });
  await ana.goto("/activity?q=ana");
  await expect(ana.getByText("Not found in the newest lines")).toBeVisible(SOON);
  await checkAppearance(ana, "nothing found so far");
  await ana.getByRole("button", { name: "Search older lines" }).click();
  await expect(ana.getByRole("listitem").first()).toBeVisible();
});

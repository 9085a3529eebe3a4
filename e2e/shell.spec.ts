/** What surrounds every page: the palette, the keys, the first visit, the settings, and pages that are not there. */
import type { Locator } from "@playwright/test";
import { checkAppearance, ON_A_PHONE, PHONE } from "./fixtures/appearance.ts";
import {
  apiOf,
  askAbout,
  expect,
  keysListen,
  newInvoiceId,
  openPageAs,
  openRequest,
  requestPane,
  SOON,
  setTimings,
  signIn,
  startInvoice,
  test,
} from "./fixtures/test.ts";

test("the palette finds requests, tasks, pages and commands, and gives the focus back", async ({ ola }) => {
  const id = newInvoiceId();
  const { taskId } = await startInvoice(ola, { id });
  const requestId = await openRequest(ola, taskId, id);
  const keys = ola.keyboard;
  const input = ola.getByRole("combobox", { name: "Search and commands" });

  // Before the search has the focus, letters are shortcuts of the page.
  const open = async () => {
    await keys.press("ControlOrMeta+k");
    await expect(input).toBeFocused();
  };

  await ola.goto("/tasks");
  await keysListen(ola);
  const search = ola.getByRole("searchbox", { name: "Search tasks" });
  await search.focus();
  await open();
  await checkAppearance(ola, "the palette");
  await keys.press("Escape");
  await expect(input).toHaveCount(0);
  await expect(search).toBeFocused();

  await open();
  await keys.type(id);
  const options = ola.getByRole("option").filter({ hasText: id });
  await expect(options).toHaveCount(2);
  await expect(ola.getByRole("option", { selected: true })).toContainText(id);
  await checkAppearance(ola, "what the palette found");
  await keys.press("Enter");
  await expect(ola).toHaveURL(new RegExp(`/inbox/${requestId}`));

  await open();
  await expect(ola.getByRole("group", { name: "Recent" }).getByRole("option")).toHaveCount(1);
  await keys.type("settings key");
  await expect(ola.getByRole("option", { selected: true })).toContainText("Settings: Keyboard");
  await keys.press("Enter");
  await expect(ola).toHaveURL(/settings\/keyboard/);

  await open();
  await keys.type("setings keybord");
  await expect(ola.getByRole("option", { selected: true })).toContainText("Settings: Keyboard");
  await keys.press("Escape");

  await open();
  await keys.type("no such thing");
  await expect(ola.getByText("Nothing matches “no such thing”.")).toBeVisible();
  await keys.press("ControlOrMeta+k");
  await expect(input).toHaveCount(0);

  await open();
  await keys.type("dark theme");
  await expect(ola.getByRole("option", { selected: true })).toContainText(/dark/i);
  await keys.press("Enter");
  await expect(ola.locator("html")).toHaveClass(/\bdark\b/);
});

test("single keys can be switched off, and say so", async ({ ola, ben }) => {
  await askAbout(ola, ben);
  const keys = ben.keyboard;
  await keys.press("?");
  const sheet = ben.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(sheet).toBeFocused();
  await checkAppearance(ben, "the sheet");
  const saved = ben.waitForResponse("**/me/preferences");
  await sheet.getByRole("switch", { name: "Single-key shortcuts" }).press(" ");
  await expect(sheet.getByRole("switch", { name: "Single-key shortcuts" })).not.toBeChecked();
  expect((await saved).status()).toBe(200);
  await expect(sheet.getByText("(switched off)").first()).toBeAttached();
  await checkAppearance(ben, "the sheet with single keys off");
  await keys.press("Escape");
  await expect(sheet).toHaveCount(0);

  await ben.reload();
  await expect(requestPane(ben).getByRole("button", { name: "Approve" })).toBeVisible();
  for (const key of ["?", "d", "c", "/"]) await keys.press(key);
  await expect(ben.getByRole("dialog")).toHaveCount(0);
  await expect(ben.getByRole("searchbox", { name: "Search requests" })).not.toBeFocused();
  await expect(ben.locator("kbd").filter({ hasText: /^.$/ })).toHaveCount(0);
  await keys.press("ControlOrMeta+k");
  await expect(ben.getByRole("combobox", { name: "Search and commands" })).toBeFocused();
  await keys.press("Escape");

  await ben.goto("/settings/keyboard");
  await checkAppearance(ben, "keyboard settings");
  await ben.getByRole("switch", { name: "Single-key shortcuts" }).check();
  await expect.poll(() => apiOf(ben).get("/me/preferences")).toMatchObject({ singleKeys: true });
});

test("G waits visibly for a place, takes the next key for itself, and the focus follows", async ({
  ola,
  ben,
}) => {
  await askAbout(ola, ben);
  await ben.keyboard.press("g");
  await expect(ben.getByText("Go to")).toBeVisible();
  await ben.keyboard.press("d");
  await expect(ben.getByText("Go to")).toHaveCount(0);
  await expect(ben.getByRole("dialog")).toHaveCount(0);
  // The wait ends by itself: the key after it leads nowhere.
  await setTimings(ben, { go: 1 });
  await ben.keyboard.press("g");
  await expect(ben.getByText("Go to")).toHaveCount(0);
  await ben.keyboard.press("t");
  await expect(ben).toHaveURL(/\/inbox/);
  await setTimings(ben, { go: 20_000 });
  await ben.keyboard.press("g");
  await ben.keyboard.press("t");
  await expect(ben.getByRole("heading", { level: 1, name: "Tasks" })).toBeFocused();
  await ben.getByRole("link", { name: "Servers", exact: true }).first().press("Enter");
  await expect(ben.getByRole("heading", { level: 1, name: /Servers/ })).toBeFocused();
});

test("the first visit's cards come once, and are in nobody's way", async ({ browser }) => {
  const page = await openPageAs(browser, "Gus");
  await apiOf(page).write("PATCH", "/me/preferences", { tourSeen: false });
  await page.goto("/inbox");
  const card = page.getByRole("region", { name: "First visit" });
  await expect(card).toContainText("Your inbox");
  await checkAppearance(page, "the first visit");
  await card.getByRole("button", { name: "Next" }).click();
  await expect(card).toContainText("After a decision you have 5 seconds to undo it.");
  // It covers nothing: the list begins below it.
  const [strip, list] = await Promise.all(
    [card, page.getByRole("region", { name: "Requests" })].map((each) => each.boundingBox()),
  );
  expect(list?.y).toBeGreaterThanOrEqual((strip?.y ?? 0) + (strip?.height ?? 0));
  const saved = page.waitForResponse("**/me/preferences");
  await page.keyboard.press("Escape");
  await expect(card).toHaveCount(0);
  expect((await saved).status()).toBe(200);
  await page.reload();
  await expect(page.getByRole("region", { name: "Requests" })).toBeVisible();
  await expect(card).toHaveCount(0);
  await page.context().close();
});

test("the sidebar has notifications with their count, and for admins agents and the activity", async ({
  ana,
  ben,
}) => {
  const navigation = (page: typeof ana) => page.getByRole("navigation", { name: "Main" }).first();
  const links = (page: typeof ana) => navigation(page).getByRole("listitem").getByRole("link");
  await ben.goto("/tasks");
  await expect(links(ben)).toHaveText([/Inbox/, "Tasks", "Servers", "Overview", /Notifications/]);
  await ana.goto("/servers/agents");
  await expect(links(ana)).toHaveText([
    /Inbox/,
    "Tasks",
    "Servers",
    "Agents",
    "Overview",
    /Notifications/,
    "Activity",
  ]);
  await expect(navigation(ana).locator("[aria-current=page]")).toHaveText("Agents");
  const { unread } = await apiOf(ben).get<{ unread: number }>("/notices/counts");
  await ben.goto("/notices");
  await expect(navigation(ben).getByRole("link", { name: /^Notifications/ })).toHaveText(
    unread > 0 ? `Notifications${unread} unread` : "Notifications",
  );
  // An organization alone is where one is, and no button.
  await expect(navigation(ben).getByText("Acme")).toBeVisible();
  await expect(navigation(ben).getByRole("button", { name: /switch organization/ })).toHaveCount(0);
});

test("settings show what one may change", async ({ ana, ben }) => {
  await ben.goto("/settings");
  await expect(ben.getByRole("radio", { name: "Dark" })).toBeVisible();
  await expect(ben.getByRole("navigation", { name: "Settings" }).getByRole("link")).toHaveText(
    ["Appearance", "Keyboard", "Security", "Channels", "Approvals for a while", "Away", "Organization"],
    { useInnerText: true },
  );
  await checkAppearance(ben, "appearance");
  // On a phone the list is a page of its own, and each section names itself and the way back.
  await ben.goto("/settings");
  await checkAppearance(ben, "settings", ON_A_PHONE);
  await ben.setViewportSize(PHONE);
  await ben.getByRole("link", { name: "Keyboard Single-key shortcuts" }).click();
  await expect(ben.getByRole("heading", { level: 1, name: "Keyboard" })).toBeVisible();
  await expect(ben.getByRole("navigation", { name: "Settings" })).toBeHidden();
  await ben.getByRole("main").getByRole("link", { name: "Settings" }).click();
  await expect(ben.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
  await ben.goto("/settings/keyboard");
  await checkAppearance(ben, "a section of the settings", ON_A_PHONE);
  await ben.goto("/settings/appearance");
  await ben.getByRole("radio", { name: "Dark" }).press(" ");
  await expect(ben.locator("html")).toHaveClass(/\bdark\b/);
  await ana.goto("/settings");
  const settings = ana.getByRole("navigation", { name: "Settings" });
  await expect(settings).toContainText("Answers");
  await expect(settings.getByRole("heading")).toHaveText([
    "You",
    "Approvals",
    "People and sign-in",
    "Integrations",
    "Data",
  ]);
  // Settings of providers show once one is required.
  await ana.goto("/settings/sign-in");
  await expect(ana.getByLabel("Require two-step sign-in from")).toBeVisible();
  await expect(ana.getByLabel("Ask the provider again after")).toHaveCount(0);
});

test("on a phone Me leads everybody to their account, the settings and the way out", async ({
  browser,
  ben,
}) => {
  await ben.setViewportSize(PHONE);
  await ben.goto("/inbox");
  await expect(
    ben.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /Notifications$/ }),
  ).toBeVisible();
  await ben.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Me" }).click();
  await expect(ben.getByRole("region", { name: "Account" })).toContainText(/Ben.*@.*Approver of Acme/s);

  const context = await browser.newContext({ baseURL: process.env.E2E_URL ?? "" });
  const page = await context.newPage();
  // In a session of its own, which ends here.
  await signIn(page, "Ola");
  await page.setViewportSize(PHONE);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Me" }).click();
  const account = page.getByRole("region", { name: "Account" });
  await expect(account).toContainText(/Ola.*@.*Operator of Acme/s);
  await expect(page.getByRole("navigation", { name: "Settings" })).toBeVisible();
  const more = page.getByRole("list", { name: "More" });
  await expect(more.getByRole("link")).toHaveText(/^Notifications/);
  await more.getByRole("link").click();
  await expect(page).toHaveURL(/\/notices$/);
  await page.goBack();
  await keysListen(page);
  await account.getByRole("button", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  await context.close();
});

test("what is not there, or fails, is said inside the shell, with a way on", async ({ browser, ola }) => {
  const missing = await ola.goto("/no/such/page");
  expect(missing?.status()).toBe(404);
  await expect(ola.getByText("There is nothing here")).toBeVisible();
  await expect(ola.getByRole("navigation", { name: "Main" }).first()).toBeVisible();
  await checkAppearance(ola, "nothing here");
  for (const place of ["tasks", "servers"]) {
    await ola.goto(`/${place}/00000000-0000-7000-8000-000000000000`);
    const heading = ola.getByRole("heading", { level: 1, name: / not found$/ });
    await expect(heading).toBeVisible();
    // The heading stays while the page asks for the missing row again.
    const again = Promise.withResolvers<void>();
    const mayAnswer = Promise.withResolvers<void>();
    await ola.route(`**/api/v1/${place}/0000*`, async (route) => {
      again.resolve();
      await mayAnswer.promise;
      await route.continue();
    });
    await ola.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
    await again.promise;
    expect(await heading.isVisible()).toBe(true);
    mayAnswer.resolve();
  }

  const page = await openPageAs(browser, "Ola");
  await page.route("**/api/v1/servers?*", (route) =>
    route.fulfill({ json: { items: [null], nextCursor: null } }),
  );
  const logged = page.waitForRequest("**/api/v1/page-failures");
  await page.goto("/servers");
  await expect(page.getByText("This page could not be shown")).toBeVisible();
  const { id } = (await logged).postDataJSON() as { id: string };
  expect((await (await logged).response())?.status()).toBe(204);
  await expect(page.getByText(`Error ID: ${id}`)).toBeVisible();
  await expect(page.getByText("Nothing was lost")).toBeVisible();
  await checkAppearance(page, "a page that failed");
  await page.unroute("**/api/v1/servers?*");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("link", { name: "Finance ERP", exact: true })).toBeVisible();
  await page.context().close();
});

test("an error page that cannot be loaded either leaves a few words and the error's id", async ({
  browser,
}) => {
  const page = await openPageAs(browser, "Ola");
  await page.route("**/api/v1/servers?*", (route) =>
    route.fulfill({ json: { items: [null], nextCursor: null } }),
  );
  await page.route("**/_next/static/**/*.js", async (route) => {
    const response = await route.fetch();
    const isErrorView = (await response.text()).includes("Intray is unavailable for a moment");
    await (isErrorView ? route.abort() : route.fulfill({ response }));
  });
  const logged = page.waitForRequest("**/api/v1/page-failures");
  await page.goto("/servers");
  await expect(page.getByRole("heading", { name: "This page could not be shown" })).toBeVisible();
  const { id } = (await logged).postDataJSON() as { id: string };
  expect((await (await logged).response())?.status()).toBe(204);
  await expect(page.getByText(`Error ID: ${id}`)).toBeVisible();
  await page.unroute("**/api/v1/servers?*");
  await page.unroute("**/_next/static/**/*.js");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("link", { name: "Finance ERP", exact: true })).toBeVisible();
  await page.context().close();
});

test("on a phone what is pressed in dialogs and headers is as large as a thumb", async ({ ola, ben }) => {
  await askAbout(ola, ben);
  const asked = ben.url();
  await ben.keyboard.press("?");
  await expect(ben.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await ben.setViewportSize(PHONE);
  const sheet = ben.getByRole("dialog");
  await expectThumbSized(sheet.getByRole("button", { name: "Close" }));
  await expectThumbSized(sheet.getByRole("link", { name: "Keyboard settings" }));
  await expectThumbSized(sheet.locator("label").filter({ hasText: "Single-key shortcuts" }));
  for (const [says, isOn] of [
    ["Keys such as A and R act", false],
    ["Off: only Esc", true],
  ] as const) {
    // The second change is sent once the first is saved.
    const saved = ben.waitForResponse("**/me/preferences");
    await sheet.getByText(says).click();
    await expect(sheet.getByRole("switch", { name: "Single-key shortcuts" })).toBeChecked({ checked: isOn });
    await saved;
  }
  await ben.goto(asked);
  await expectThumbSized(requestPane(ben).getByRole("link", { name: "Finance ERP", exact: true }));
});

async function expectThumbSized(target: Locator): Promise<void> {
  await expect.poll(async () => (await target.boundingBox())?.height ?? 0).toBeGreaterThanOrEqual(44);
}

test("a dialog gives the focus back, also where a field in it takes it by itself", async ({ ola, ben }) => {
  await askAbout(ola, ben);
  const approve = requestPane(ben).getByRole("button", { name: "Approve" });
  // The button below, and the cross above.
  for (const nth of [0, 1]) {
    await approve.press("d");
    const dialog = ben.getByRole("dialog");
    await expect(dialog.getByRole("textbox")).toBeFocused();
    await dialog.getByRole("button", { name: "Close" }).nth(nth).click();
    await expect(approve).toBeFocused();
  }
  await approve.press("d");
  await expect(ben.getByRole("dialog").getByRole("textbox")).toBeFocused();
  await ben.keyboard.press("Escape");
  await expect(approve).toBeFocused();
});

test("on a phone Back leads to the list, also after the next request opened by itself", async ({
  ola,
  ben,
}) => {
  const { id, requestId } = await askAbout(ola, ben);
  await askAbout(ola, ben, { id: `${id}-B` });
  await ben.setViewportSize(PHONE);
  await ben.goto(`/inbox?tab=all&q=${id}`);
  await ben.locator(`a[href*="${requestId}"]`).click();
  await requestPane(ben).getByRole("button", { name: "Approve" }).click();
  await expect(requestPane(ben).getByRole("heading", { level: 2 })).toContainText(`${id}-B`);
  await ben.goBack();
  await expect(ben).toHaveURL(new RegExp(`/inbox\\?tab=all&q=${id}$`));
});

test("a toast that goes while its button has the focus gives it back", async ({ ola, ben }) => {
  await askAbout(ola, ben);
  // By then the focus is in the search.
  await requestPane(ben).getByRole("button", { name: "Approve" }).click();
  const undo = ben.getByRole("button", { name: /^Undo/ }).last();
  await expect(undo).toBeVisible();
  const search = ben.getByRole("searchbox", { name: "Search requests" });
  await search.focus();
  await undo.focus();
  await expect(undo).toHaveCount(0, SOON);
  await expect(search).toBeFocused();
});

test("signing out leaves in all tabs", async ({ browser }) => {
  const page = await (await browser.newContext()).newPage();
  await signIn(page, "Gus");
  const other = await page.context().newPage();
  await other.goto("/tasks");
  const cookies = await page.context().cookies();
  // Leaving a page aborts its calls; this call must finish.
  await page.route("**/api/auth/signout", async (route) => {
    await page.waitForTimeout(500);
    await route.continue();
  });
  await page.getByRole("button", { name: "Gus: account and appearance" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  for (const each of [page, other]) await expect(each).toHaveURL(/\/sign-in/);
  await page.context().addCookies(cookies);
  expect((await page.request.get("/api/v1/me")).status()).toBe(401);
  await page.context().close();
});

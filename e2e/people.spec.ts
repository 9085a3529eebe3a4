/** People: asked in, given another role, taken out; in two organizations at once; and the end of one. */
import type { Page } from "@playwright/test";
import { checkAppearance, ON_DESKTOP } from "./fixtures/appearance.ts";
import { command } from "./fixtures/intray.ts";
import { addOrganization, addPerson, newOwner, open, PASSWORD, signIn } from "./fixtures/organizations.ts";
import { readReceived } from "./fixtures/receivers.ts";
import {
  apiOf,
  askAbout,
  expect,
  expectToast,
  readRequest,
  requestPane,
  SOON,
  tabTo,
  test,
} from "./fixtures/test.ts";

const at = (page: Page, organization: string) =>
  expect(page.getByRole("navigation", { name: "Main" }).first()).toContainText(organization, SOON);
const titled = (page: Page, name: string) =>
  expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
const userMenu = (page: Page, name: string) =>
  page.getByRole("button", { name: `${name}: account and appearance` }).first();

async function invite(page: Page, email: string, role: string): Promise<string> {
  await page.goto("/settings/members");
  await page.getByRole("button", { name: "Invite…" }).click();
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("dialog").getByLabel("Role").selectOption(role);
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  // The installation of these tests has a mail server, so that the link goes to the person alone.
  await expect(page.getByText(`The link was mailed to ${email}`)).toBeVisible(SOON);
  await expect(page.getByRole("textbox", { name: `Link for ${email}` })).toHaveCount(0);
  await page.getByRole("button", { name: "Show a link instead" }).click();
  return page.getByRole("textbox", { name: `Link for ${email}` }).inputValue();
}

test("an admin looks at lists as a member would: said on every page, read only, and with a way out", async ({
  ana,
  ben,
  ola,
}) => {
  const { id, requestId } = await askAbout(ola, ben);
  await ana.goto("/settings/members");
  await tabTo(ana, ana.getByRole("button", { name: "View as Ben" }));
  await ana.keyboard.press("Enter");
  const dialog = ana.getByRole("dialog", { name: "View as Ben?" });
  await expect(dialog).toContainText("It is recorded in Activity.");
  await checkAppearance(ana, "about to view as a member");
  await dialog.getByRole("button", { name: "Start viewing" }).click();

  const bar = ana.getByRole("region", { name: "Viewing as a member" });
  await expect(bar).toContainText("Viewing as Ben. Read only", SOON);
  await expect(ana.getByRole("navigation", { name: "Main" }).getByRole("link")).toHaveText([
    /Inbox/,
    "Tasks",
  ]);
  await ana.goto(`/inbox/${requestId}`);
  await expect(requestPane(ana).getByText(id).first()).toBeVisible();
  await expect(ana.getByText("You are viewing as Ben: read only.")).toBeVisible();
  await expect(requestPane(ana).getByRole("button", { name: "Approve" })).toHaveCount(0);
  await checkAppearance(ana, "a request viewed as a member");
  await ana.goto("/tasks");
  await expect(bar).toBeVisible();
  await expect(ana.getByRole("link", { name: new RegExp(id) }).first()).toBeVisible(SOON);
  await checkAppearance(ana, "tasks viewed as a member");
  // What is not a list is not there, whatever the address.
  const refusals: string[] = [];
  ana.on("response", (response) => response.status() === 403 && refusals.push(response.url()));
  const server = (await readRequest(ben, requestId)).server.id;
  for (const page of [
    "overview",
    "settings/members",
    "activity",
    "notices",
    "tasks/new",
    `servers/${server}`,
  ]) {
    await ana.goto(`/${page}`);
    await expect(ana.getByRole("heading", { level: 1, name: "Not shown in a view" }), page).toBeVisible();
  }
  await checkAppearance(ana, "a page that a view does not show");
  await ana.getByRole("link", { name: "Go to the inbox" }).click();
  await expect(ana).toHaveURL(/\/inbox/);
  expect(refusals).toEqual([]);
  const refused = await apiOf(ana).write("POST", `/input-requests/${requestId}/claim`);
  expect([refused.status(), (await refused.json()).code]).toEqual([403, "view_only"]);

  await bar.getByRole("button", { name: "Stop viewing" }).click();
  await expect(ana).toHaveURL(/settings\/members/);
  await expect(bar).toHaveCount(0);
  await ana.goto("/activity");
  await expect(ana.getByText("Ana started viewing as Ben, read only").first()).toBeVisible(SOON);
});

test("who is invited joins, gets another role, and is out the moment they are removed", {
  tag: "@journey",
}, async ({ browser }) => {
  const dana = await newOwner(browser, "Dana", "delta");
  await dana.goto("/settings/members");
  await expect(dana.getByText("No pending invitations")).toBeVisible();
  await dana.getByRole("button", { name: "Invite…" }).click();
  await dana.getByLabel("E-mail").fill("vera");
  await dana.getByRole("button", { name: "Invite", exact: true }).click();
  await expect(dana.getByLabel("E-mail")).toHaveAttribute("aria-invalid", "true");
  await checkAppearance(dana, "invite dialog");
  const link = await invite(dana, "vera@delta.example", "approver");
  await dana.getByRole("button", { name: "Copy" }).click();
  await expect(dana.getByText("Copied.")).toBeVisible();
  await checkAppearance(dana, "invitation link");
  await dana.getByRole("button", { name: "Done" }).click();
  await expect(dana.getByRole("list", { name: "Invitations" })).toContainText("vera@delta.example");

  const vera = await open(browser);
  await vera.goto(link);
  await titled(vera, "Join Delta");
  await expect(vera.getByText("Dana invites you as an approver")).toBeVisible();
  await expect(vera.getByText("You get an account for v•••@delta.example.")).toBeVisible();
  await checkAppearance(vera, "join");
  await vera.getByLabel("Your name").fill("Vera");
  await vera.getByLabel("Password").fill("short");
  await vera.getByRole("button", { name: "Join", exact: true }).click();
  await expect(vera.getByLabel("Password")).toHaveAttribute("aria-invalid", "true");
  await vera.getByLabel("Password").fill(PASSWORD);
  await vera.getByRole("button", { name: "Join", exact: true }).click();
  await at(vera, "Delta");
  await expect(vera).toHaveURL(/\/inbox/);

  await dana.goto("/settings/members");
  await dana.getByLabel("Role of Vera").selectOption("operator");
  await dana.getByRole("button", { name: "Save role" }).click();
  await expectToast(dana, "Vera is operator from now on");
  await expect.poll(async () => (await (await vera.request.get("/api/v1/me")).json()).role).toBe("operator");
  await invite(dana, "otto@delta.example", "admin");
  await dana.getByRole("button", { name: "Done" }).click();
  await checkAppearance(dana, "members");

  await vera.goto("/tasks");
  await titled(vera, "Tasks");
  await dana.getByRole("button", { name: "Remove Vera" }).click();
  await expect(dana.getByText("Their decisions stay, under their name.")).toBeVisible();
  await checkAppearance(dana, "remove dialog");
  await dana.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await expectToast(dana, "Vera was removed");
  await expect(vera.getByText("You were signed out")).toBeVisible(SOON);
  await vera.goto("/tasks");
  await expect(vera.getByText("Your account is in no organization")).toBeVisible();

  const late = await open(browser);
  await late.goto(link);
  await titled(late, "This invitation no longer works");
  await expect(late.getByText("Delta")).toHaveCount(0);
  await checkAppearance(late, "join, used");
  for (const page of [dana, vera, late]) await page.context().close();
});

test("a link takes one with an account through signing in, and somebody else's is told so", async ({
  browser,
}) => {
  const finn = await newOwner(browser, "Finn", "foxtrot");
  const gina = await newOwner(browser, "Gina", "golf");
  const link = await invite(finn, "gina@golf.example", "viewer");
  await finn.goto(link);
  await expect(finn.getByText("This invitation is for g•••@golf.example")).toBeVisible();
  await checkAppearance(finn, "join, another account");

  const fresh = await open(browser);
  const answer = await fresh.goto(link);
  expect(answer?.headers()).toMatchObject({ "referrer-policy": "no-referrer" });
  expect(answer?.headers()["cache-control"]).toContain("no-store");
  // The same as for an address without an account, also when it is used.
  await fresh.getByLabel("Your name").fill("Gina");
  await fresh.getByLabel("Password").fill("not the password of golf");
  await fresh.getByRole("button", { name: "Join", exact: true }).click();
  await expect(fresh.getByText("If g•••@golf.example has an account already")).toBeVisible(SOON);
  await checkAppearance(fresh, "join, to sign in");
  await fresh.reload();
  await fresh.getByRole("link", { name: "Sign in to join" }).click();
  await fresh.getByLabel("E-mail").fill("gina@golf.example");
  await fresh.getByLabel("Password").fill(PASSWORD);
  await fresh.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(fresh.getByText("You are signed in as gina@golf.example")).toBeVisible();
  await checkAppearance(fresh, "join, signed in");
  await fresh.getByRole("button", { name: "Join Foxtrot" }).click();
  await at(fresh, "Foxtrot");
  // Her other browser stays in its organization.
  await gina.goto("/inbox");
  await at(gina, "Golf");
  for (const page of [finn, gina, fresh]) await page.context().close();
});

test("a link's token is in no address that leaves the browser, and links of before work still", async ({
  browser,
}) => {
  const hugo = await newOwner(browser, "Hugo", "hotel");
  const link = await invite(hugo, "ines@hotel.example", "viewer");
  const token = new URL(link).hash.replace("#token=", "");
  expect(token).toMatch(/^[\w-]{43}$/);
  const page = await open(browser);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url(), request.headers().referer ?? ""));
  await page.goto(link);
  await titled(page, "Join Hotel");
  expect(new URL(page.url()).hash).toBe("");
  await page.reload();
  await titled(page, "Join Hotel");
  expect(asked.filter((address) => address.includes(token))).toEqual([]);

  const before = await open(browser);
  await before.goto(link.replace("#", "?"));
  await titled(before, "Join Hotel");
  await expect.poll(() => before.url()).not.toContain(token);

  const password = await command("user", "password-link", "hugo@hotel.example");
  await page.goto(password);
  await expect(page.getByLabel("New password")).toBeVisible(SOON);
  expect(page.url()).not.toContain("token");
  const secret = new URL(password).hash.replace("#token=", "");
  expect(asked.filter((address) => address.includes(secret))).toEqual([]);
  for (const one of [hugo, page, before]) await one.context().close();
});

test("all tabs follow when one switches, and one that did not hear of it does nothing", async ({
  browser,
}) => {
  const hugo = await newOwner(browser, "Hugo", "tango");
  await addOrganization("india", "ida@india.example");
  await addPerson("india", "hugo@tango.example", "owner");
  await hugo.goto("/tasks");
  const second = await hugo.context().newPage();
  await second.goto("/settings/organization");
  const deaf = await hugo.context().newPage();
  await deaf.addInitScript(() => {
    window.BroadcastChannel = class extends EventTarget {
      postMessage() {}
      close() {}
    } as unknown as typeof BroadcastChannel;
  });
  await deaf.goto("/settings/organization");
  await deaf.getByRole("textbox", { name: "Name" }).fill("Renamed by a stale tab");

  await userMenu(hugo, "Hugo").click();
  await expect(hugo.getByRole("menuitemradio", { name: "Tango" })).toBeChecked();
  await checkAppearance(hugo, "user menu with organizations", ON_DESKTOP);
  await hugo.getByRole("menuitemradio", { name: "India" }).click();
  await at(hugo, "India");
  await at(second, "India");

  // The next thing it asks for tells it.
  const moved = deaf.getByRole("dialog", { name: "This page is out of date" });
  await expect(moved).toBeVisible(SOON);
  await checkAppearance(deaf, "moved");
  await moved.getByRole("button", { name: "Reload" }).click();
  await at(deaf, "India");
  await deaf.goto("/settings/organization");
  await expect(deaf.getByRole("textbox", { name: "Name" })).toHaveValue("India");

  await hugo.keyboard.press("ControlOrMeta+k");
  await hugo.getByRole("dialog").getByRole("combobox").fill("switch to");
  await hugo.getByRole("option", { name: "Switch to Tango" }).click();
  await at(hugo, "Tango");
  await at(second, "Tango");
  await hugo.context().close();
});

test("keys are made, renamed and revoked with the keyboard alone", async ({ browser }) => {
  const jana = await newOwner(browser, "Jana", "juliett");
  await jana.goto("/settings/api-keys");
  await expect(jana.getByText("No API keys yet")).toBeVisible();
  await checkAppearance(jana, "api keys, none");
  await tabTo(jana, jana.getByRole("button", { name: "Make a key…" }));
  await jana.keyboard.press("Enter");
  await expect(jana.getByRole("textbox", { name: "Name" })).toBeFocused();
  await jana.keyboard.type("Billing");
  const making = jana.getByRole("dialog");
  await making.getByLabel("May do").selectOption("some");
  await making.getByLabel("May use").selectOption("some");
  await making.getByRole("button", { name: "Make the key" }).click();
  await expect(making.getByText("Choose what the key may do")).toBeVisible();
  await expect(making.getByText("Choose a server")).toBeVisible();
  await checkAppearance(jana, "make an api key, refused");
  await making.getByLabel("Read tasks").check();
  await making.getByLabel("May use").selectOption("all");
  await making.getByRole("button", { name: "Make the key" }).click();
  const secret = await jana.getByRole("textbox", { name: "API key" }).inputValue();
  expect(secret).toMatch(/^itk_/);
  await checkAppearance(jana, "api key made");
  await tabTo(jana, jana.getByRole("button", { name: "Done" }));
  await jana.keyboard.press("Enter");
  await expect(jana.getByRole("list", { name: "API keys" })).toContainText("Read tasks");
  const withKey = async () =>
    (await fetch(`${process.env.E2E_URL}/api/v1/me`, { headers: { authorization: `Bearer ${secret}` } }))
      .status;
  expect(await withKey()).toBe(200);

  const choose = async (name: string, item: string) => {
    await tabTo(jana, jana.getByRole("button", { name: `More for ${name}` }));
    await jana.keyboard.press("Enter");
    await jana.getByRole("menuitem", { name: item }).focus();
    await jana.keyboard.press("Enter");
  };
  await choose("Billing", "Rename…");
  await expect(jana.getByRole("textbox", { name: "Name" })).toBeFocused();
  await jana.keyboard.press("ControlOrMeta+a");
  await jana.keyboard.type("Invoices");
  await jana.keyboard.press("Enter");
  const list = jana.getByRole("list", { name: "API keys" });
  await expect(list).toContainText("Invoices");

  await tabTo(jana, jana.getByRole("button", { name: "Rotate Invoices" }));
  await jana.keyboard.press("Enter");
  const dialog = jana.getByRole("dialog");
  await expect(dialog.getByLabel("The current secret works")).toHaveValue(String(24 * 3600_000));
  await dialog.getByLabel("Ends").selectOption("date");
  await dialog.getByRole("button", { name: "Make a new secret" }).click();
  await expect(dialog.getByText("Choose 7, 30, 90 or 365 days, a date, or never")).toBeVisible();
  await checkAppearance(jana, "rotate an api key, refused");
  await dialog.getByLabel("Last day").fill(new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10));
  await dialog.getByRole("button", { name: "Make a new secret" }).click();
  const renewed = await dialog.getByRole("textbox", { name: "API key" }).inputValue();
  expect(renewed).not.toBe(secret);
  expect(await withKey()).toBe(200);
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(list).toContainText("Rotated");
  await expect(list).toContainText("The previous secret works for another");

  await choose("Invoices", "Allowed networks…");
  await dialog.getByLabel("Allowed networks").fill("0.0.0.0/0");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByText("This is every address: leave the list empty instead")).toBeVisible();
  await checkAppearance(jana, "networks of an api key, refused");
  await dialog.getByLabel("Allowed networks").fill("203.0.113.0/24, 127.0.0.1 ::1");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(list).toContainText("Only from 203.0.113.0/24, 127.0.0.1, ::1");
  await checkAppearance(jana, "api keys");
  await choose("Invoices", "End the previous secret…");
  await dialog.getByRole("button", { name: "End it now" }).click();
  await expect(list).toContainText("Ends soon");
  expect(await withKey()).toBe(401);
  await choose("Invoices", "Revoke…");
  await tabTo(jana, dialog.getByRole("button", { name: "Revoke", exact: true }));
  await jana.keyboard.press("Enter");
  await expect(jana.getByText("No API keys yet")).toBeVisible();
  expect(await withKey()).toBe(401);
  await jana.context().close();
});

test("an organization is renamed, exported, and to be deleted in three days, which is taken back", async ({
  browser,
}) => {
  const kurt = await newOwner(browser, "Kurt", "kilo");
  await kurt.goto("/settings/organization");
  await kurt.getByRole("textbox", { name: "Name" }).fill("Kilo & Sons");
  await kurt.getByRole("button", { name: "Save name" }).click();
  await at(kurt, "Kilo & Sons");
  await kurt.getByRole("switch", { name: "Require a second person" }).click();
  await expectToast(kurt, "A second person is required from now on");
  await checkAppearance(kurt, "organization");

  await kurt.getByRole("button", { name: "Leave Kilo & Sons…" }).click();
  await kurt.getByRole("dialog").getByRole("button", { name: "Leave", exact: true }).click();
  await expect(kurt.getByText("make somebody else one first")).toBeVisible();
  await checkAppearance(kurt, "leave, refused");
  await kurt.keyboard.press("Escape");

  const erase = async (typed: string) => {
    await kurt.getByRole("button", { name: "Delete Kilo & Sons…" }).click();
    await kurt.getByLabel("Type kilo to confirm").fill(typed);
    await kurt.getByRole("button", { name: "Delete in 72 hours" }).click();
  };
  await erase("acme");
  await expect(kurt.getByLabel("Type kilo to confirm")).toHaveAttribute("aria-invalid", "true");
  await kurt.keyboard.press("Escape");
  await erase("kilo");
  await expect(kurt.getByText("Export the organization first")).toBeVisible();
  await checkAppearance(kurt, "delete, refused");
  await kurt.keyboard.press("Escape");
  const download = kurt.waitForEvent("download");
  await kurt.getByRole("button", { name: "Export everything" }).click();
  expect((await download).suggestedFilename()).toBe("kilo.ndjson");
  await (await download).path();
  await erase("kilo");
  const bar = kurt.getByRole("region", { name: "Deletion of the organization" });
  await expect(bar).toContainText("Kurt asked to delete this organization.");
  await checkAppearance(kurt, "to be deleted");
  await kurt.goto("/overview");
  await bar.getByRole("link", { name: "Look" }).click();
  await kurt.getByRole("button", { name: "Take it back" }).click();
  await expect(kurt.getByText("Taken back. The organization stays")).toBeVisible();
  await expect(bar).toHaveCount(0);
  await kurt.context().close();
});

test("a member is suspended, out at once, and back with the role; sessions are ended for the organization alone", async ({
  browser,
}) => {
  const dana = await newOwner(browser, "Dana", "sierra");
  const link = await invite(dana, "vera@sierra.example", "operator");
  const vera = await open(browser);
  await vera.goto(link);
  await vera.getByLabel("Your name").fill("Vera");
  await vera.getByLabel("Password").fill(PASSWORD);
  await vera.getByRole("button", { name: "Join", exact: true }).click();
  await at(vera, "Sierra");

  await dana.goto("/settings/members");
  await expect(dana.getByText("E-mail not confirmed", { exact: true })).toBeVisible();
  const more = async (entry: string) => {
    await dana.getByRole("button", { name: "More for Vera" }).click();
    await dana.getByRole("menuitem", { name: entry }).click();
  };
  await more("Sessions…");
  const sessions = dana.getByRole("dialog", { name: "Sessions of Vera" });
  await expect(sessions.getByRole("listitem")).toHaveCount(1, SOON);
  await checkAppearance(dana, "sessions of a member");
  await sessions.getByRole("button", { name: "End all" }).click();
  await expectToast(dana, "Vera has to sign in again");
  await expect(vera.getByText("You were signed out")).toBeVisible(SOON);
  await signIn(vera, "vera@sierra.example");
  await vera.goto("/notices");
  await expect(vera.getByText("An admin ended one of your sessions")).toBeVisible(SOON);

  await more("Suspend…");
  const dialog = dana.getByRole("dialog", { name: "Suspend Vera?" });
  await expect(dialog).toContainText("Their role and their preferences come back with them.");
  await checkAppearance(dana, "about to suspend");
  await dialog.getByRole("button", { name: "Suspend", exact: true }).click();
  const suspended = dana.getByRole("list", { name: "Suspended members" });
  await expect(suspended).toContainText("Suspended by Dana");
  await expect(dana.getByRole("list", { name: "Members", exact: true })).not.toContainText("Vera");
  await checkAppearance(dana, "members, one suspended");
  await expect(vera.getByText("You were signed out")).toBeVisible(SOON);

  await dana.getByRole("button", { name: "Invite…" }).click();
  await dana.getByLabel("E-mail").fill("vera@sierra.example");
  await dana.getByRole("button", { name: "Invite", exact: true }).click();
  await expect(dana.getByText(/a suspended member/)).toBeVisible();
  await dana.keyboard.press("Escape");

  await tabTo(dana, dana.getByRole("button", { name: "Reinstate Vera" }));
  await dana.keyboard.press("Enter");
  await expectToast(dana, "Vera is back as operator");
  await expect(suspended).toHaveCount(0);
  await signIn(vera, "vera@sierra.example");
  await at(vera, "Sierra");
  for (const page of [dana, vera]) await page.context().close();
});

test("a forgotten password: asked for on the page to sign in, mailed, and set once", async ({ browser }) => {
  const dana = await newOwner(browser, "Dana", "tapas");
  await dana.goto("/tasks");
  const page = await open(browser);
  await page.goto("/sign-in");
  await tabTo(page, page.getByRole("link", { name: "Forgot your password?" }));
  await page.keyboard.press("Enter");
  await titled(page, "Forgot your password?");
  await checkAppearance(page, "forgot password");
  const ask = async (email: string) => {
    await page.getByLabel("E-mail").fill(email);
    await page.getByRole("button", { name: "Send a link" }).click();
    await expect(page.getByText(`If ${email} has an account here`)).toBeVisible(SOON);
  };
  await ask("nobody@tapas.example");
  await checkAppearance(page, "forgot password, asked");
  await page.goto("/forgot-password");
  await ask("dana@tapas.example");
  const link = async () => {
    const { mails } = await readReceived();
    const letter = mails.findLast(
      ({ to, subject }) => to.includes("dana@tapas.example") && /password/.test(subject),
    );
    const source = letter?.source.replaceAll("=\r\n", "").replaceAll("=3D", "=") ?? "";
    return /https?:\/\/\S+\/set-password#token=[\w-]{43}/.exec(source)?.[0] ?? "";
  };
  await expect.poll(link, SOON).not.toBe("");
  expect((await readReceived()).mails.some(({ to }) => to.includes("nobody@tapas.example"))).toBe(false);
  // A mail about the new password comes after it, without a link.
  const mailed = await link();
  await page.goto(mailed);
  await page.getByLabel("New password").fill("quite another password");
  await page.getByRole("button", { name: "Save password" }).click();
  await expect(page).toHaveURL(/sign-in/, SOON);
  await expect(dana.getByText("You were signed out")).toBeVisible(SOON);
  await page.getByLabel("E-mail").fill("dana@tapas.example");
  await page.getByLabel("Password").fill("quite another password");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await at(page, "Tapas");
  await page.goto("/settings/security");
  await expect(page.getByText("Password set by a mailed link").first()).toBeVisible(SOON);
  const late = await open(browser);
  await late.goto(mailed);
  await titled(late, "This link no longer works");
  for (const each of [dana, page, late]) await each.context().close();
});

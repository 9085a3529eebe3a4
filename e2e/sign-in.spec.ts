/**
 * Every way in, on an installation of its own with a real sign-in provider beside it; ending what was opened; and at last
 * an organization that requires the provider.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";
import { Secret, TOTP } from "otpauth";
import { CLIENT, type OidcServer, startOidc } from "../test/servers/oidc-server.ts";
import { agentAt, letAgentIn } from "./fixtures/agent-client.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { type Intray, startIntray } from "./fixtures/intray.ts";
import { expect, expectToast, openContext, tabTo, test } from "./fixtures/test.ts";

const OWNER = { name: "Dana", email: "dana@initech.example", password: "correct horse battery" };
const TOKEN = "the token of the tests";
/** Longer than the minute in which a held call has to end otherwise. */
const HOLD_MS = 200_000;

test.describe.configure({ mode: "serial" });

let intray: Intray;
let oidc: OidcServer;
let folder: string;

test.beforeAll(async () => {
  oidc = await startOidc();
  folder = mkdtempSync(join(tmpdir(), "intray-sign-in-"));
  const file = join(folder, "sign-in.json");
  const groups = [
    { claim: "finance", organization: "initech", role: "approver" },
    { claim: "bosses", organization: "initech", role: "owner" },
  ];
  const policy = { createAccounts: true, groups, issuer: oidc.issuer, ...CLIENT };
  writeFileSync(file, JSON.stringify({ providers: [{ id: "acme", name: "Acme SSO", ...policy }] }));
  intray = await startIntray({ INTRAY_SIGN_IN_FILE: file, INTRAY_SETUP_TOKEN: TOKEN });
  const uri = `${intray.url}/api/auth/backchannel/acme`;
  oidc.allow([`${intray.url}/api/auth/callback/acme`], { uri, perSession: false });
  const body = JSON.stringify({ token: TOKEN, organizationName: "Initech", ...OWNER });
  const headers = { "content-type": "application/json" };
  const made = await fetch(`${intray.url}/api/setup`, { method: "POST", headers, body });
  expect(made.status).toBe(201);
  oidc.accounts.set("bea", {
    name: "Bea",
    email: "bea@initech.example",
    email_verified: true,
    groups: ["bosses"],
  });
});
test.afterAll(async () => {
  await intray.stop();
  await oidc.stop();
  rmSync(folder, { recursive: true });
});

const open = async (browser: Browser) => (await openContext(browser, { baseURL: intray.url })).newPage();
const menuOf = (page: Page, name: string) =>
  page.getByRole("button", { name: `${name}: account and appearance` });

test("single sign-on comes first, leads back to where one was going, and says why somebody is refused", {
  tag: "@journey",
}, async ({ browser }) => {
  oidc.accounts.set("finn", {
    name: "Finn",
    email: "finn@initech.example",
    email_verified: true,
    groups: ["finance"],
  });
  oidc.accounts.set("mo", {
    name: "Mo",
    email: "mo@initech.example",
    email_verified: false,
    groups: ["finance"],
  });
  const page = await open(browser);
  await page.goto("/tasks?state=open");
  await expect(page).toHaveURL(/\/sign-in\?callbackUrl/);
  await checkAppearance(page, "sign-in, every way");
  const sso = page.getByRole("button", { name: "Sign in with Acme SSO" });
  await expect(sso).toBeEnabled();
  await page.keyboard.press("Tab");
  await expect(sso).toBeFocused();
  await page.keyboard.press("Enter");
  await atProvider(page, "finn");
  await expect(page).toHaveURL(`${intray.url}/tasks?state=open`);
  await expect(menuOf(page, "Finn")).toBeVisible();

  const refused = await open(browser);
  await refused.goto("/sign-in?callbackUrl=%2Ftasks");
  await refused.getByRole("button", { name: "Sign in with Acme SSO" }).click();
  await atProvider(refused, "mo");
  await expect(refused.getByRole("alert").filter({ hasText: "has not verified your e-mail" })).toBeVisible();
  await expect(refused).toHaveURL(/callbackUrl=%2Ftasks/);
  await checkAppearance(refused, "sign-in, refused");
});

test("before the page's scripts run, nothing can be pressed, and no password gets into the address", async ({
  browser,
}) => {
  const page = await open(browser);
  const scripts = Promise.withResolvers<void>();
  await page.route("**/_next/static/**/*.js", async (route) => {
    await scripts.promise;
    await route.continue();
  });
  await page.goto("/sign-in", { waitUntil: "commit" });
  const button = page.getByRole("button", { name: "Sign in", exact: true });
  await expect(button).toBeDisabled();
  await expect(page.getByRole("button", { name: "Sign in with Acme SSO" })).toBeDisabled();
  await page.getByLabel("E-mail").fill(OWNER.email);
  await page.getByLabel("Password").fill(OWNER.password);
  await page.keyboard.press("Enter");
  scripts.resolve();
  await button.click();
  await expect(menuOf(page, OWNER.name)).toBeVisible();
  await page.context().close();
});

test("two-step sign-in is turned on and used with the keyboard alone", async ({ browser }) => {
  const page = await open(browser);
  await signIn(page);
  await page.goto("/settings/security");
  await checkAppearance(page, "security, plain");
  await tabTo(page, page.getByRole("button", { name: "Turn on…" }));
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await checkAppearance(page, "two-step, password");
  await tabTo(page, dialog.getByLabel("Your password"));
  await page.keyboard.type("not this one");
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("This is not your password")).toBeVisible();
  await expect(dialog.getByLabel("Your password")).toBeFocused();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(OWNER.password);
  await page.keyboard.press("Enter");

  const key = ((await dialog.locator("code").textContent()) ?? "").replaceAll(" ", "");
  const totp = new TOTP({ secret: Secret.fromBase32(key) });
  await checkAppearance(page, "two-step, QR code");
  await tabTo(page, dialog.getByLabel("Code from the app"));
  await page.keyboard.type("000000");
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("This code does not work")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(totp.generate());
  await page.keyboard.press("Enter");
  const codes = dialog.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
  await expect(codes).toHaveCount(10);
  await checkAppearance(page, "two-step, recovery codes");
  const [recovery = "", another = ""] = await codes.allTextContents();
  await tabTo(page, dialog.getByRole("button", { name: "I have kept them" }));
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expect(page.getByText("10 recovery codes left")).toBeVisible();

  const second = await open(browser);
  await second.goto("/sign-in?callbackUrl=%2Fsettings%2Fsecurity");
  await expect(second.getByRole("button", { name: "Sign in", exact: true })).toBeEnabled();
  await tabTo(second, second.getByLabel("E-mail"));
  await second.keyboard.type(OWNER.email);
  await second.keyboard.press("Tab");
  await second.keyboard.type(OWNER.password);
  await second.keyboard.press("Enter");
  await expect(second.getByLabel("Code")).toBeFocused();
  await checkAppearance(second, "sign-in, code");
  await second.keyboard.type("wrong");
  await second.keyboard.press("Enter");
  await expect(second.getByRole("alert").filter({ hasText: "The code is wrong" })).toBeVisible();
  expect((await second.request.get("/api/v1/me")).status()).toBe(401);
  await tabTo(second, second.getByLabel("Code"));
  await second.keyboard.press("ControlOrMeta+a");
  await second.keyboard.type(recovery);
  await second.keyboard.press("Enter");
  await expect(second).toHaveURL(/\/settings\/security$/);
  await expect(second.getByText("9 recovery codes left")).toBeVisible();
  await checkAppearance(second, "security, two-step on");

  await second.getByRole("button", { name: "Turn off…" }).click();
  await checkAppearance(second, "two-step, turn off");
  await second.getByRole("dialog").getByLabel("Code").fill(another);
  await second.keyboard.press("Enter");
  await expect(second.getByRole("button", { name: "Turn on…" })).toBeVisible();
});

test("a passkey is added, signs in by itself, and is removed", { tag: ["@journey", "@first"] }, async ({
  browser,
}) => {
  const page = await open(browser);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await signIn(page);
  await page.goto("/settings/security");
  await page.getByRole("button", { name: "Add a passkey…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Work laptop");
  await dialog.getByLabel("Your password").fill(OWNER.password);
  await checkAppearance(page, "passkey, add");
  await dialog.getByRole("button", { name: "Add passkey" }).click();
  const passkeys = page.getByRole("list", { name: "Passkeys" });
  await expect(passkeys).toContainText("Work laptop");
  await expect(passkeys).toContainText("not used yet");

  await page.context().clearCookies();
  await page.goto("/sign-in?callbackUrl=%2Fsettings%2Fsecurity");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(page).toHaveURL(/\/settings\/security$/);
  await expect(passkeys).toContainText("last used");
  await expect(page.getByRole("list", { name: "Sessions" })).toContainText("With a passkey");
  await checkAppearance(page, "security, passkey");

  await page.getByRole("button", { name: "Remove Work laptop" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  // The list is hidden behind the open dialog too.
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(passkeys).toBeHidden();
  await page.context().clearCookies();
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(page.getByRole("alert").filter({ hasText: /passkey/i })).toBeVisible();
});

test("what concerns the account is told and stays unread, and too many tries say when to try again", async ({
  browser,
}) => {
  const page = await open(browser);
  await signIn(page);
  await page.goto("/notices");
  const told = page.getByRole("list", { name: "Notifications" });
  await expect(told).toContainText("Passkey added");
  await expect(told).toContainText("Signed in from a new place");
  await expect(told).toContainText("Stays unread until you sign in again");
  await page.getByRole("button", { name: "Mark all read" }).click();
  await expect(told).toContainText("Passkey added");
  await checkAppearance(page, "notices, account");
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/notices.png` });
  await page.goto("/settings/security");
  await expect(page.getByRole("list", { name: "Recent activity" })).toContainText("Passkey added");
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/security.png`, fullPage: true });

  const stranger = await open(browser);
  await stranger.goto("/sign-in");
  for (let tries = 0; tries < 6; tries++) {
    await stranger.getByLabel("E-mail").fill("nobody@initech.example");
    await stranger.getByLabel("Password").fill("a guess");
    await stranger.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(
      stranger.getByRole("alert").filter({ hasText: tries < 5 ? /is wrong/ : /Too many attempts/ }),
    ).toBeVisible();
  }
  await expect(stranger.getByRole("alert").filter({ hasText: /Try again in \d+ s/ })).toBeVisible();
  await checkAppearance(stranger, "sign-in, too many tries");
  if (process.env.SHOTS) await stranger.screenshot({ path: `${process.env.SHOTS}/sign-in.png` });
});

test("sessions are ended from another browser, and by changing the password", async ({ browser }) => {
  const [here, there] = [await open(browser), await open(browser)];
  await signIn(here);
  await signIn(there);
  await there.goto("/inbox");
  await here.goto("/settings/security");
  const sessions = here.getByRole("list", { name: "Sessions" }).getByRole("listitem");
  await expect(sessions.filter({ hasText: "This browser" })).toHaveCount(1);
  await sessions.last().scrollIntoViewIfNeeded();
  await checkAppearance(here, "security, sessions");
  await here
    .getByRole("button", { name: /^End the session of/ })
    .first()
    .click();
  await expectToast(here, "Session ended");
  await there.goto("/tasks");
  await expect(there).toHaveURL(/\/sign-in/);
  await here.getByRole("button", { name: "End all others" }).click();
  await expect(sessions).toHaveCount(1);

  await signIn(there);
  await here.getByLabel("Current password").fill("not this one");
  await here.getByLabel("New password").fill("another password");
  await here.getByRole("button", { name: "Change password" }).click();
  await expect(here.getByText("This is not your password")).toBeVisible();
  await checkAppearance(here, "security, wrong password");
  await here.getByLabel("Current password").fill(OWNER.password);
  await here.getByRole("button", { name: "Change password" }).click();
  await expect(here.getByText("Password changed")).toBeVisible();
  OWNER.password = "another password";
  await here.reload();
  await expect(here.getByRole("heading", { name: "Sessions" })).toBeVisible();
  expect((await there.request.get("/api/v1/me")).status()).toBe(401);
});

/** The owner who came through the provider; later tests go on with the page. */
let bea: Page;

test("an owner who came through the provider requires it, and a password leads to the provider from then on", async ({
  browser,
}) => {
  const dana = await open(browser);
  await signIn(dana);
  // Whoever came by a password would be locked out.
  await dana.goto("/settings/sign-in");
  await dana.getByRole("switch", { name: "Acme SSO" }).click();
  await dana.getByRole("button", { name: "Save" }).click();
  await expect(dana.getByRole("alert").filter({ hasText: "locked out" })).toBeVisible();
  await checkAppearance(dana, "sign-in rules, refused");

  bea = await open(browser);
  await bea.goto("/settings/sign-in");
  await bea.getByRole("button", { name: "Sign in with Acme SSO" }).click();
  await atProvider(bea, "bea");
  await expect(bea).toHaveURL(`${intray.url}/settings/sign-in`);
  await bea.getByRole("switch", { name: "Acme SSO" }).click();
  await bea.getByRole("button", { name: "Save" }).click();
  await expect(bea.getByText("Saved", { exact: true })).toBeVisible();
  await checkAppearance(bea, "sign-in rules");

  await dana.goto("/tasks?state=open");
  await expect(dana).toHaveURL(/\/sign-in\?callbackUrl=%2Ftasks%3Fstate%3Dopen/);
  await expect(dana.getByText("asks you to sign in through Acme SSO")).toBeVisible();
  await expect(dana.getByLabel("Password")).toBeHidden();
  await checkAppearance(dana, "sign-in, asked for the provider");
});

test("a person removed at the provider is out of the open page within a minute; keys and agents rest, and sign-ins of agents end", async ({
  browser,
}) => {
  const make = (path: string, body: object) =>
    bea.evaluate(
      async ([at, text]) => {
        const headers = { "content-type": "application/json" };
        const made = await fetch(`/api/v1/${at}`, { method: "POST", headers, body: text });
        return ((await made.json()) as { secret: string }).secret;
      },
      [path, JSON.stringify(body)] as const,
    );
  const key = await make("api-keys", { name: "build", role: "viewer" });
  const ask = async () => {
    const answer = await fetch(`${intray.url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
    return [answer.status, ((await answer.json()) as { code?: string }).code ?? null];
  };
  const agent = agentAt(intray.url, await make("agent-credentials", { name: "Coder", holdMs: HOLD_MS }));
  const signIn = await letAgentIn(bea, intray.url, "Helper");
  const signedIn = agentAt(intray.url, signIn.token);
  const works = [200, null];
  expect([await ask(), await agent.ask(), await signedIn.ask()]).toEqual([works, works, works]);
  await bea.goto("/inbox");
  await expect(menuOf(bea, "Bea")).toBeVisible();
  const held = [await agent.hold(), await signedIn.hold()];

  const removedAt = performance.now();
  await oidc.signOut("bea");
  expect([await ask(), await agent.ask(), await signedIn.ask()]).toEqual([
    [401, "key_rests"],
    [401, "key_rests"],
    [401, "unauthenticated"],
  ]);
  await expect(signIn.refresh()).rejects.toMatchObject({ code: "invalid_grant" });
  const ends = await Promise.all(held.map(({ ended }) => ended));
  expect(ends.map(({ error }) => error?.data.code)).toEqual(["key_rests", "unauthenticated"]);
  await expect(bea.getByText("You were signed out.").first()).toBeVisible({ timeout: 60_000 });
  expect(performance.now() - removedAt).toBeLessThan(60_000);
  await bea.goto("/inbox");
  await expect(bea).toHaveURL(/\/sign-in/);

  // What rests wakes with the person, should the provider let them in again; a sign-in of an agent is over.
  const again = await open(browser);
  await again.goto("/inbox");
  await again.getByRole("button", { name: "Sign in with Acme SSO" }).click();
  await atProvider(again, "bea");
  await expect(menuOf(again, "Bea")).toBeVisible();
  expect([await ask(), await agent.ask(), await signedIn.ask()]).toEqual([
    works,
    works,
    [401, "unauthenticated"],
  ]);
  await expect(signIn.refresh()).rejects.toMatchObject({ code: "invalid_grant" });
  for (const page of [bea, again]) await page.context().close();
});

async function signIn(page: Page): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("E-mail").fill(OWNER.email);
  await page.getByLabel("Password").fill(OWNER.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(menuOf(page, OWNER.name)).toBeVisible();
}

/** The provider's own pages: who one is, then whether Intray may know it. */
async function atProvider(page: Page, login: string): Promise<void> {
  await page.getByPlaceholder("Enter any login").fill(login);
  await page.getByPlaceholder("and password").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
}

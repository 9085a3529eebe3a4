/** An organization that requires single sign-on, on an installation of its own with a real provider beside it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, expect, type Page, test } from "@playwright/test";
import { CLIENT, type OidcServer, startOidc } from "../test/servers/oidc-server.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { type Intray, startIntray } from "./fixtures/intray.ts";

const OWNER = { name: "Dana", email: "dana@initech.example", password: "correct horse battery" };
const TOKEN = "the token of the tests";

test.describe.configure({ mode: "serial" });
test.setTimeout(120_000);

let intray: Intray;
let oidc: OidcServer;
let folder: string;

test.beforeAll(async () => {
  test.setTimeout(120_000);
  oidc = await startOidc();
  folder = mkdtempSync(join(tmpdir(), "intray-sso-"));
  const file = join(folder, "sign-in.json");
  const groups = [{ claim: "bosses", organization: "initech", role: "owner" }];
  const policy = { createAccounts: true, groups, issuer: oidc.issuer, ...CLIENT };
  writeFileSync(file, JSON.stringify({ providers: [{ id: "acme", name: "Acme SSO", ...policy }] }));
  intray = await startIntray({ INTRAY_SIGN_IN_FILE: file, INTRAY_SETUP_TOKEN: TOKEN });
  const uri = `${intray.url}/api/auth/backchannel/acme`;
  oidc.allow([`${intray.url}/api/auth/callback/acme`], { uri, perSession: false });
  const body = JSON.stringify({ token: TOKEN, organizationName: "Initech", ...OWNER });
  const headers = { "content-type": "application/json" };
  const made = await fetch(`${intray.url}/api/setup`, { method: "POST", headers, body });
  expect(made.status).toBe(201);
  const email_verified = true;
  oidc.accounts.set("finn", {
    name: "Finn",
    email: "finn@initech.example",
    email_verified,
    groups: ["bosses"],
  });
});
test.afterAll(async () => {
  await intray.stop();
  await oidc.stop();
  rmSync(folder, { recursive: true });
});

const open = async (browser: Browser) => (await browser.newContext({ baseURL: intray.url })).newPage();
let finn: Page;

test("an owner who came through the provider requires it, and a password leads to the provider from then on", async ({
  browser,
}) => {
  const dana = await open(browser);
  await dana.goto("/sign-in");
  await dana.getByLabel("E-mail").fill(OWNER.email);
  await dana.getByLabel("Password").fill(OWNER.password);
  await dana.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(menuOf(dana, "Dana")).toBeVisible();
  // Whoever came by a password would be locked out.
  await dana.goto("/settings/sign-in");
  await dana.getByRole("switch", { name: "Acme SSO" }).click();
  await dana.getByRole("button", { name: "Save" }).click();
  await expect(dana.getByRole("alert").filter({ hasText: "locked out" })).toBeVisible();
  await checkAppearance(dana, "sign-in rules, refused");

  finn = await open(browser);
  await finn.goto("/settings/sign-in");
  await finn.getByRole("button", { name: "Sign in with Acme SSO" }).click();
  await atProvider(finn, "finn");
  await expect(finn).toHaveURL(`${intray.url}/settings/sign-in`);
  await finn.getByRole("switch", { name: "Acme SSO" }).click();
  await finn.getByRole("button", { name: "Save" }).click();
  await expect(finn.getByText("Saved", { exact: true })).toBeVisible();
  await checkAppearance(finn, "sign-in rules");

  await dana.goto("/tasks?state=open");
  await expect(dana).toHaveURL(/\/sign-in\?callbackUrl=%2Ftasks%3Fstate%3Dopen/);
  await expect(dana.getByText("asks you to sign in through Acme SSO")).toBeVisible();
  await expect(dana.getByLabel("Password")).toBeHidden();
  await checkAppearance(dana, "sign-in, asked for the provider");
});

test("a person removed at the provider is out of the open page within a minute, and the person's key is refused", async () => {
  const key = await finn.evaluate(async () => {
    const body = JSON.stringify({ name: "build", role: "viewer" });
    const headers = { "content-type": "application/json" };
    const made = await fetch("/api/v1/api-keys", { method: "POST", headers, body });
    return ((await made.json()) as { secret: string }).secret;
  });
  const ask = async () => fetch(`${intray.url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
  expect((await ask()).status).toBe(200);
  await finn.goto("/inbox");
  await expect(menuOf(finn, "Finn")).toBeVisible();
  await oidc.signOut("finn");
  const refused = await ask();
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([401, "key_rests"]);
  await expect(finn.getByText("You were signed out.").first()).toBeVisible({ timeout: 60_000 });
  await finn.goto("/inbox");
  await expect(finn).toHaveURL(/\/sign-in/);
});

const menuOf = (page: Page, name: string) =>
  page.getByRole("button", { name: `${name}: account and appearance` });

/** The provider's own pages: who one is, then whether Intray may know it. */
async function atProvider(page: Page, login: string): Promise<void> {
  await page.getByPlaceholder("Enter any login").fill(login);
  await page.getByPlaceholder("and password").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
}

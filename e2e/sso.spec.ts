/** An organization that requires single sign-on, on an installation of its own with a real provider beside it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";
import { CLIENT, type OidcServer, startOidc } from "../test/servers/oidc-server.ts";
import { agentAt, letAgentIn } from "./fixtures/agent-client.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { type Intray, startIntray } from "./fixtures/intray.ts";
import { expect, test } from "./fixtures/test.ts";

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

test("a person removed at the provider is out of the open page within a minute; keys and agents rest, and sign-ins of agents end", async ({
  browser,
}) => {
  const make = (path: string, body: object) =>
    finn.evaluate(
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
  const signIn = await letAgentIn(finn, intray.url, "Helper");
  const signedIn = agentAt(intray.url, signIn.token);
  const works = [200, null];
  expect([await ask(), await agent.ask(), await signedIn.ask()]).toEqual([works, works, works]);
  await finn.goto("/inbox");
  await expect(menuOf(finn, "Finn")).toBeVisible();
  const held = [await agent.hold(), await signedIn.hold()];

  const removedAt = performance.now();
  await oidc.signOut("finn");
  expect([await ask(), await agent.ask(), await signedIn.ask()]).toEqual([
    [401, "key_rests"],
    [401, "key_rests"],
    [401, "unauthenticated"],
  ]);
  await expect(signIn.refresh()).rejects.toMatchObject({ code: "invalid_grant" });
  const ends = await Promise.all(held.map(({ ended }) => ended));
  expect(ends.map(({ error }) => error?.data.code)).toEqual(["key_rests", "unauthenticated"]);
  await expect(finn.getByText("You were signed out.").first()).toBeVisible({ timeout: 60_000 });
  expect(performance.now() - removedAt).toBeLessThan(60_000);
  await finn.goto("/inbox");
  await expect(finn).toHaveURL(/\/sign-in/);

  // What rests wakes with the person, should the provider let them in again; a sign-in of an agent is over.
  const again = await open(browser);
  await again.goto("/inbox");
  await again.getByRole("button", { name: "Sign in with Acme SSO" }).click();
  await atProvider(again, "finn");
  await expect(menuOf(again, "Finn")).toBeVisible();
  expect([await ask(), await agent.ask(), await signedIn.ask()]).toEqual([
    works,
    works,
    [401, "unauthenticated"],
  ]);
  await expect(signIn.refresh()).rejects.toMatchObject({ code: "invalid_grant" });
  for (const page of [finn, again]) await page.context().close();
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

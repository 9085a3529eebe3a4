/** A server with OAuth by hand: connected, used while its tokens run out, lost, won back, and let go. */
import type { Page } from "@playwright/test";
import { type AuthorizationServer, startAuthorizationServer } from "../test/servers/authorization-server.ts";
import { type GuardedServer, startGuardedServer } from "../test/servers/guarded-server.ts";
import { startTestServer, type TestServer } from "../test/servers/mcp-server.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { apiOf, expect, openRequest, readRequest, SOON, tabTo, test } from "./fixtures/test.ts";

let authority: AuthorizationServer;
let inner: TestServer;
let remote: GuardedServer;

test.describe.configure({ mode: "serial" });

test.beforeAll(async () => {
  inner = await startTestServer();
  authority = await startAuthorizationServer();
  remote = await startGuardedServer(inner.url, authority);
});
test.afterAll(async () => {
  await remote?.close();
  await authority?.close();
  await inner?.close();
});

const NAME = "Ledger of the ERP";
let serverPage = "";

const own = (page: Page) => page.getByRole("listitem").filter({ hasText: "Your own connection" });
const signInThere = async (page: Page, button = "Sign in and allow") => {
  await page.getByRole("button", { name: button }).click();
  await page.waitForURL(`${process.env.E2E_URL}/servers/**`);
};

test("an admin adds it; it says that nobody is connected, and refuses what is not safe", {
  tag: ["@journey", "@first"],
}, async ({ ana: page }) => {
  await page.goto("/servers");
  await page.getByRole("button", { name: "Connect server" }).click();
  await page.getByLabel("Address").fill(remote.url);
  await page.getByRole("button", { name: "Continue" }).click();
  const where = page.getByText(`The server answers. Sign-in needed at ${authority.hostAndPort}.`);
  await expect(where).toBeVisible(SOON);
  await page.getByLabel("Name").fill(NAME);
  await page.getByText("Advanced").click();
  await expect(page.getByLabel("Credentials")).toHaveValue("oauth");
  await checkAppearance(page, "oauth add server");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: NAME })).toBeVisible(SOON);
  serverPage = new URL(page.url()).pathname;
  await expect(own(page)).toContainText("Not connected");
  await checkAppearance(page, "oauth server not connected");

  authority.behave.metadata = ({ code_challenge_methods_supported: _, ...rest }) => rest;
  await page.getByRole("button", { name: "Connect… (shared)" }).click();
  const dialog = page.getByRole("dialog", { name: `Connect ${NAME}` });
  await expect(dialog).toContainText("does not protect sign-ins (no PKCE with S256)", SOON);
  await checkAppearance(page, "oauth refused by us");
  const lent = remote.hostAndPort;
  authority.behave.metadata = (metadata) => ({ ...metadata, revocation_endpoint: `http://${lent}/revoke` });
  await dialog.getByRole("button", { name: "Try again" }).click();
  await expect(dialog).toContainText("This sign-in uses more than one host.", SOON);
  await expect(dialog).toContainText(
    `at ${authority.hostAndPort}, which sends parts of the sign-in to ${lent}.`,
  );
  await checkAppearance(page, "oauth several hosts");
  await dialog.getByRole("button", { name: "Allow both hosts" }).click();
  await expect(dialog.getByRole("button", { name: `Go to ${authority.hostAndPort}` })).toBeVisible(SOON);
  await page.keyboard.press("Escape");
  authority.behave.metadata = undefined;
  await page.getByRole("button", { name: "Connect… (shared)" }).click();
  await dialog.getByRole("button", { name: `Go to ${authority.hostAndPort}` }).click(SOON);
  await signInThere(page, "Deny");
  await expect(page.getByText("The sign-in was declined.")).toBeVisible();
  expect(new URL(page.url()).search).toBe("");
  await checkAppearance(page, "oauth denied");
  await page.goto("/servers");
  await expect(page.getByRole("article").filter({ hasText: NAME })).toContainText("Not connected");
  await checkAppearance(page, "oauth servers list");
});

test("it is connected with the keyboard, used, lost, won back, and let go", async ({ ola: page }) => {
  authority.behave.lifetime = 4;
  await page.goto("/tasks/new");
  await page.getByRole("combobox", { name: "Server" }).selectOption({ label: `${NAME} (not connected)` });
  await expect(page.getByText(`You are not connected to ${NAME}.`)).toBeVisible();
  await checkAppearance(page, "oauth new task not connected");
  await page.getByRole("link", { name: "Connect it first" }).click();

  const connect = page.getByRole("button", { name: "Connect… (your own)" });
  await tabTo(page, connect);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: `Connect ${NAME}` });
  await expect(dialog.getByText(`sign in at ${authority.hostAndPort}`)).toBeVisible(SOON);
  await checkAppearance(page, "oauth leaving");
  await tabTo(page, dialog.getByRole("button", { name: `Go to ${authority.hostAndPort}` }));
  await page.keyboard.press("Enter");
  await signInThere(page);
  await expect(page.getByText("Connected. Tasks that waited")).toBeVisible();
  await expect(own(page)).toContainText("renews itself");
  await checkAppearance(page, "oauth connected");

  await page.goto("/tasks/new");
  await page.getByRole("combobox", { name: "Server" }).selectOption({ label: NAME });
  await expect(page.getByText("The task uses your own connection and runs in your name.")).toBeVisible();
  await page.getByRole("radio", { name: "approve" }).check(SOON);
  await checkAppearance(page, "oauth new task");
  await page.getByRole("button", { name: "Start task" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "approve" })).toBeVisible(SOON);
  const task = new URL(page.url()).pathname;
  const request = await openRequest(page, task.split("/").at(-1) ?? "");
  await expect(page.getByRole("main")).toContainText("on Ola’s connection");

  const renewals = () =>
    authority.seen.filter(({ form }) => form.get("grant_type") === "refresh_token").length;
  await expect.poll(renewals, { timeout: 60_000 }).toBeGreaterThan(1);
  await expect(page.getByText("needs a new sign-in")).toBeHidden();

  await authority.revokeAll();
  await page.goto(task);
  await expect(page.getByText(`connection to ${NAME} needs a new sign-in.`)).toBeVisible({ timeout: 60_000 });
  await checkAppearance(page, "oauth task stuck");
  await page.goto(`/inbox/${request}`);
  await expect(page.getByText(`connection to ${NAME} needs a new sign-in.`)).toBeVisible(SOON);
  await checkAppearance(page, "oauth request stuck");
  const { questionHash } = await readRequest(page, request);
  const body = { action: "accept", content: { approve: true }, questionHash };
  expect((await apiOf(page).write("POST", `/input-requests/${request}/answer`, body)).status()).toBe(202);
  await page.reload();
  await expect(
    page.getByText(`It is kept, and goes to ${NAME} once somebody has signed in there.`),
  ).toBeVisible();
  await expect(page.getByText(`connection to ${NAME} needs a new sign-in.`)).toBeVisible();
  await checkAppearance(page, "oauth answer waits");
  await page.goto(serverPage);
  await expect(own(page)).toContainText("Needs a new sign-in");
  await expect(own(page)).toContainText("1 task waits for it.");
  await checkAppearance(page, "oauth needs sign-in");
  expect(inner.answers).toHaveLength(0);
  await page.getByRole("button", { name: "Sign in again… (your own)" }).click();
  await page.getByRole("button", { name: `Go to ${authority.hostAndPort}` }).click(SOON);
  await signInThere(page);
  await page.goto(task);
  await expect(page.locator("header").getByText("Completed")).toBeVisible(SOON);
  expect([inner.answers.length, inner.calls.length]).toEqual([1, 1]);

  // The engine goes on with what takes long; who disconnects is told of it.
  const list = await apiOf(page).get<{ items: { id: string; name: string }[] }>("/servers");
  const serverId = list.items.find(({ name }) => name === NAME)?.id;
  await apiOf(page).write("POST", "/tasks", { serverId, tool: "wait" });
  await expect.poll(() => inner.calls.length, SOON).toBe(2);
  remote.behave.needs = (method) => (method === "tools/call" ? "mcp:admin" : null);
  await apiOf(page).write("POST", "/tasks", { serverId, tool: "quick" });
  await page.goto(serverPage);
  await expect(own(page)).toContainText("needs mcp:admin", { timeout: 60_000 });
  await checkAppearance(page, "oauth needs rights");
  await page.getByRole("button", { name: "Disconnect… (your own)" }).click();
  const ending = page.getByRole("dialog", { name: "Disconnect your connection?" });
  await expect(ending).toContainText("not cancelled");
  await checkAppearance(page, "oauth disconnect");
  await ending.getByRole("button", { name: "Disconnect" }).click();
  await expect(own(page)).toContainText("Not connected");
  await expect(own(page)).toContainText("2 tasks wait for it.");
  // Not before: the engine tries the call again, which would end its task.
  remote.behave.needs = undefined;
  // The provider is told after the page knows.
  const revoked = () =>
    authority.seen
      .filter(({ path }) => path === "/token/revocation")
      .map(({ form }) => form.get("token_type_hint"));
  await expect.poll(revoked, SOON).toEqual(["refresh_token", "access_token"]);
  await findNoSecret(page, [task, `/inbox/${request}`]);
});

/** Neither pages and answers nor what the browser keeps for scripts hold a token, a code, or the session's secret. */
async function findNoSecret(page: Page, places: string[]): Promise<void> {
  const forms = authority.seen.flatMap(({ form }) =>
    ["code", "code_verifier", "refresh_token", "client_secret", "token"].map((name) => form.get(name)),
  );
  const tokens = remote.seen.map(({ token }) => token);
  const cookies = (await page.context().cookies()).filter(({ httpOnly }) => httpOnly);
  const secrets = [...new Set([...forms, ...tokens, ...cookies.map(({ value }) => value)])].filter(
    (secret): secret is string => Boolean(secret) && String(secret).length >= 16,
  );
  expect(secrets.length).toBeGreaterThan(5);
  const api = `/api/v1${places[0]}`;
  const answers = [api, `${api}/events`, `${api}/messages`, `/api/v1${serverPage}`, "/api/v1/servers"];
  const pages = [...places, serverPage, "/inbox", "/tasks", "/servers", "/settings/security"];
  const found = await Promise.all(
    [...answers, ...pages].map(async (path) => (await page.request.get(path)).text()),
  );
  found.push(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie])));
  for (const text of found) expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
}

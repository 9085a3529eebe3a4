/** From the demonstration to an installation of one's own, and never back. */
import { expect, type Page, test } from "@playwright/test";
import { type Intray, startIntray } from "./intray.ts";

const OWNER = { name: "Dana", email: "dana@example.com", password: "correct horse battery" };

test.setTimeout(120_000);

let intray: Intray;
test.beforeAll(async () => {
  intray = await startIntray();
});
test.afterAll(() => intray.stop());

test("setting up makes the first owner and ends the demonstration for good", async ({ browser }) => {
  const open = async () => (await browser.newContext({ baseURL: intray.url })).newPage();
  const demo = await open();
  await demo.goto("/sign-in");
  await demo.getByRole("button", { name: /^Ola\b/ }).click();
  await expect(demo).toHaveURL(/\/tasks$/);
  const key = await intray.command("key", "create", "--org", "acme", "--role", "viewer");
  const withKey = async () =>
    (await fetch(`${intray.url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } })).status;
  expect(await withKey()).toBe(200);

  const page = await open();
  await page.goto("/sign-in");
  await page.getByRole("link", { name: "Set Intray up" }).click();
  await page.getByLabel("Organization").fill("Initech");
  await page.getByLabel("Your name").fill(OWNER.name);
  await page.getByLabel("E-mail").fill(OWNER.email);
  await page.getByLabel("Password").fill("short");
  await page.getByRole("button", { name: "Set up" }).click();
  await expect(page.getByLabel("Password")).toHaveAttribute("aria-invalid", "true");
  await page.getByLabel("Password").fill(OWNER.password);
  await page.getByRole("button", { name: "Set up" }).click();
  await expect(page.getByRole("navigation", { name: "Main" })).toContainText("Initech");
  await expect(page.getByRole("button", { name: "Dana: account and appearance" })).toBeVisible();

  expect(await withKey()).toBe(401);
  expect((await demo.request.get("/api/v1/me")).status()).toBe(401);
  await demo.goto("/tasks");
  await expect(demo).toHaveURL(/\/sign-in/);
  await expectNoDemo(demo);
  await demo.goto("/setup");
  await expect(demo).toHaveURL(/\/sign-in/);

  await page.getByRole("button", { name: "Dana: account and appearance" }).click();
  const cookies = await page.context().cookies();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  // The session is over on the server too, not only forgotten by this browser.
  await page.context().addCookies(cookies);
  expect((await page.request.get("/api/v1/me")).status()).toBe(401);
  await page.context().clearCookies();

  await signIn(page, OWNER.email, "wrong horse battery");
  await expect(page.getByRole("alert").filter({ hasText: /password/i })).toBeVisible();
  await expect(page).toHaveURL(/\/sign-in/);
  await signIn(page, OWNER.email, OWNER.password);
  await expect(page.getByRole("button", { name: "Dana: account and appearance" })).toBeVisible();

  const link = await intray.command(
    "user",
    "create",
    "vera@example.com",
    "--org",
    "initech",
    "--role",
    "viewer",
  );
  await demo.goto(link);
  await demo.getByLabel("New password").fill(OWNER.password);
  await demo.getByRole("button", { name: "Save password" }).click();
  await expect(demo).toHaveURL(/\/sign-in/);
  await signIn(demo, "vera@example.com", OWNER.password);
  await expect(demo.getByRole("button", { name: "Vera: account and appearance" })).toBeVisible();
  const late = await open();
  await late.goto(link);
  await late.getByLabel("New password").fill("another horse battery");
  await late.getByRole("button", { name: "Save password" }).click();
  await expect(late.getByText("This link was used or has expired")).toBeVisible();

  await intray.restart();
  await late.goto("/sign-in");
  await expectNoDemo(late);
  await page.goto("/servers");
  await expect(page.getByText("No server is connected yet")).toBeVisible();
  expect(await withKey()).toBe(401);
  for (const each of [demo, page, late]) await each.context().close();
});

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

async function expectNoDemo(page: Page): Promise<void> {
  await expect(page.getByLabel("Password")).toBeVisible();
  await expect(page.getByText("Demo: come in as")).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Ola\b/ })).toHaveCount(0);
}

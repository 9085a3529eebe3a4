/** A member lets an agent in, in a real browser: an official client, its callback on this computer, and no. */
import { type AgentCallback, beginSignIn, startCallback } from "./fixtures/agent-client.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { expect, openPhoneAs, test } from "./fixtures/test.ts";

let callback: AgentCallback;

test.beforeAll(async () => {
  callback = await startCallback();
});
test.beforeEach(() => {
  callback.arrived.length = 0;
});
test.afterAll(() => callback.close());

const begin = (name: string) => beginSignIn(process.env.E2E_URL ?? "", name, callback.redirect);

test("a member lets an agent in, finds it among the sessions, and ends it", { tag: "@journey" }, async ({
  ola,
}) => {
  const { address, exchange } = await begin("Claude Code");
  await ola.goto(address);
  await expect(ola.getByRole("heading", { name: "An agent asks to act as you" })).toBeVisible();
  await expect(ola.getByText("Claude Code")).toBeVisible();
  await expect(ola.getByText("Name (not verified)")).toBeVisible();
  await expect(ola.getByText("Unknown publisher")).toBeVisible();
  await expect(ola.getByText("A program on this computer", { exact: true })).toBeVisible();
  await expect(ola.getByText(/Ola.*, operator of Acme/)).toBeVisible();
  await checkAppearance(ola, "an agent asks");
  await ola.getByRole("button", { name: "Allow", exact: true }).click();
  await expect(ola.getByText("Connected")).toBeVisible();
  expect(callback.arrived.map(({ searchParams }) => searchParams.get("state"))).toEqual(["its own"]);
  const tokens = await exchange(callback.arrived[0] as URL);
  expect(tokens.refresh_token).toBeTruthy();

  await ola.goto("/settings/security");
  const row = ola
    .getByRole("list", { name: "Sessions" })
    .getByRole("listitem")
    .filter({ hasText: "Claude Code" });
  await expect(row.getByText("Agent", { exact: true })).toBeVisible();
  await checkAppearance(ola, "sessions with an agent");
  await row.getByRole("button", { name: /^End/ }).click();
  await expect(row).toHaveCount(0);
});

test("no is one press, by keys alone too, and Enter on arrival decides nothing", async ({ ola }) => {
  const { address } = await begin("Unwanted");
  await ola.goto(address);
  await expect(ola.getByText("Unwanted")).toBeVisible();
  await ola.keyboard.press("Enter");
  await expect(ola.getByRole("button", { name: "Deny" })).toBeEnabled();
  await ola.getByRole("button", { name: "Deny" }).focus();
  await ola.keyboard.press("Enter");
  await expect(ola.getByText("Connected")).toBeVisible();
  expect(callback.arrived.map(({ searchParams }) => searchParams.get("error"))).toEqual(["access_denied"]);
});

test("who is not signed in signs in first; who follows another's link is told that it is over", async ({
  browser,
  ola,
  ben,
}) => {
  const { address } = await begin("Shared");
  const stranger = await (await browser.newContext({ baseURL: process.env.E2E_URL ?? "" })).newPage();
  await stranger.goto(address);
  await expect(stranger).toHaveURL(/\/sign-in\?callbackUrl=%2Fagents%2Foauth%2Fauth/);
  await stranger.getByRole("button", { name: /^Ola\b/ }).click();
  await expect(stranger.getByText("Shared")).toBeVisible();
  const link = stranger.url();
  await stranger.context().close();

  await ola.goto(link);
  await expect(ola.getByRole("heading", { name: "This sign-in has expired" })).toBeVisible();
  await checkAppearance(ola, "an agent's question that is over");
  // Approvers start nothing.
  await ben.goto(address);
  await expect(ben.getByRole("heading", { name: "Your role can’t use agents" })).toBeVisible();
});

test("on a phone everything is in sight", async ({ browser }) => {
  const { address } = await begin("A name that is long enough to need a second line on a phone, and no more");
  const phone = await openPhoneAs(browser, "Ola");
  await phone.goto(address);
  await expect(phone.getByRole("button", { name: "Allow", exact: true })).toBeVisible();
  await checkAppearance(phone, "an agent asks, on a phone");
  await phone.context().close();
});

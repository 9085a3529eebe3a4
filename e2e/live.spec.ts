/** Live updates: one stream for all tabs, and an honest notice about lost connections. */
import { get } from "node:http";
import type { BrowserContext, Page } from "@playwright/test";
import { checkAppearance, ON_DESKTOP } from "./fixtures/appearance.ts";
import { startIntray } from "./fixtures/intray.ts";
import {
  apiOf,
  askAbout,
  backTo,
  deliverySteps,
  expect,
  openPageAs,
  readRequest,
  requestPane,
  SOON,
  signIn,
  startInvoice,
  test,
} from "./fixtures/test.ts";

/** As many as the server allows one person at once. */
const MOST_STREAMS = 8;

test("all tabs of a browser share one stream, and another takes over when its tab is gone", async ({
  browser,
  ola,
}) => {
  test.setTimeout(120_000);
  const first = await openPageAs(browser, "Cleo");
  await first.goto("/inbox?tab=all&order=newest");
  await expect.poll(() => streamsOf(first.context()), SOON).toBe(1);
  const second = await first.context().newPage();
  await second.goto("/inbox?tab=all&order=newest");
  await expect(second.getByRole("region", { name: "Requests" })).toBeVisible();
  const received = { first: await listen(first), second: await listen(second) };

  const { id, taskId } = await startInvoice(ola);
  for (const page of [first, second]) await expect(rowOf(page, id)).toBeVisible(SOON);
  // Only the leading tab reads the stream; the other one gets the hint from it.
  await expect
    .poll(async () => [...(await received.first()), ...(await received.second())])
    .toContain(taskId);
  expect(await streamsOf(first.context())).toBe(1);

  const taken = second.waitForRequest("**/api/v1/stream");
  await first.close();
  await taken;
  await expect.poll(() => streamsOf(second.context()), SOON).toBe(1);
  const next = await startInvoice(ola);
  await expect(rowOf(second, next.id)).toBeVisible(SOON);
  await second.context().close();
});

test("offline, the buttons are off and say why, and what was typed stays; nothing goes out later", async ({
  ola,
  ben,
}) => {
  const { requestId } = await askAbout(ola, ben);
  const pane = requestPane(ben);
  await pane.getByRole("button", { name: "Add a comment…" }).click();
  await pane.getByRole("textbox", { name: /comment/i }).fill("checked by phone");
  await ben.context().setOffline(true);
  await expect(
    ben.getByText("You’re offline. Decisions are paused. This page may be out of date."),
  ).toBeVisible();
  await expect(pane.getByText("You’re offline. Decisions are paused.", { exact: true })).toBeVisible();
  for (const name of ["Approve", "Reject"])
    await expect(pane.getByRole("button", { name, exact: true })).toBeDisabled();
  await ben.keyboard.press("Escape");
  await ben.keyboard.press("a");
  await checkAppearance(ben, "offline", ON_DESKTOP);
  await expect(pane.getByRole("textbox", { name: /comment/i })).toHaveValue("checked by phone");

  await ben.context().setOffline(false);
  await expect(
    ben.getByText("You’re offline. Decisions are paused. This page may be out of date."),
  ).toHaveCount(0);
  expect(await readRequest(ola, requestId)).toMatchObject({ state: "open", answer: null });
  await pane.getByRole("button", { name: "Approve" }).click();
  await backTo(ben, requestId);
  await expect(deliverySteps(ben).first()).toContainText("Recorded, done");
  expect((await readRequest(ola, requestId)).answer).toMatchObject({ comment: "checked by phone" });
});

test("what is asked for offline, before its script has come, opens once the network is back", async ({
  ola,
  ben,
}) => {
  const { requestId } = await askAbout(ola, ben);
  await ben.context().setOffline(true);
  await expect(
    ben.getByText("You’re offline. Decisions are paused. This page may be out of date."),
  ).toBeVisible();
  await ben.keyboard.press("?");
  await ben.context().setOffline(false);
  await expect(ben.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible(SOON);
  expect(await readRequest(ola, requestId)).toMatchObject({ state: "open", answer: null });
});

test("a session that ended elsewhere leaves the page and what was typed as they are", async ({
  browser,
  ola,
}) => {
  const page = await openPageAs(browser, "Cleo");
  const { requestId } = await askAbout(ola, page);
  const pane = requestPane(page);
  await pane.getByRole("button", { name: "Add a comment…" }).click();
  await pane.getByRole("textbox", { name: /comment/i }).fill("half a thought");
  await page.context().clearCookies();
  // Saving the draft may tell the page first: the button is off then.
  await pane.getByRole("button", { name: "Approve" }).click({ force: true });
  await expect(page.getByText("You were signed out. Your text is still here.")).toBeVisible();
  await expect(pane.getByText("You were signed out. Sign in again to decide.")).toBeVisible();
  await expect(pane.getByRole("button", { name: "Approve" })).toBeDisabled();
  await checkAppearance(page, "signed out elsewhere", ON_DESKTOP);

  const opened = page.context().waitForEvent("page");
  await page.getByRole("link", { name: "Sign in again" }).click();
  const tab = await opened;
  await tab.waitForLoadState();
  await tab.getByRole("button", { name: /^Cleo\b/ }).click();
  await expect(tab).toHaveURL(new RegExp(`/inbox/${requestId}$`));
  await expect(page.getByRole("link", { name: "Sign in again" })).toHaveCount(0, SOON);
  await expect(pane.getByRole("textbox", { name: /comment/i })).toHaveValue("half a thought");
  await pane.getByRole("button", { name: "Approve" }).click();
  await backTo(page, requestId);
  await expect(deliverySteps(page).first()).toContainText("Recorded, done");
  expect((await readRequest(ola, requestId)).answer).toMatchObject({ comment: "half a thought" });
  await page.context().close();
});

test("killed servers are told of, and everything is read again when they are back", async ({ browser }) => {
  test.setTimeout(240_000);
  const intray = await startIntray({ INVOICE_STEP_DELAY_MS: "200" });
  try {
    const page = await (await browser.newContext({ baseURL: intray.url })).newPage();
    await signIn(page, "Ola");
    await page.goto("/inbox");
    await expect(page.getByText("You’re all caught up")).toBeVisible();

    // The question comes while the page has no connection.
    const id = await startFrom(page);
    // A short break shows no notice, so the test ends the stream until one shows.
    await expect(async () => {
      await intray.kill("web");
      await expect(
        page.getByText("Intray can’t be reached. Decisions are paused. This page may be out of date."),
      ).toBeVisible({ timeout: 500 });
    }).toPass({ timeout: 60_000 });
    await expect(
      page.getByText("Intray can’t be reached. Decisions are paused. This page may be out of date."),
    ).toHaveCount(0, { timeout: 60_000 });
    await expect(rowOf(page, id)).toBeVisible({ timeout: 60_000 });

    await intray.kill("postgres");
    await expect(rowOf(page, id)).toBeVisible();
    await expect
      .poll(() => page.request.get("/readyz").then((answer) => answer.status()), {
        timeout: 60_000,
      })
      .toBe(200);
    await page.goto("/inbox");
    await expect(rowOf(page, id)).toBeVisible({ timeout: 60_000 });
    await page.context().close();
  } finally {
    await intray.stop();
  }
});

const rowOf = (page: Page, id: string) =>
  page.getByRole("region", { name: "Requests" }).getByRole("listitem").filter({ hasText: id }).first();

/** How many streams the server holds open for this person: what is left of the most that it allows. */
async function streamsOf(context: BrowserContext): Promise<number> {
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  const opened: { destroy: () => void }[] = [];
  const openOne = () =>
    new Promise<boolean>((resolve, reject) => {
      const url = `${process.env.E2E_URL}/api/v1/stream`;
      const call = get(url, { headers: { cookie }, agent: false }, (answer) => {
        opened.push(answer);
        if (answer.statusCode === 429) return resolve(false);
        return answer.statusCode === 200 ? resolve(true) : reject(new Error(`stream: ${answer.statusCode}`));
      });
      call.on("error", reject);
    });
  let mine = 0;
  while (mine < MOST_STREAMS && (await openOne())) mine++;
  for (const each of opened) each.destroy();
  // The server counts closed streams until it notices their end.
  await expect
    .poll(async () => {
      const one = await openOne();
      opened.pop()?.destroy();
      return one;
    })
    .toBe(true);
  return MOST_STREAMS - mine;
}

/** Gathers what the tab that reads the stream tells this one. */
async function listen(page: Page): Promise<() => Promise<string[]>> {
  const me = await apiOf(page).get<{ user: { id: string }; organization: { id: string } }>("/me");
  await page.evaluate((scope) => {
    const ids: string[] = [];
    Object.assign(window, { received: ids });
    new BroadcastChannel(`intray:${scope}`).onmessage = ({ data }) => ids.push(data.id);
  }, `${me.user.id}:${me.organization.id}`);
  return () => page.evaluate(() => (window as unknown as { received: string[] }).received);
}

/** Starts the sample invoice as the page's own script would. */
async function startFrom(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const servers = await (await fetch("/api/v1/servers")).json();
    const invoice = await (await fetch("/samples/invoice-acme.json")).json();
    const answer = await fetch("/api/v1/tasks", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        serverId: servers.items[0].id,
        tool: "process_invoice",
        arguments: { invoice: { ...invoice, invoice_id: "INV-AWAY" } },
      }),
    });
    if (answer.status !== 201) throw new Error(`start: ${answer.status}`);
    return "INV-AWAY";
  });
}

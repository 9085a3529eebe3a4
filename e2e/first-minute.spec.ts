/** What people see who come in just after the first start of the demonstration, and that the next start changes nothing. */
import { type Browser, devices, type Page } from "@playwright/test";
import type { Page as ListPage } from "../lib/base/page.ts";
import type { InputRequestSummary } from "../lib/requests/request-schema.ts";
import type { Server } from "../lib/servers/server-schema.ts";
import type { TaskSummary } from "../lib/tasks/task-schema.ts";
import { type Intray, startIntray } from "./fixtures/intray.ts";
import { expect, requestPane, SOON, signIn, test } from "./fixtures/test.ts";

test.describe.configure({ mode: "serial" });

/** The step goes on while the app is up already. */
const SEEDED = { timeout: 120_000 };
const WAITING = [
  "INV-1042",
  "INV-1043",
  "INV-1039",
  "FX-311",
  "EXP-204",
  "PR-87",
  "SUP-118",
  "PAY-0714",
  "INV-1040",
].sort();

let intray: Intray;
test.beforeAll(async () => {
  intray = await startIntray({ INTRAY_DEMO_TASKS: "1" });
});
test.afterAll(() => intray?.stop());

async function comeIn(browser: Browser, person: Parameters<typeof signIn>[1], more = {}): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: intray.url, ...more })).newPage();
  await signIn(page, person);
  return page;
}

const read = async <T>(page: Page, path: string): Promise<T[]> => {
  const response = await page.request.get(`/api/v1${path}`);
  expect(response.status(), path).toBe(200);
  return ((await response.json()) as ListPage<T>).items;
};
const labels = (items: { label: string | null }[]) => items.map(({ label }) => label).sort();
const openOf = (page: Page) => read<InputRequestSummary>(page, "/input-requests?state=open&limit=100");

test("Ben sees what ends soonest, an invoice with its two buttons, and every other kind of request", async ({
  browser,
}) => {
  const ben = await comeIn(browser, "Ben");
  await expect(ben).toHaveURL(/\/inbox$/);
  const pane = requestPane(ben);
  await expect.poll(async () => labels(await openOf(ben)), SEEDED).toEqual(WAITING);
  await ben.reload();
  await expect(pane.getByRole("heading", { level: 2 }).first()).toContainText("PAY-0714");

  const open = async (label: string) => {
    const request = (await openOf(ben)).find((each) => each.label === label);
    await ben.goto(`/inbox/${request?.id}`);
    await expect(pane.getByRole("heading", { level: 2 }).first()).toContainText(label);
  };
  await open("INV-1042");
  for (const name of ["Approve", "Reject"])
    await expect(pane.getByRole("button", { name, exact: true })).toBeVisible();
  // Its lines were due before the first start.
  await expect(pane.getByText(/\d+ days? overdue/).first()).toBeVisible();
  await open("INV-1039");
  await expect(pane.getByLabel("Cost center")).toBeVisible();
  await expect
    .poll(async () => (await openOf(ben)).find(({ label }) => label === "FX-311")?.message, SOON)
    .toContain("firm rate");
  await open("FX-311");
  await expect(pane.getByText("€44,097.60").first()).toBeVisible();
  await open("EXP-204");
  await expect(pane.getByLabel("Amount to reimburse")).toBeVisible();
  await open("PR-87");
  await expect(pane.getByRole("button", { name: "Tall Oak, $6,640.00" })).toBeVisible();
  await open("SUP-118");
  await expect(pane.getByText("Only Ana may open this site").first()).toBeVisible();
  await open("PAY-0714");
  await expect(pane.getByText(/\b5\d min left/).first()).toBeVisible();
});

test("Ola sees the tasks; Ana sees what waits, one press away, and servers that are known", async ({
  browser,
}) => {
  const ola = await comeIn(browser, "Ola");
  await expect(ola).toHaveURL(/\/tasks$/);
  await expect(ola.getByRole("link", { name: /INV-1042/ }).first()).toBeVisible();
  const decided = async () => {
    const tasks = await read<TaskSummary>(ola, "/tasks?limit=100");
    const of = (number: string) => tasks.find(({ label }) => label === number);
    return { count: tasks.length, paid: of("INV-1036"), rejected: of("INV-1037"), failed: of("BS-2026-44") };
  };
  await expect.poll(decided, SEEDED).toMatchObject({
    count: 15,
    paid: { state: "completed", outcome: "PAID" },
    rejected: { state: "completed", outcome: "REJECTED" },
    failed: { state: "failed" },
  });

  const ana = await comeIn(browser, "Ana");
  await expect(ana).toHaveURL(/\/overview$/);
  const waiting = ana.getByRole("link", { name: /^Waiting for a person \d/ });
  await expect(waiting).toContainText(String(WAITING.length));
  await waiting.click();
  await expect(ana).toHaveURL(/\/inbox\?tab=all$/);
  await expect(ana.getByRole("region", { name: "Requests" }).getByText("INV-1043").first()).toBeVisible();
  for (const server of await read<Server>(ana, "/servers"))
    expect(server).toMatchObject({
      health: { state: "ok" },
      era: server.name.endsWith(")") ? "2025-11-25" : "2026-07-28",
    });
});

test("a site is opened by Ana, its button pressed there, and the task goes on", async ({ browser }) => {
  const ana = await comeIn(browser, "Ana");
  const request = (await openOf(ana)).find(({ label }) => label === "SUP-118");
  await ana.goto(`/inbox/${request?.id}`);
  const pane = requestPane(ana);
  await pane.getByRole("checkbox", { name: /^I know localhost/ }).check();
  const [site] = await Promise.all([
    ana.context().waitForEvent("page"),
    pane.getByRole("link", { name: /^Open localhost/ }).click(),
  ]);
  await expect(site.getByRole("heading", { level: 1 })).toHaveText("New bank details of Kestrel IT Services");
  await site.getByRole("button", { name: "The details are right" }).click();
  await expect(site.getByRole("status")).toContainText("Go back to where you were asked");
  await site.close();
  await pane.getByRole("button", { name: /Continue/ }).click();
  await expect
    .poll(async () => (await read<TaskSummary>(ana, "/tasks?q=SUP-118"))[0]?.outcome, SOON)
    .toBe("Confirmed");
});

test("on a phone the list comes first", async ({ browser }) => {
  const { defaultBrowserType: _, ...phone } = devices["Pixel 7"];
  const ben = await comeIn(browser, "Ben", phone);
  await expect(ben).toHaveURL(/\/inbox$/);
  await expect(requestPane(ben)).toBeHidden();
  await ben
    .getByRole("region", { name: "Requests" })
    .getByRole("link", { name: /INV-1042/ })
    .click();
  await expect(requestPane(ben).getByRole("button", { name: "Approve", exact: true })).toBeInViewport();
});

test("a second start adds nothing, and leaves what people did", async ({ browser }) => {
  const before = await comeIn(browser, "Ben");
  const pane = requestPane(before);
  const invoice = (await openOf(before)).find(({ label }) => label === "INV-1042");
  await before.goto(`/inbox/${invoice?.id}`);
  await expect(pane.getByRole("heading", { level: 2 }).first()).toContainText("Invoice INV-1042");
  await pane.getByRole("button", { name: "Reject", exact: true }).click();
  const outcome = async (page: Page) => (await read<TaskSummary>(page, "/tasks?q=INV-1042"))[0]?.outcome;
  await expect.poll(() => outcome(before), SOON).toBe("REJECTED");
  const numbers = labels(await read<TaskSummary>(before, "/tasks?limit=100"));
  const open = labels(await openOf(before));

  await intray.restart();
  const after = await comeIn(browser, "Ben");
  expect(await outcome(after)).toBe("REJECTED");
  expect(labels(await read<TaskSummary>(after, "/tasks?limit=100"))).toEqual(numbers);
  expect(labels(await openOf(after))).toEqual(open);
});

/** The demonstration's people, each in a browser of their own, and what a test does for them behind the screen. */
import {
  type Browser,
  type BrowserContext,
  test as base,
  expect,
  type Locator,
  type Page,
} from "@playwright/test";
import type { Page as ListPage } from "../lib/base/page.ts";
import type { InputRequestDetail, InputRequestSummary } from "../lib/input-requests/schema.ts";
import type { Server } from "../lib/servers/schema.ts";
import type { TaskDetail } from "../lib/tasks/schema.ts";
import { readLedger } from "../test/sample-ledger.ts";
import { shareIntray } from "./shared-intray.ts";

export { expect };

export const ERAS = ["Finance ERP", "Finance ERP (2025-11-25)"];

export type Person = "Ana" | "Ola" | "Ben" | "Cleo" | "Gus";

/** Longer than any step of a task takes here: the server's poll interval is 2 s, and waits back off. */
export const SOON = { timeout: 30_000 };

interface ForAWorker {
  /** The Intray that the files of a worker share; made for the first that needs one. */
  intray: undefined;
}

export const test = base.extend<Record<Lowercase<Person>, Page>, ForAWorker>({
  intray: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads from it what a fixture needs
    async ({}, use) => {
      const shared = await shareIntray();
      await use(undefined);
      await shared.stop();
    },
    { scope: "worker", auto: true, timeout: 240_000 },
  ],
  baseURL: ({ intray: _ }, use) => use(process.env.E2E_URL),
  ana: ({ browser }, use) => atDesk(browser, "Ana", use),
  ola: ({ browser }, use) => atDesk(browser, "Ola", use),
  ben: ({ browser }, use) => atDesk(browser, "Ben", use),
  cleo: ({ browser }, use) => atDesk(browser, "Cleo", use),
  gus: ({ browser }, use) => atDesk(browser, "Gus", use),
});

/** Errors of the page's scripts fail the test. */
async function atDesk(browser: Browser, person: Person, use: (page: Page) => Promise<void>): Promise<void> {
  const page = await openDesk(browser, person);
  const errors = collectErrors(page);
  await use(page);
  await page.context().close();
  expect(errors).toEqual([]);
}

type Session = Awaited<ReturnType<BrowserContext["storageState"]>>;
const sessions = new Map<Person, Session>();

/** A new browser of someone who signed in before; the first time, by the click. */
export async function openDesk(browser: Browser, person: Person): Promise<Page> {
  const storageState = sessions.get(person);
  // The test runner fills in the address by itself; the gallery and the benches have none.
  const context = await browser.newContext({
    baseURL: process.env.E2E_URL ?? "",
    ...(storageState && { storageState }),
  });
  const page = await context.newPage();
  if (!storageState) {
    await signIn(page, person);
    await apiOf(page).write("PATCH", "/me/preferences", { tourSeen: true });
    sessions.set(person, await context.storageState());
  }
  return page;
}

function collectErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    // The browser reports refused calls as errors too; those are for the tests to judge.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      errors.push(message.text());
  });
  return errors;
}

export async function signIn(page: Page, person: Person): Promise<void> {
  await page.goto("/sign-in");
  await page.getByRole("button", { name: new RegExp(`^${person}\\b`) }).click();
  await expect(page.getByRole("button", { name: `${person}: account and appearance` })).toBeVisible();
}

/** The API as this person's browser calls it. */
export function apiOf(page: Page) {
  const origin = process.env.E2E_URL ?? "";
  return {
    async get<T>(path: string): Promise<T> {
      const response = await page.request.get(`/api/v1${path}`);
      expect(response.status(), path).toBe(200);
      return response.json();
    },
    write: (method: "POST" | "PUT" | "PATCH", path: string, data?: unknown) =>
      page.request.fetch(`/api/v1${path}`, { method, data, headers: { origin } }),
  };
}

let made = 0;

/** Tests must not meet each other's invoices, nor those of an earlier run. */
export function newInvoiceId(): string {
  made++;
  return `INV-${Date.now().toString(36).toUpperCase()}-${made}`;
}

export interface StartedInvoice {
  id: string;
  taskId: string;
}

/** Starts a sample invoice as this person would, without the form. */
export async function startInvoice(
  page: Page,
  {
    era = ERAS[0],
    sample = "acme",
    id = newInvoiceId(),
    changes = {},
  }: { era?: string | undefined; sample?: "acme" | "large"; id?: string; changes?: object } = {},
): Promise<StartedInvoice> {
  const api = apiOf(page);
  const servers = (await api.get<ListPage<Server>>("/servers")).items;
  const invoice = await (await page.request.get(`/samples/invoice-${sample}.json`)).json();
  const response = await api.write("POST", "/tasks", {
    serverId: servers.find((server) => server.name === era)?.id,
    tool: "process_invoice",
    arguments: { invoice: { ...invoice, invoice_id: id, ...changes } },
  });
  expect(response.status()).toBe(201);
  return { id, taskId: ((await response.json()) as TaskDetail).id };
}

/** The task's open question, once there is one that holds `text`. */
export async function openRequest(page: Page, taskId: string, text = ""): Promise<string> {
  let found: InputRequestSummary | undefined;
  await expect
    .poll(async () => {
      const list = await apiOf(page).get<ListPage<InputRequestSummary>>(
        `/input-requests?taskId=${taskId}&state=open`,
      );
      found = list.items.find((request) => request.message.includes(text));
      return found?.id;
    }, SOON)
    .toBeTruthy();
  return found?.id ?? "";
}

/** Starts an invoice and brings its first question before a person. */
export async function askAbout(
  starter: Page,
  approver: Page,
  options?: Parameters<typeof startInvoice>[1],
): Promise<StartedInvoice & { requestId: string }> {
  const invoice = await startInvoice(starter, options);
  const requestId = await openRequest(starter, invoice.taskId);
  await approver.goto(`/inbox/${requestId}`);
  await expect(requestPane(approver).getByRole("heading", { level: 2 }).first()).toContainText(invoice.id);
  return { ...invoice, requestId };
}

export function readRequest(page: Page, requestId: string): Promise<InputRequestDetail> {
  return apiOf(page).get(`/input-requests/${requestId}`);
}

/** Answers at once, without the screen and without a hold. */
export async function answer(page: Page, requestId: string, content: Record<string, unknown>): Promise<void> {
  const { questionHash } = await readRequest(page, requestId);
  const body = { action: "accept", content, questionHash };
  const response = await apiOf(page).write("POST", `/input-requests/${requestId}/answer`, body);
  expect(response.status()).toBe(202);
}

/** How long answers are held, for everyone. */
export async function setUndoWindow(browser: Browser, holdMs: number): Promise<void> {
  const ana = await openDesk(browser, "Ana");
  expect((await apiOf(ana).write("PUT", "/undo-window", { holdMs })).status()).toBe(200);
  await ana.context().close();
}

export const requestPane = (page: Page): Locator =>
  page.getByRole("region", { name: "Request", exact: true });
/** Back to a request that was decided: the next one opened by itself. Waits for the server to have the decision. */
export async function backTo(page: Page, requestId: string): Promise<void> {
  await expect.poll(async () => (await readRequest(page, requestId)).state, SOON).not.toBe("open");
  await page.goto(`/inbox/${requestId}`);
}

export const deliverySteps = (page: Page): Locator =>
  page.getByRole("list", { name: "Delivery" }).getByRole("listitem");
/** Name, state and buttons of a task. */
export const taskHeader = (page: Page): Locator => page.getByRole("main").locator("header");

export const invoiceServer = () => process.env.E2E_INVOICE_URL ?? "";

/** What the sample server was told about an invoice, and which of its lines it paid. */
export async function ledgerOf(invoiceId: string) {
  const all = await readLedger(invoiceServer());
  const tasks = all.filter((line) => line.kind === "created" && line.data.invoiceId === invoiceId);
  const lines = all.filter((line) => tasks.some((task) => task.taskId === line.taskId));
  return {
    tasks: tasks.length,
    told: lines.filter((line) => line.kind === "told").map((line) => line.data),
    paid: lines.filter((line) => line.kind === "paid").map((line) => line.data.line),
  };
}

/** Presses Tab until the focus is there, within reason; it may be there already. `press`: how keys are pressed. */
export async function tabTo(
  page: Page,
  target: Locator,
  press = (key: string) => page.keyboard.press(key),
): Promise<void> {
  await expect(target).toBeVisible();
  for (let presses = 0; presses < 150; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await press("Tab");
  }
  throw new Error(`Tab does not lead to ${target}`);
}

/** Waits until keys mean something: what the server has drawn is seen before its scripts listen. */
export async function keysListen(page: Page): Promise<void> {
  const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(async () => {
    await page.keyboard.press("?");
    await expect(sheet).toBeVisible({ timeout: 2_000 });
  }).toPass(SOON);
  await page.keyboard.press("Escape");
  await expect(sheet).toBeHidden();
}

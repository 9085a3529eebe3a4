/** The job of the product by hand: tasks are started, ask, are answered, and move on; and what can come between. */
import type { Page } from "@playwright/test";
import { forcePay } from "../test/fixtures/sample-ledger.ts";
import {
  answer,
  apiOf,
  askAbout,
  backTo,
  deliverySteps,
  ERAS,
  expect,
  expectToast,
  invoiceServer,
  keysListen,
  ledgerOf,
  newInvoiceId,
  openPageAs,
  openRequest,
  readRequest,
  requestPane,
  SOON,
  setUndoWindow,
  signIn,
  startInvoice,
  taskHeader,
  test,
} from "./fixtures/test.ts";

for (const era of ERAS) {
  const tag = era === ERAS[0] ? "@journey" : [];
  test(`an invoice is started, approved and paid on ${era}`, { tag }, async ({ ola, ben }) => {
    const id = newInvoiceId();
    await ola.goto("/tasks/new");
    await ola.getByRole("combobox", { name: "Server" }).selectOption({ label: era });
    await expect(ola.getByRole("radio", { name: "Process an invoice" })).toBeChecked();
    await ola.getByRole("button", { name: "Fill in the sample invoice" }).click();
    await expect(ola.getByLabel("Customer")).toHaveValue("ACME Corp");
    await ola.getByLabel("Invoice number").fill(id);
    await ola.getByRole("button", { name: "Start task" }).click();
    await expect(ola.getByRole("heading", { level: 1 })).toHaveText(`process_invoice · ${id}`);
    await expect(taskHeader(ola)).toContainText("Waiting for a person", SOON);

    await ben.goto("/inbox");
    await ben.getByRole("searchbox", { name: "Search requests" }).fill(id);
    const row = ben.getByRole("region", { name: "Requests" }).getByRole("link", { name: id });
    await row.click();
    const requestId = (await row.getAttribute("id"))?.replace("row-", "") ?? "";
    const pane = requestPane(ben);
    await expect(pane.getByRole("heading", { level: 2 }).first()).toHaveText(
      `Invoice ${id} for ACME Corp ($1000.00) requires approval. Lines: 4 items.`,
    );
    await expect(pane.getByRole("table").getByRole("row")).toHaveText([
      "DescriptionDue dateAmount",
      /^Widget A\w+ \d+, \d{4}(\d+ days? overdue)?100\.00$/,
      /^Widget B\w+ \d+, \d{4}(\d+ days? overdue)?200\.00$/,
      /^Widget C\w+ \d+, \d{4}.*300\.00$/,
      /^Widget D\w+ \d+, \d{4}(\d+ days? overdue)?400\.00$/,
      "Sum of 4 linesMatches message1,000.00",
    ]);

    await pane.getByRole("button", { name: "Approve" }).click();
    await expectToast(ben, `Approved ${id} · `);
    await backTo(ben, requestId);
    const seen = await watchDelivery(ben);
    await expect(deliverySteps(ben).nth(3)).toContainText("Task moved on, done", SOON);
    await expect(pane.locator("#request-state").getByText("Approved", { exact: true })).toBeVisible();
    judgeDelivery(await seen());

    const status = ola.getByRole("region", { name: "Status" });
    await expect(status).toContainText("PAYING · 3 of 4 lines paid", SOON);
    await expect(taskHeader(ola)).toContainText("Working");
    expect((await ledgerOf(id)).paid.sort()).toEqual([1, 2, 4]);
    await forcePay(invoiceServer(), id);
    const badge = taskHeader(ola).getByText("Completed · PAID").locator("..");
    await expect(badge).toBeVisible(SOON);
    await expect(badge).toHaveClass(/bg-good-soft/);
    const ledger = await ledgerOf(id);
    expect(ledger.tasks).toBe(1);
    expect(ledger.told).toMatchObject([{ accepted: true, action: "accept", content: { value: "approve" } }]);
    expect(ledger.paid.sort()).toEqual([1, 2, 3, 4]);
  });
}

test("a rejected invoice is completed, says REJECTED, and is no success", async ({ ola, ben }) => {
  const { id, taskId, requestId } = await askAbout(ola, ben);
  await ola.goto(`/tasks/${taskId}`);
  await requestPane(ben).getByRole("button", { name: "Reject" }).click();
  const badge = taskHeader(ola).getByText("Completed · REJECTED").locator("..");
  await expect(badge).toBeVisible(SOON);
  await expect(badge).not.toHaveClass(/good/);
  await ola.goto(`/tasks?q=${id}`);
  await expect(ola.getByRole("row", { name: id })).toContainText(/Completed.*REJECTED/);
  await ben.goto(`/inbox/${requestId}`);
  await requestPane(ben).getByText("Rejected by Ben").first().waitFor();
  // The latest decision is on top of the list of decided requests.
  await ben.goto("/inbox?tab=done");
  await expect(ben.getByRole("region", { name: "Requests" }).getByRole("listitem").first()).toContainText(id);
});

test("of two approvers at once one wins, and the other sees who", async ({ ola, ben, cleo }) => {
  const { id, requestId } = await askAbout(ola, ben);
  await cleo.goto(`/inbox/${requestId}`);
  const bothPressed = barrier(2);
  for (const page of [ben, cleo]) {
    await page.route(`**/api/v1/input-requests/${requestId}/answer`, async (route) => {
      await bothPressed();
      await route.continue();
    });
  }
  await Promise.all([
    requestPane(ben).getByRole("button", { name: "Approve" }).click(),
    requestPane(cleo).getByRole("button", { name: "Reject" }).click(),
  ]);
  await expect
    .poll(async () => (await readRequest(ola, requestId)).answer?.by.name, SOON)
    .toMatch(/Ben|Cleo/);
  const winner = (await readRequest(ola, requestId)).answer?.by.name;
  const [first, second, word, value] =
    winner === "Ben"
      ? ([ben, cleo, "Approved", "approve"] as const)
      : ([cleo, ben, "Rejected", "reject"] as const);
  const refusal = requestPane(second).getByRole("alert");
  await expect(refusal).toContainText(`${winner} ${word.toLowerCase()} this`);
  await expect(refusal).toContainText("Yours was not recorded");
  await backTo(first, requestId);
  for (const page of [first, second]) {
    await expect(page.getByText(`${word} by ${winner}`, { exact: false }).first()).toBeVisible();
  }
  await expect(requestPane(first).getByRole("alert")).toHaveCount(0);
  await expect(deliverySteps(second).nth(3)).toContainText("done", SOON);
  expect((await ledgerOf(id)).told).toMatchObject([{ content: { value } }]);
});

test("a half-filled form outlives the browser, and nothing of it is sent", { tag: "@journey" }, async ({
  ola,
  browser,
}) => {
  const { id, taskId } = await startInvoice(ola, { sample: "large" });
  await answer(ola, await openRequest(ola, taskId), { value: "approve" });
  const requestId = await openRequest(ola, taskId, "cost center");

  const before = await openPageAs(browser, "Ben");
  await before.goto(`/inbox/${requestId}`);
  // The error names the missing field and leads to it.
  await before.getByRole("button", { name: "Send answer" }).click();
  const summary = before.getByRole("alert").filter({ hasText: "Fix 1 field" });
  await expect(summary).toBeFocused();
  await summary.getByRole("link", { name: "Cost center" }).click();
  await expect(before.getByLabel("Cost center")).toBeFocused();
  await before.keyboard.type("CC-7");
  await expect(before.getByText("Draft saved")).toBeVisible();
  await before.context().close();
  expect(await readRequest(ola, requestId)).toMatchObject({ state: "open", answer: null });

  const after = await openPageAs(browser, "Ben");
  await after.goto(`/inbox/${requestId}`);
  await expect(after.getByLabel("Cost center")).toHaveValue("CC-7");
  expect((await ledgerOf(id)).told).toHaveLength(1);
  await after.getByRole("button", { name: "Send answer" }).click();
  await backTo(after, requestId);
  await expect(deliverySteps(after).nth(3)).toContainText("done", SOON);
  expect((await ledgerOf(id)).told[1]).toMatchObject({ accepted: true, content: { cost_center: "CC-7" } });
  await after.context().close();
});

test("a decision is taken back while it is held, and only the next one is sent", { tag: "@journey" }, async ({
  ola,
  ben,
}) => {
  await setUndoWindow(60_000);
  const { id, requestId } = await askAbout(ola, ben);
  const pane = requestPane(ben);
  await pane.getByRole("button", { name: "Approve" }).click();
  await ben.getByRole("button", { name: "Undo" }).first().click();
  await expectToast(ben, "Undone. Nothing was sent.");
  await expect(pane.getByRole("button", { name: "Approve" })).toBeEnabled();
  expect(await readRequest(ola, requestId)).toMatchObject({ state: "open", answer: null });
  await setUndoWindow(5_000);
  await ben.reload();
  await pane.getByRole("button", { name: "Reject" }).click();
  await backTo(ben, requestId);
  await expect(deliverySteps(ben).nth(3)).toContainText("done", SOON);
  expect((await ledgerOf(id)).told).toMatchObject([{ content: { value: "reject" } }]);
});

test("a cancel withdraws the question, and whoever has it open is told", { tag: "@journey" }, async ({
  ola,
  ben,
}) => {
  const { id, taskId, requestId } = await askAbout(ola, ben);
  const { questionHash } = await readRequest(ben, requestId);
  await ola.goto(`/tasks/${taskId}`);
  await taskHeader(ola).getByRole("button", { name: "Cancel…" }).click();
  await ola.getByRole("dialog").getByRole("button", { name: "Cancel the task" }).click();
  const pane = requestPane(ben);
  await expect(pane.getByText("This question was withdrawn: the task was cancelled.")).toBeVisible();
  await expect(pane.getByRole("button", { name: "Approve" })).toHaveCount(0);
  await expect(taskHeader(ola)).toContainText("Cancelled", SOON);
  const body = { action: "accept", content: { value: "approve" }, questionHash };
  const late = await apiOf(ben).write("POST", `/input-requests/${requestId}/answer`, body);
  expect(late.status()).toBe(410);
  expect(await late.json()).toMatchObject({ code: "no_longer_open", reason: "task_cancelled" });
  expect((await ledgerOf(id)).told).toEqual([]);
});

test("fetching every link of a request without a session changes nothing", async ({
  ola,
  ben,
  playwright,
}) => {
  const { taskId, requestId } = await askAbout(ola, ben);
  const links = await ben
    .locator("a[href]")
    .evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).href));
  expect(links.some((link) => link.includes(`/inbox/${requestId}`))).toBe(true);
  expect(links.some((link) => link.includes(`/tasks/${taskId}`))).toBe(true);
  const before = await stateOf(ola, taskId, requestId);

  const { origin } = new URL(ben.url());
  const scanner = await playwright.request.newContext({ baseURL: origin });
  for (const link of new Set(links)) {
    const response = await scanner.get(link);
    expect(new URL(response.url()).pathname, link).toMatch(/^\/(sign-in)?$/);
  }
  const { questionHash } = await readRequest(ben, requestId);
  const body = { action: "accept", content: { value: "approve" }, questionHash };
  for (const action of ["answer", "undo", "claim", "release", "resend", "assign", "draft"]) {
    const path = `/api/v1/input-requests/${requestId}/${action}`;
    expect([401, 405], path).toContain((await scanner.get(path)).status());
    const method = action === "draft" ? "PUT" : "POST";
    expect((await scanner.fetch(path, { method, data: body, headers: { origin } })).status(), path).toBe(401);
  }
  await scanner.dispose();
  expect(await stateOf(ola, taskId, requestId)).toEqual(before);
});

test("a viewer reads a request and cannot decide on it", async ({ ana, ola, cleo }) => {
  const members = await apiOf(ana).get<{ items: { id: string; name: string }[] }>("/members");
  const member = members.items.find(({ name }) => name === "Cleo")?.id;
  const setRole = async (role: string) =>
    expect((await apiOf(ana).write("PATCH", `/members/${member}`, { role })).status()).toBe(200);
  await setRole("viewer");
  try {
    const { requestId } = await askAbout(ola, cleo);
    await expect(requestPane(cleo).getByText("Viewers can’t answer")).toBeVisible();
    await expect(requestPane(cleo).getByRole("table")).toBeVisible();
    for (const name of ["Approve", "Reject", "More"])
      await expect(requestPane(cleo).getByRole("button", { name, exact: true })).toHaveCount(0);
    const { questionHash } = await readRequest(cleo, requestId);
    const body = { action: "decline", questionHash };
    const refused = await apiOf(cleo).write("POST", `/input-requests/${requestId}/answer`, body);
    expect(refused.status()).toBe(403);
  } finally {
    await setRole("approver");
  }
});

test("signing out ends the session", async ({ page }) => {
  await signIn(page, "Ola");
  await keysListen(page);
  await page.getByRole("button", { name: "Ola: account and appearance" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  await page.goto("/tasks");
  await expect(page).toHaveURL(/\/sign-in/);
  expect((await page.request.get("/api/v1/me")).status()).toBe(401);
});

async function stateOf(page: Page, taskId: string, requestId: string) {
  const events = await apiOf(page).get<{ items: { type: string }[] }>(`/tasks/${taskId}/events?limit=200`);
  const { state, claimedBy, assignedTo, draft, answer: given, delivery } = await readRequest(page, requestId);
  return {
    state,
    claimedBy,
    assignedTo,
    draft,
    given,
    delivery,
    events: events.items.map(({ type }) => type),
  };
}

/** Resolves for all callers once the last one has called. */
function barrier(count: number): () => Promise<void> {
  let waiting = count;
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    waiting--;
    if (waiting === 0) open();
    return opened;
  };
}

interface Sight {
  /** The ticked steps of the four. */
  done: boolean[];
  /** The request was called answered. */
  answered: boolean;
}

/** Records every state of the delivery that the page shows from now on, however short it lasts. */
async function watchDelivery(page: Page): Promise<() => Promise<Sight[]>> {
  await page.evaluate(() => {
    const sights: Sight[] = [];
    Object.assign(window, { sights });
    const look = () => {
      const steps = [...document.querySelectorAll("ol[aria-label=Delivery] li")];
      if (steps.length === 0) return;
      const sight = {
        done: steps.map((step) => step.textContent?.includes(", done") === true),
        answered: document.querySelector("#request-state")?.textContent?.includes("Approved") === true,
      };
      if (JSON.stringify(sight) !== JSON.stringify(sights.at(-1))) sights.push(sight);
    };
    new MutationObserver(look).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    });
    // The first may stand there already.
    look();
  });
  return () => page.evaluate(() => (window as unknown as { sights: Sight[] }).sights);
}

/** Steps are ticked in order and never unticked, and nothing is called done before the server has accepted. */
function judgeDelivery(sights: Sight[]): void {
  const ticked = sights.map(({ done }) => (done.indexOf(false) === -1 ? done.length : done.indexOf(false)));
  expect(sights.map(({ done }) => done.filter(Boolean).length)).toEqual(ticked);
  expect(ticked).toEqual([...ticked].sort());
  expect(ticked.at(-1)).toBe(4);
  const accepted = 2;
  for (const { done, answered } of sights) expect(answered && !done[accepted]).toBe(false);
}

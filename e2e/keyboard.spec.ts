/** Everything that is done with the mouse elsewhere, with keys alone; the focus is always seen. */
import type { Locator, Page } from "@playwright/test";
import {
  expect,
  expectToast,
  lookAt,
  newInvoiceId,
  openRequest,
  readRequest,
  requestPane,
  SOON,
  setUndoWindow,
  startInvoice,
  tabTo,
  taskHeader,
  test,
} from "./fixtures/test.ts";

test.beforeAll(() => setUndoWindow(60_000));
test.afterAll(() => setUndoWindow(5_000));

test("requests are searched, stepped through, approved, undone, declined, claimed, rejected and answered together", async ({
  ola,
  ben,
}) => {
  test.setTimeout(120_000);
  const id = newInvoiceId();
  // The inbox opens the oldest request, which the search does not match.
  await openRequest(ola, (await startInvoice(ola)).taskId);
  const names = ["A", "B", "C", "D"].map((letter) => `${id}-${letter}`);
  const requests: string[] = [];
  for (const each of names)
    requests.push(await openRequest(ola, (await startInvoice(ola, { id: each })).taskId, each));
  const [first, second, third] = names as [string, string, string];
  const answerOf = async (at: number) => (await readRequest(ola, requests[at]!)).answer;
  // The next request opens before the answer is recorded.
  const answered = (at: number, answer: Record<string, unknown>) =>
    expect.poll(() => answerOf(at), SOON).toMatchObject(answer);
  const keys = ben.keyboard;
  const title = requestPane(ben).getByRole("heading", { level: 2 }).first();
  const rows = ben
    .getByRole("region", { name: "Requests", exact: true })
    .getByRole("listitem")
    .filter({ has: ben.locator("a") });

  await ben.goto("/inbox");
  await pressUntil(ben, "/", ben.getByRole("searchbox", { name: "Search requests" }));
  await keys.type(id);
  await expect(rows).toHaveCount(4);
  await keys.press("Escape");
  await keys.press("j");
  await expect(title).toContainText(first);
  await keys.press("j");
  await expect(title).toContainText(second);
  await keys.press("k");
  await expect(title).toContainText(first);
  await keys.press("Enter");
  await expect(title).toBeFocused();

  await keys.press("a");
  await expect(title).toContainText(second);
  await answered(0, { action: "accept", content: { value: "approve" } });
  await expect(ben.getByText(`Approved ${first} · sending in`)).toBeVisible();
  await keys.press("z");
  await expectToast(ben, "Undone. Nothing was sent.");
  await expect(title).toContainText(first);
  expect(await answerOf(0)).toBeNull();

  // The decision is there to be made again.
  await expect(requestPane(ben).getByRole("button", { name: "Approve" })).toBeEnabled();
  await keys.press("d");
  const dialog = ben.getByRole("dialog", { name: `Decline to answer ${first}` });
  await expectFocus(dialog.getByRole("textbox", { name: "Reason" }));
  await keys.type("Not ours");
  await tabVisibly(ben, dialog.getByRole("button", { name: "Decline" }));
  await keys.press("Enter");
  await expect(title).toContainText(second);
  await answered(0, { action: "decline", comment: "Not ours" });

  await keys.press("c");
  await expect(ben.getByText("Claimed. Others see that you are working on this request")).toBeVisible();
  await lookAt(ben);
  await keys.press("r");
  await expect(title).toContainText(third);
  await answered(1, { action: "accept", content: { value: "reject" } });

  await keys.press("x");
  await keys.press("j");
  await keys.press("Shift+X");
  const bar = ben.getByRole("region", { name: "Selected requests" });
  await expect(bar).toContainText("2 selected");
  // The keys act on the selected requests, not on the open one.
  await keys.press("a");
  const together = ben.getByRole("dialog");
  await tabVisibly(ben, together.getByRole("button", { name: "Approve 2 requests" }));
  await keys.press("Enter");
  await expect(together.getByText("2 recorded")).toBeVisible();
  await keys.press("Escape");
  await expect(together).toHaveCount(0);
  for (const at of [2, 3]) await answered(at, { action: "accept", content: { value: "approve" } });
});

test("a task is started", async ({ ola }) => {
  const id = newInvoiceId();
  const keys = ola.keyboard;
  await ola.goto("/tasks");
  await keys.press("Tab");
  await expect(ola.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await keys.press("Enter");
  await tabVisibly(ola, ola.getByRole("link", { name: "New task" }));
  await keys.press("Enter");
  const server = ola.getByLabel("Server");
  await tabVisibly(ola, server);
  await expect(server.getByRole("option", { name: "Finance ERP", exact: true })).toBeAttached();
  await keys.press("ArrowDown");
  await expect(server.locator("option:checked")).toHaveText("Finance ERP");
  await expect(ola.getByRole("radio", { name: "Process an invoice" })).toBeChecked();
  await tabVisibly(ola, ola.getByRole("button", { name: "Fill in the sample invoice" }));
  await keys.press("Enter");
  await expect(ola.getByLabel("Customer")).toHaveValue("ACME Corp");
  await tabVisibly(ola, ola.getByLabel("Invoice number"));
  await keys.press("ControlOrMeta+a");
  await keys.type(id);
  await tabVisibly(ola, ola.getByRole("button", { name: "Start task" }));
  await keys.press("Enter");
  await expect(taskHeader(ola).getByRole("heading", { level: 1 })).toHaveText(`process_invoice · ${id}`);
});

/** Presses a key until `target` has the focus, because a loading page may miss keys. */
async function pressUntil(page: Page, key: string, target: Locator): Promise<void> {
  await expect(async () => {
    await page.keyboard.press(key);
    await expect(target).toBeFocused({ timeout: 2_000 });
  }).toPass(SOON);
}

/** Moves the focus there by Tab, and checks that it is visible. */
async function tabVisibly(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await expectFocus(target);
}

/** Expects the element to have the focus, visibly. */
async function expectFocus(target: Locator): Promise<void> {
  await expect(target).toBeFocused();
  await expect(target).toHaveCSS("outline-style", "solid");
  await expect(target).not.toHaveCSS("outline-width", "0px");
}

/** The page of one task: what happened and how long it took, what was said, what came of it, and starting it again. */
import { expect as expectValue, type Page } from "@playwright/test";
import { forcePay } from "../test/fixtures/sample-ledger.ts";
import { checkAppearance, ON_A_PHONE } from "./fixtures/appearance.ts";
import {
  apiOf,
  ERAS,
  expect,
  invoiceServer,
  ledgerOf,
  openRequest,
  readRequest,
  requestPane,
  SOON,
  startInvoice,
  tabTo,
  taskHeader,
  test,
} from "./fixtures/test.ts";
import { openTestRows, type TestRows } from "./fixtures/test-rows.ts";

test("a task's requests and the inbox lead to each other", async ({ ola }) => {
  const { id, taskId } = await startInvoice(ola);
  await openRequest(ola, taskId);
  await ola.goto(`/tasks/${taskId}`);
  const questions = ola.getByRole("tabpanel").getByRole("link");
  await ola.getByRole("tab", { name: "Requests" }).click();
  await questions.first().click();
  await expect(requestPane(ola).getByRole("heading", { level: 2 }).first()).toContainText(id);
  await ola.getByRole("link", { name: "View task" }).click();
  await ola.getByRole("tab", { name: "Requests" }).click();
  await expect(questions.first()).toContainText(id);
});

test("a task is followed, understood and started again with the keyboard alone", async ({ ola, ben }) => {
  await ola.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const { id, taskId } = await startInvoice(ola);
  const requestId = await openRequest(ola, taskId);
  await ola.goto(`/tasks/${taskId}`);
  const strip = ola.getByRole("img", { name: "Where the time went" });
  await expect(strip).toHaveAccessibleName(/working .* s, waiting for a person .* so far/, SOON);

  const { questionHash } = await readRequest(ben, requestId);
  const body = { action: "accept", content: { value: "approve" }, questionHash, holdMs: 1_000 };
  expect((await apiOf(ben).write("POST", `/input-requests/${requestId}/answer`, body)).status()).toBe(202);
  const steps = ola.getByRole("list", { name: "Timeline" }).getByRole("listitem");
  await expect(steps.filter({ hasText: "Ben approved" })).toContainText(
    /after it was asked, held .* for undo/,
  );
  await expect(steps.filter({ hasText: "Answer accepted by the server" })).toContainText(
    /after sending|at once/,
    SOON,
  );
  await expect(steps.filter({ hasText: "Task moved on" })).toBeVisible(SOON);
  const summary = ola.getByRole("region", { name: "Status" });
  await expect(summary).toContainText(/Party\s*ACME/);
  await expect(summary).toContainText(/Amount\s*\$1,000\.00/);
  await expect(summary.getByRole("link", { name: "Approved by Ben" })).toHaveAttribute(
    "href",
    `/inbox/${requestId}`,
  );
  await expect(strip).toHaveAccessibleName(/waiting for a person .*, delivering .*, working .* so far/);
  await press(ola, ola.getByText("As a list"));
  await expect(ola.getByRole("table").getByRole("row")).toContainText(["Phase", /Queued|Working/]);
  await expect(ola.getByRole("table")).toContainText("so far");
  await press(ola, ola.getByRole("button", { name: "Newest first" }));
  await expect(steps.first()).toContainText("Ola started it");
  await checkAppearance(ola, "task timeline");

  await press(ola, ola.getByRole("tab", { name: "Timeline" }), "ArrowRight");
  // The focus follows a moment after the key: the next one is for the tab that has it then.
  await expect(ola.getByRole("tab", { name: "Arguments" })).toBeFocused();
  await ola.keyboard.press("ArrowRight");
  await expect(ola.getByRole("tabpanel")).toContainText(/approved by Ben .* the task moved on/);
  await press(ola, ola.getByRole("tab", { name: "Requests" }), "ArrowRight");
  await expect(ola.getByRole("tab", { name: "Result" })).toBeFocused();
  await ola.keyboard.press("ArrowRight");
  const messages = ola.getByRole("list", { name: "Messages, newest first" }).getByRole("listitem");
  await ola.getByLabel("Direction").selectOption("Sent");
  await ola.getByLabel("Method").selectOption("tools/call");
  await ola.getByLabel("Search in the messages").fill(id);
  await expect(messages).toHaveCount(1);
  const call = messages.locator("summary").first();
  await expect(call).toContainText("process_invoice");
  await press(ola, call);
  await press(ola, ola.getByRole("button", { name: "Copy as curl" }));
  await expect(ola.getByText("Copied as curl")).toBeVisible();
  const command = await ola.evaluate(() => navigator.clipboard.readText());
  expectValue(command).toContain(`curl -X POST '${new URL(invoiceServer()).origin}`);
  expectValue(command).toContain(`"invoice_id":"${id}"`);
  expectValue(command).toContain("-H 'mcp-method: tools/call'");
  await checkAppearance(ola, "task protocol");

  // Updates of the task do not close open messages.
  const opened = messages.getByText("arguments.invoice:").first();
  await opened.evaluate((node) => node.setAttribute("data-mark", "read"));
  await forcePay(invoiceServer(), id);
  await expect(taskHeader(ola)).toContainText("Completed · PAID", SOON);
  await expect(ola.locator("[data-mark=read]")).toBeVisible();

  await press(ola, ola.getByRole("tab", { name: "Protocol" }), "ArrowLeft");
  const panel = ola.getByRole("tabpanel");
  await expect(panel).toContainText("PAID");
  await press(ola, panel.getByRole("button", { name: "JSON", exact: true }));
  await expect(panel.getByRole("region", { name: "JSON" }).first()).toContainText("PAID");
  const saved = ola.waitForEvent("download");
  await press(ola, panel.getByRole("button", { name: "Download as JSON" }));
  expectValue((await saved).suggestedFilename()).toBe(`result-${taskId}.json`);
  await checkAppearance(ola, "task result");

  await press(ola, taskHeader(ola).getByRole("button", { name: "Start again…" }));
  await press(ola, ola.getByRole("link", { name: "Edit the arguments…" }));
  await expect(ola).toHaveURL(`/tasks/new?from=${taskId}`);
  await expect(ola.getByLabel("Invoice number")).toHaveValue(id, SOON);
  await ola.getByLabel("Invoice number").fill(`${id}-B`);
  await press(ola, ola.getByRole("button", { name: "Start again", exact: true }));
  await expect(ola.getByRole("heading", { level: 1 })).toHaveText(`process_invoice · ${id}-B`, SOON);
  await press(ola, ola.getByRole("link", { name: "started again from an earlier task" }));
  await expect(taskHeader(ola)).toContainText(/started again (just now|.* ago) \(/, SOON);
  // The engine calls the server after the page has shown the new task.
  await expect.poll(async () => (await ledgerOf(`${id}-B`)).tasks, SOON).toBe(1);
});

test("a tab is in the address: it is shared, loaded again, and no step of Back", async ({ ola }) => {
  const { taskId } = await startInvoice(ola);
  await ola.goto("/tasks");
  await ola.goto(`/tasks/${taskId}?tab=arguments`);
  await expect(ola.getByRole("tab", { name: "Arguments" })).toHaveAttribute("aria-selected", "true");
  await ola.getByRole("tab", { name: "Requests" }).click();
  await expect(ola).toHaveURL(`/tasks/${taskId}?tab=requests`);
  await ola.reload();
  await expect(ola.getByRole("tab", { name: "Requests" })).toHaveAttribute("aria-selected", "true");
  await ola.getByRole("tab", { name: "Timeline" }).click();
  await expect(ola).toHaveURL(`/tasks/${taskId}`);
  await ola.goBack();
  await expect(ola).toHaveURL(/\/tasks$/);
  await ola.goto(`/tasks/${taskId}?tab=nothing`);
  await expect(ola.getByRole("tab", { name: "Timeline" })).toHaveAttribute("aria-selected", "true");
});

test("Tab leads to a toast and out of it again", async ({ ola }) => {
  const { taskId } = await startInvoice(ola);
  await ola.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await ola.goto(`/tasks/${taskId}`);
  await ola.getByRole("tab", { name: "Protocol" }).click();
  await ola.getByRole("list", { name: "Messages, newest first" }).locator("summary").first().click();
  await press(ola, ola.getByRole("button", { name: "Copy as JSON" }));
  const toast = ola.locator("[data-sonner-toast]");
  // A toast under the pointer stays.
  await toast.hover();
  await tabTo(ola, toast);
  await tabTo(ola, ola.getByRole("link", { name: "Skip to content" }));
});

test("a long history and a huge result come piece by piece, and say why nothing moves", async ({ ola }) => {
  const testRows = await openTestRows();
  const id = await insertLongTask(testRows).finally(() => testRows.close());
  await ola.goto(`/tasks/${id}`);
  const steps = ola.getByRole("list", { name: "Timeline" }).getByRole("listitem");
  await expect(steps.first()).toContainText("Step 5000");
  expectValue(await steps.count()).toBeLessThan(500);
  await steps.last().scrollIntoViewIfNeeded();
  await expect(steps.getByText("Step 4850", { exact: true })).toHaveCount(1, SOON);
  await expect(ola.getByRole("main")).toContainText("The server no longer knows this task.");
  await ola.getByRole("tab", { name: "Result" }).click();
  const panel = ola.getByRole("tabpanel");
  await expect(panel.getByText("9988 more lines")).toBeVisible();
  await checkAppearance(ola, "task with a huge result", ON_A_PHONE);
  await panel.getByRole("button", { name: "Show 500" }).click();
  await expect(panel.getByRole("row")).toHaveCount(502);
  await expect(panel.getByText("9500 more lines: as JSON.")).toBeVisible();
  await expect(panel.getByRole("img")).toHaveAttribute("src", /^data:image\/png;base64,/);
  await expect(panel).toContainText("An image of the type image/svg+xml is not shown.");
  await panel.getByRole("button", { name: /Show more \(\d/ }).click();
  await expect(panel.getByText("946,000 characters left")).toBeVisible();
});

/** Goes there by Tab, then presses these keys, Enter by default. */
async function press(page: Page, target: Parameters<typeof tabTo>[1], ...keys: string[]): Promise<void> {
  await tabTo(page, target);
  for (const key of keys.length > 0 ? keys : ["Enter"]) await page.keyboard.press(key);
}

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A lost task of 5,000 steps, whose result holds 10,000 lines, a megabyte of text and pictures. */
async function insertLongTask(testRows: TestRows): Promise<string> {
  const image = (mimeType: string, data: string) => ({ type: "image", mimeType, data });
  const id = await testRows.insertTask(await testRows.serverNamed(ERAS[0] ?? ""), {
    state: "lost",
    result: {
      content: [
        { type: "text", text: "word ".repeat(200_000) },
        image("image/png", PIXEL),
        image("image/svg+xml", PIXEL),
      ],
      structuredContent: {
        lines: Array.from({ length: 10_000 }, (_, n) => ({ line: n, text: `Line ${n}\u202E`, amount: 1.5 })),
      },
    },
  });
  await testRows.within(
    (
      tx,
    ) => tx.$executeRaw`SELECT append_event('task.status', '{"kind": "engine", "id": null, "name": "Intray"}',
      ${id}::uuid, NULL, jsonb_build_object('statusMessage', 'Step ' || n)) FROM generate_series(1, 5000) AS n`,
  );
  return id;
}

/** Starting by hand: by form and by JSON, again with other arguments, on two servers at once, and with further attempts. */
import type { Page } from "@playwright/test";
import type { Race } from "../lib/lifecycle/races/race-schema.ts";
import type { TaskDetail } from "../lib/tasks/task-schema.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import {
  answer,
  apiOf,
  ERAS,
  expect,
  newInvoiceId,
  openRequest,
  SOON,
  tabTo,
  taskHeader,
  test,
} from "./fixtures/test.ts";

const taskIdOf = (page: Page) => page.url().split("/").at(-1) ?? "";

/** A new task of the sample's tool, once its form can be used. */
async function openForm(page: Page): Promise<void> {
  await page.goto("/tasks/new?tool=process_invoice");
  await page.getByLabel("Server", { exact: true }).selectOption({ label: ERAS[0]! });
  await expect(page.getByLabel("Invoice number")).toBeVisible();
}

/** Its lines are due, so that it is paid as soon as it is approved. */
const invoiceOf = (id: string, customer = "ACME Corp") => ({
  invoice: {
    invoice_id: id,
    customer,
    lines: [{ description: "Widget", amount: 1_000, due_date: "2024-06-30T00:00:00Z" }],
  },
});

async function typeJson(page: Page, values: object): Promise<void> {
  await page.getByRole("tab", { name: "JSON" }).click();
  await page.getByRole("textbox", { name: "Arguments" }).fill(JSON.stringify(values));
}

test("by form and by JSON, which agree, with the keyboard alone; and again with other arguments", {
  tag: "@journey",
}, async ({ ola }) => {
  const id = newInvoiceId();
  await openForm(ola);
  const press = (key: string) => ola.keyboard.press(key);
  await tabTo(ola, ola.getByRole("button", { name: "Start task" }));
  await press("Enter");
  // The missing fields are named, and the first one has the focus.
  await expect(ola.getByLabel("Invoice number")).toBeFocused();
  await expect(ola.getByText("No task was started.")).toBeVisible();
  await ola.keyboard.type(id);
  await press("Tab");
  await ola.keyboard.type("ACME Corp");
  for (const [label, value] of [
    ["Description of line 1", "Widget"],
    ["Amount in US dollars of line 1", "1e3x"],
  ] as const) {
    await tabTo(ola, ola.getByLabel(label));
    await ola.keyboard.type(value);
  }
  // A date and time is picked in the person's own zone, and sent with it.
  const due = ola.getByLabel("Due date of line 1");
  await due.fill("2024-06-30T00:00");
  await press("Enter");
  const amount = ola.getByLabel("Amount in US dollars of line 1");
  await expect(amount).toBeFocused();
  await expect(amount).toHaveAccessibleDescription("Must be a number.");
  // Said once: the list below names the field alone.
  await expect(ola.getByText("Must be a number.")).toHaveCount(1);
  await expect(ola.getByRole("button", { name: "Invoice › Lines › 1 › Amount", exact: true })).toBeVisible();
  await expect(ola.getByRole("button", { name: "Start task" })).toBeInViewport();
  await checkAppearance(ola, "arguments that do not fit");

  // The JSON says what the form says, and the other way round.
  await tabTo(ola, ola.getByRole("tab", { name: "Form" }), () => press("Shift+Tab"));
  await press("ArrowRight");
  const json = ola.getByRole("textbox", { name: "Arguments" });
  await expect(json).toHaveValue(/"amount": "1e3x"/);
  await expect(json).toHaveValue(/"due_date": "2024-06-30T00:00:00[+-]\d\d:00"/);
  await tabTo(ola, json);
  await press("ControlOrMeta+A");
  await ola.keyboard.insertText(JSON.stringify(invoiceOf(id)));
  await tabTo(ola, ola.getByRole("tab", { name: "JSON" }), () => press("Shift+Tab"));
  await press("ArrowLeft");
  await expect(amount).toHaveValue("1000");
  await tabTo(ola, ola.getByRole("button", { name: "Start task" }));
  await press("Enter");
  await expect(ola.getByRole("heading", { level: 1 })).toHaveText(`process_invoice · ${id}`, SOON);
  const taskId = taskIdOf(ola);

  // The last arguments can be used again.
  await openForm(ola);
  await ola.getByText("Recent arguments").click();
  await ola.getByRole("button", { name: `Fill in ${id}` }).click();
  await expect(ola.getByLabel("Invoice number")).toHaveValue(id);

  await ola.goto(`/tasks/new?from=${taskId}`);
  await expect(ola.getByLabel("Invoice number")).toHaveValue(id);
  await ola.getByLabel("Invoice number").fill(`${id}-B`);
  await ola.getByRole("button", { name: "Start again" }).click();
  await expect(ola.getByRole("heading", { level: 1 })).toHaveText(`process_invoice · ${id}-B`, SOON);
  const again = await apiOf(ola).get<TaskDetail>(`/tasks/${taskIdOf(ola)}`);
  expect(again).toMatchObject({ restartOf: taskId, attempts: 1, raceId: null });
  for (const each of [taskId, again.id]) await apiOf(ola).write("POST", `/tasks/${each}/cancel`);
});

test("on two servers at once: the first that succeeds wins, and the other is cancelled with its question", async ({
  ola,
}) => {
  const id = newInvoiceId();
  await openForm(ola);
  await typeJson(ola, invoiceOf(id));
  await ola.getByRole("button", { name: "Start it on several servers…" }).click();
  await ola.getByRole("checkbox", { name: ERAS[1]! }).check();
  await checkAppearance(ola, "a race is chosen");
  await ola.getByRole("button", { name: "Start on 2 servers" }).click();

  const group = ola.getByRole("region", { name: "Race" });
  await expect(group.getByRole("listitem")).toHaveCount(2, SOON);
  const { raceId } = await apiOf(ola).get<TaskDetail>(`/tasks/${taskIdOf(ola)}`);
  const { tasks } = await apiOf(ola).get<Race>(`/races/${raceId}`);
  const [winner, loser] = ERAS.map((name) => tasks.find(({ server }) => server.name === name)!).reverse() as [
    TaskDetail,
    TaskDetail,
  ];
  for (const { id: each } of [winner, loser]) await openRequest(ola, each);
  await answer(ola, await openRequest(ola, winner.id), { value: "approve" });

  const won = group.getByRole("listitem").filter({ hasText: "Completed · PAID" });
  await expect(won).toContainText("Winner", { timeout: 60_000 });
  await expect(won).toContainText(winner.server.name);
  await expect(group.getByRole("listitem").filter({ hasText: "Cancelled" })).toContainText(
    loser.server.name,
    {
      timeout: 60_000,
    },
  );
  await expect(group).toContainText("It is decided.");
  await checkAppearance(ola, "a race is won");
  const { inputRequests } = await apiOf(ola).get<TaskDetail>(`/tasks/${loser.id}`);
  expect(inputRequests.map(({ state }) => state)).toEqual(["withdrawn"]);
  await group.getByRole("link", { name: winner.server.name }).click();
  await expect(taskHeader(ola)).toContainText("PAID", SOON);
});

test("with further attempts, for which who starts it has to insist: each is shown, and the one that waits can be cancelled", async ({
  ola,
}) => {
  const id = newInvoiceId();
  await openForm(ola);
  // A blank customer fits the schema, but the server refuses it.
  await typeJson(ola, invoiceOf(id, "  "));
  await ola.getByLabel("On failure").selectOption({ label: "Try again, 3 attempts in all" });
  await ola.getByLabel("First pause").selectOption({ label: "10 minutes" });
  await ola.getByRole("button", { name: "Start task" }).click();
  const insist = ola.getByLabel("Type “repeat it”");
  await expect(insist).toBeFocused();
  await insist.fill("repeat it");
  await checkAppearance(ola, "insisting on attempts");
  await insist.press("Enter");

  await expect(taskHeader(ola)).toContainText("Failed", { timeout: 60_000 });
  const group = ola.getByRole("region", { name: "Attempts" });
  await expect(group.getByRole("listitem")).toHaveCount(2, SOON);
  await expect(group.getByRole("listitem").nth(1)).toContainText(/Attempt 2 of 3.*begins in/);
  await checkAppearance(ola, "an attempt that waits");
  await expect(ola.getByText("insisting that the call can be repeated")).toBeVisible();

  await group.getByRole("link", { name: "Attempt 2 of 3" }).click();
  await ola.getByRole("button", { name: "Cancel…" }).click();
  await ola.getByRole("button", { name: "Cancel the task" }).click();
  await expect(taskHeader(ola)).toContainText("Cancelled", SOON);
  await expect(group.getByRole("listitem")).toHaveCount(2);
});

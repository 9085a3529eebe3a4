/** The task monitor: finding tasks, keeping what was found, and doing one thing to many. */
import { readFileSync } from "node:fs";
import { checkAppearance } from "./fixtures/appearance.ts";
import {
  apiOf,
  expect,
  keysListen,
  newInvoiceId,
  openRequest,
  SOON,
  startInvoice,
  test,
} from "./fixtures/test.ts";

test("tasks are narrowed, kept as a view, selected and cancelled together, each with its result", {
  tag: "@journey",
}, async ({ ola }) => {
  const keys = ola.keyboard;
  const customer = `Monitor ${newInvoiceId()}`;
  const started = [];
  for (let at = 0; at < 3; at++) started.push(await startInvoice(ola, { changes: { customer } }));
  for (const { taskId } of started) await openRequest(ola, taskId);

  await ola.goto("/tasks");
  const rows = ola.getByRole("row").filter({ has: ola.getByRole("link") });
  await keysListen(ola);
  await keys.press("/");
  await keys.type(customer);
  await expect(rows).toHaveCount(3, SOON);
  // A tile's filter is added to the search.
  const tile = ola.getByRole("button", { name: /^Waiting for a person \d/ });
  await tile.click();
  await expect(tile).toHaveAttribute("aria-pressed", "true");
  await expect(ola).toHaveURL(/show=waiting/);
  await expect(rows).toHaveCount(3);
  await ola.getByRole("button", { name: /^Completed today/ }).click();
  await expect(ola.getByText("No tasks match")).toBeVisible();
  await ola.goBack();
  await expect(rows).toHaveCount(3);
  await checkAppearance(ola, "the task monitor");

  await ola.getByRole("button", { name: "Views" }).click();
  await ola.getByRole("menuitem", { name: "Save this view…" }).click();
  await expect(ola.getByRole("dialog").getByRole("textbox", { name: "Name" })).toBeFocused();
  await keys.type(customer.slice(-20));
  await keys.press("Enter");
  await expect(ola).toHaveURL(/view=/);
  await ola.goto("/tasks");
  await ola.getByRole("button", { name: "Views" }).click();
  await ola.getByRole("menuitem", { name: customer.slice(-20) }).click();
  await expect(rows).toHaveCount(3);

  // New rows wait until a person shows them.
  await startInvoice(ola, { changes: { customer } });
  await ola.getByRole("button", { name: "1 new" }).click(SOON);
  await expect(rows).toHaveCount(4);

  const [file] = await Promise.all([
    ola.waitForEvent("download"),
    ola
      .getByRole("button", { name: "Export" })
      .click()
      .then(() => ola.getByRole("menuitem", { name: "Table (CSV)" }).click()),
  ]);
  const lines = readFileSync(await file.path(), "utf8")
    .trim()
    .split("\r\n");
  expect(lines).toHaveLength(5);
  for (const { id } of started) expect(lines.join()).toContain(id);

  // By keyboard: from the first to the third, and then all of them to their end.
  await keys.press("Escape");
  await keys.press("j");
  await expect(rows.nth(0).getByRole("link")).toBeFocused();
  await keys.press("x");
  await keys.press("j");
  await keys.press("j");
  await keys.press("Shift+X");
  const bar = ola.getByRole("region", { name: "Selected tasks" });
  await expect(bar).toContainText("3 tasks selected");
  await checkAppearance(ola, "selected tasks");
  await bar.getByRole("button", { name: "Cancel…" }).press("Enter");
  const dialog = ola.getByRole("dialog");
  await expect(dialog).toContainText("Cancel tasks: 3 tasks");
  const typed = dialog.getByLabel("Type 3 to confirm");
  await typed.fill("4");
  await keys.press("Enter");
  await expect(typed).toHaveAttribute("aria-invalid", "true");
  await checkAppearance(ola, "cancelling several");
  await typed.fill("3");
  await keys.press("Enter");
  await expect(ola).toHaveURL(/\/tasks\/bulk\//, SOON);
  await ola.reload();
  const results = ola.getByRole("list", { name: "Results" }).getByRole("listitem");
  await expect(results.filter({ hasText: "Cancel requested" })).toHaveCount(3, SOON);
  await expect(ola.getByRole("region", { name: "Progress" })).toContainText("3 done");
  await checkAppearance(ola, "many tasks at once");

  // All three end.
  const ended = `/tasks?q=${encodeURIComponent(customer)}&state=cancelled`;
  const cancelled = async () => (await apiOf(ola).get<{ items: unknown[] }>(ended)).items.length;
  await expect.poll(cancelled, { timeout: 60_000 }).toBe(3);
  await ola.goto(ended);
  await expect(rows).toHaveCount(3);
});

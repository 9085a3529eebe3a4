/** What operators do about trouble: failures of one cause started again together, and stuck tasks with an owner. */
import { checkAppearance } from "./fixtures/appearance.ts";
import { ERAS, expect, newInvoiceId, SOON, test } from "./fixtures/test.ts";
import { openTestRows, type TestRows } from "./fixtures/test-rows.ts";

async function testRows<T>(work: (testRows: TestRows) => Promise<T>): Promise<T> {
  const opened = await openTestRows();
  return work(opened).finally(() => opened.close());
}

test("failures of one cause are started again together, each once", { tag: "@journey" }, async ({ ola }) => {
  const cause = `Ledger ${newInvoiceId().replaceAll(/\d/g, (digit) => "abcdefghij"[Number(digit)]!)} is closed`;
  const sample = await (await ola.request.get("/samples/invoice-acme.json")).json();
  const finishedAfter = new Date(Date.now() - 60_000).toISOString();
  await testRows(async ({ serverNamed, insertTask }) => {
    const server = await serverNamed(ERAS[0]!);
    for (let n = 0; n < 3; n++) {
      const error = { code: "task_failed", message: `${cause} for INV-${100 + n}` };
      await insertTask(server, {
        state: "failed",
        error,
        arguments: { invoice: { ...sample, invoice_id: newInvoiceId() } },
      });
    }
  });
  await ola.goto(`/tasks?state=failed&finishedAfter=${finishedAfter}`);
  const causes = ola.getByRole("region", { name: "By cause" });
  const group = causes.getByRole("listitem").filter({ hasText: cause });
  await expect(group).toContainText(cause);
  await expect(group).not.toContainText("…");
  await expect(group).toContainText("Reported failed by server");
  await checkAppearance(ola, "failures by cause");
  await group.getByRole("link").click();
  await expect(ola.getByRole("row").filter({ has: ola.getByRole("link") })).toHaveCount(3);
  await expect(ola.getByRole("button", { name: "Cause of failure: remove this filter" })).toBeVisible();
  await ola.goBack();
  await group.getByRole("button", { name: "Start these 3 again" }).click();
  const dialog = ola.getByRole("dialog");
  await expect(dialog).toContainText("Start tasks again: 3 tasks");
  await dialog.getByLabel("Type 3 to confirm").fill("3");
  await ola.keyboard.press("Enter");
  await expect(ola).toHaveURL(/\/tasks\/bulk\//, SOON);
  await expect(ola.getByRole("link", { name: "New task", exact: true })).toHaveCount(3, SOON);
  // What was started again is not offered once more.
  await ola.goto(`/tasks?state=failed&finishedAfter=${finishedAfter}`);
  await expect(group).toContainText("3");
  await expect(group.getByRole("button")).toHaveCount(0);
});

test("a stuck task has one owner, seen by everybody, until it is no longer stuck", {
  tag: "@journey",
}, async ({ ola, ana }) => {
  const label = newInvoiceId();
  const id = await testRows(async ({ serverNamed, insertTask }) =>
    insertTask(await serverNamed(ERAS[0]!), { state: "start_unknown", label }),
  );
  await ola.goto(`/tasks?attention=stuck&q=${label}`);
  await ana.goto(`/tasks/${id}`);
  await expect(ana.getByText("No owner yet")).toBeVisible();
  await ola.getByRole("button", { name: `Take ownership: ${label}` }).click();
  await ola.getByRole("dialog").getByLabel("Note").fill("Asking the bank");
  await ola.keyboard.press("Enter");
  await expect(ola.getByRole("row").filter({ hasText: label })).toContainText(/Owner: you.*Asking the bank/);
  await checkAppearance(ola, "stuck tasks");
  // Without a reload: the hint reaches everybody.
  await expect(ana.getByText(/Owner: Ola.*Asking the bank/)).toBeVisible(SOON);
  await expect(ana.getByRole("list", { name: "Timeline" })).toContainText("Ola took ownership", SOON);
  await ana.getByRole("button", { name: `Take over: ${label}` }).click();
  await ana.getByRole("dialog").getByRole("button", { name: "Take over" }).click();
  await expect(ana.getByText(/Owner: you/)).toBeVisible();
  await expect(ola.getByRole("row").filter({ hasText: label })).toContainText("Owner: Ana", SOON);
  await ola.getByRole("button", { name: `More for ${label}` }).click();
  await ola.getByRole("menuitem", { name: "Open task" }).click();
  await expect(ola).toHaveURL(`/tasks/${id}`);
  await expect(ola.getByText("As a list")).toBeVisible();
  // It never started: settled, it has failed, and nobody looks after it any more.
  await ola.getByRole("button", { name: "It never started…" }).click();
  await ola.getByRole("dialog").getByRole("button", { name: "It never started" }).click();
  await expect(ola.getByText(/Owner: .* · since/)).toHaveCount(0, SOON);
  await expect(ola.getByRole("list", { name: "Timeline" })).toContainText("No longer stuck", SOON);
});

test("a timeline is never empty: it says what the task waits for", async ({ ola }) => {
  const createdAt = new Date(Date.now() - 9 * 3600_000);
  const id = await testRows(async ({ serverNamed, insertTask }) =>
    insertTask(await serverNamed(ERAS[0]!), {
      ...{ state: "queued", watched: true, finishedAt: null, createdAt, changedAt: createdAt },
      startAfter: new Date(Date.now() + 3600_000),
    }),
  );
  await ola.goto(`/tasks/${id}`);
  const steps = ola.getByRole("list", { name: "Timeline" }).getByRole("listitem");
  await expect(steps.first()).toContainText(/^Waiting to be tried again in/);
  await expect(steps.last()).toContainText("Ola started it");
  await checkAppearance(ola, "a timeline of a task that waits");
});

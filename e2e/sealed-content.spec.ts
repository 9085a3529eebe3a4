/** What tasks are about is sealed by an owner with the keyboard alone, while a request is open, and opened again. */
import { checkAppearance } from "./fixtures/appearance.ts";
import { answer, askAbout, expect, ledgerOf, requestPane, SOON, tabTo, test } from "./fixtures/test.ts";
import { openTestRows } from "./fixtures/test-rows.ts";

/** Exceeds a minute's pause between two looks of the engine. */
const CONVERTED = { timeout: 120_000 };
const CUSTOMER = "Quarrystone Ltd";

test.setTimeout(400_000);

test("an open request is read and answered as before, while the database no longer shows it", async ({
  ana,
  ola,
  ben,
}) => {
  const before = await askAbout(ola, ben, { changes: { customer: CUSTOMER } });
  const rows = await openTestRows();
  /** How many columns of the task's rows show the customer to whoever reads the database. */
  const plain = (taskId: string) =>
    rows.within(async (tx) => {
      const [found] = await tx.$queryRaw<{ count: number }[]>`
        SELECT (SELECT count(*)::int FROM task WHERE id = ${taskId}::uuid AND strpos(arguments::text, ${CUSTOMER}) > 0)
          + (SELECT count(*)::int FROM input_request
             WHERE task_id = ${taskId}::uuid AND strpos(message, ${CUSTOMER}) > 0) AS count`;
      return found?.count;
    });
  expect(await plain(before.taskId)).toBe(2);

  await ana.goto("/settings/organization");
  const seal = ana.getByRole("switch", { name: "Encrypt task content" });
  await tabTo(ana, seal);
  await ana.keyboard.press("Space");
  const sure = ana.getByRole("dialog", { name: "Encrypt task content?" });
  await expect(sure).toBeVisible();
  await checkAppearance(ana, "sealing, asked");
  await tabTo(ana, sure.getByRole("button", { name: "Encrypt", exact: true }));
  await ana.keyboard.press("Enter");
  await expect(sure).toHaveCount(0);
  await expect(seal).toBeChecked();
  await expect(ana.getByText("All content is encrypted, except earlier lines")).toBeVisible(CONVERTED);
  await seal.scrollIntoViewIfNeeded();
  await checkAppearance(ana, "sealing, on");
  expect(await plain(before.taskId)).toBe(0);

  await ben.goto(`/inbox?q=${CUSTOMER.split(" ")[0]}`);
  await expect(ben.getByText("Task content is encrypted")).toBeVisible();
  await checkAppearance(ben, "sealing, search");
  const after = await askAbout(ola, ben, { changes: { customer: CUSTOMER } });
  expect(await plain(after.taskId)).toBe(0);
  for (const { id, requestId } of [before, after]) {
    await ben.goto(`/inbox/${requestId}`);
    await expect(requestPane(ben).getByRole("heading", { level: 2 }).first()).toContainText(
      `${id} for ${CUSTOMER}`,
    );
    await answer(ben, requestId, { value: "approve" });
    await expect
      .poll(async () => (await ledgerOf(id)).told, SOON)
      .toMatchObject([{ accepted: true, action: "accept", content: { value: "approve" } }]);
  }

  await seal.press("Space");
  await ana.getByRole("dialog").getByRole("button", { name: "Stop encrypting" }).click();
  await expect(seal).not.toBeChecked();
  await expect.poll(() => plain(after.taskId), CONVERTED).toBe(2);
  await ola.goto(`/tasks/${after.taskId}`);
  await expect(ola.getByRole("main")).toContainText(CUSTOMER);
  await rows.close();
});

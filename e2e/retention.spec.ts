/** How long what is over is kept: said by an admin with the keyboard alone, and done by the engine. */

import { checkAppearance } from "./fixtures/appearance.ts";
import { apiOf, expect, expectToast, SOON, tabTo, test } from "./fixtures/test.ts";
import { openTestRows } from "./fixtures/test-rows.ts";

const DAY_MS = 24 * 3600_000;

test("finished tasks are kept for a year, after what would go was shown and the slug was typed", async ({
  ana,
  ola,
}) => {
  const testRows = await openTestRows();
  const server = await testRows.serverNamed("Finance ERP");
  const old = await testRows.insertTask(server, {
    state: "completed",
    finishedAt: new Date(Date.now() - 400 * DAY_MS),
  });
  await testRows.close();
  await ana.goto("/settings/retention");
  const save = ana.getByRole("button", { name: "Save" });
  await expect(save).toBeDisabled();
  const kept = ana.getByLabel("Finished tasks");
  await tabTo(ana, kept);
  await ana.keyboard.type("1 y");
  await expect(kept).toHaveValue("365");
  await expect(ana.getByText("1 finished task")).toBeVisible();
  await checkAppearance(ana, "retention, shorter");

  await tabTo(ana, save);
  await ana.keyboard.press("Enter");
  const dialog = ana.getByRole("dialog", { name: "Keep it for less time?" });
  await expect(dialog.getByText("1 finished task")).toBeVisible();
  const slug = dialog.getByLabel("Type acme to confirm");
  await tabTo(ana, slug);
  await ana.keyboard.type("acne");
  await ana.keyboard.press("Enter");
  await expect(slug).toHaveAttribute("aria-invalid", "true");
  await checkAppearance(ana, "retention, confirm");
  await slug.fill("acme");
  await ana.keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);
  await expectToast(ana, "Saved");
  await expect.poll(async () => (await ana.request.get(`/api/v1/tasks/${old}`)).status(), SOON).toBe(404);

  await kept.selectOption("Forever");
  await expect(ana.getByText("This would be deleted now")).toHaveCount(0);
  await save.click();
  await expect
    .poll(async () => (await apiOf(ana).get<{ taskDays: unknown }>("/organization/retention")).taskDays, SOON)
    .toBeNull();
  await ola.goto("/settings/retention");
  await expect(ola.getByText("Only admins change how long things are kept.")).toBeVisible();
});

test("a legal hold is set with what it is for, seen, and lifted", async ({ ana }) => {
  await ana.goto("/settings/retention");
  await tabTo(ana, ana.getByLabel("What for"));
  await ana.keyboard.type("Case 12");
  await ana.keyboard.press("Enter");
  await expect(ana.getByText("Ana set a legal hold")).toBeVisible();
  await checkAppearance(ana, "legal hold");
  await tabTo(ana, ana.getByRole("button", { name: "Lift the hold" }));
  await ana.keyboard.press("Enter");
  await expect(ana.getByLabel("What for")).toBeVisible();
});

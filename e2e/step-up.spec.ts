/** A session that is hours old is asked for the password before what takes much out or over. */
import type { Page } from "@playwright/test";
import { checkAppearance } from "./fixtures/appearance.ts";
import { newOwner, PASSWORD } from "./fixtures/organizations.ts";
import { apiOf, expect, tabTo, test } from "./fixtures/test.ts";
import { openTestRows } from "./fixtures/test-rows.ts";

test("a key is made after the password was given, in one go and with the keyboard alone", {
  tag: "@journey",
}, async ({ browser }) => {
  const pia = await newOwner(browser, "Pia", "papa");
  await makeStale(pia);
  await pia.goto("/settings/api-keys");
  await pia
    .getByRole("button", { name: /^(Make|New|Create).*key/ })
    .first()
    .click();
  await pia.getByRole("dialog").getByLabel("Name").fill("Invoices");
  await pia.keyboard.press("Enter");

  const dialog = pia.getByRole("dialog", { name: "Confirm that it is you" });
  const password = dialog.getByLabel("Your password");
  await password.fill("wrong");
  await pia.keyboard.press("Enter");
  await expect(password).toHaveAttribute("aria-invalid", "true");
  await checkAppearance(pia, "step up, wrong password");
  await password.fill(PASSWORD);
  await tabTo(pia, dialog.getByRole("button", { name: "Confirm" }));
  await pia.keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);
  await expect(pia.getByText(/itk_/).or(pia.locator("input[value^=itk_]")).first()).toBeVisible();
  await pia.context().close();
});

test("outside of the settings, too: an agent gets a new secret", async ({ browser }) => {
  const quin = await newOwner(browser, "Quin", "quinoa");
  const made = await apiOf(quin).write("POST", "/agent-credentials", { name: "Coder" });
  await makeStale(quin);
  await quin.goto(`/servers/agents/${(await made.json()).id}`);
  await quin.getByRole("button", { name: "New secret…" }).click();
  await quin.getByRole("button", { name: "Make a new secret" }).click();
  const dialog = quin.getByRole("dialog", { name: "Confirm that it is you" });
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await quin.keyboard.press("Enter");
  await expect(quin.getByRole("dialog", { name: "Coder has a new secret" })).toBeVisible();
  await quin.context().close();
});

/** The person's sessions showed a factor an hour ago. */
async function makeStale(page: Page): Promise<void> {
  const { user } = await apiOf(page).get<{ user: { id: string } }>("/me");
  const rows = await openTestRows();
  await rows.within(
    (tx) =>
      tx.$executeRaw`UPDATE session SET factor_at = now() - interval '1 hour' WHERE user_id = ${user.id}::uuid`,
  );
  await rows.close();
}

/** A session that is hours old is asked for the password before what takes much out or over. */
import { checkAppearance } from "./fixtures/appearance.ts";
import { newOwner, PASSWORD } from "./fixtures/organizations.ts";
import { apiOf, expect, tabTo, test } from "./fixtures/test.ts";
import { openTestRows } from "./fixtures/test-rows.ts";

test("a key is made after the password was given, in one go and with the keyboard alone", {
  tag: "@journey",
}, async ({ browser }) => {
  const pia = await newOwner(browser, "Pia", "papa");
  const { user } = await apiOf(pia).get<{ user: { id: string } }>("/me");
  const rows = await openTestRows();
  await rows.within(
    (tx) =>
      tx.$executeRaw`UPDATE session SET factor_at = now() - interval '1 hour' WHERE user_id = ${user.id}::uuid`,
  );
  await rows.close();
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

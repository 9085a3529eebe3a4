/** The history is sent to a place outside: set up by an owner with the keyboard alone, tested, paused and taken away. */

import { checkAppearance } from "./fixtures/appearance.ts";
import { readReceived } from "./fixtures/receivers.ts";
import { expect, expectToast, newInvoiceId, SOON, tabTo, test } from "./fixtures/test.ts";

test("an owner sends the history to a webhook, and sees that it has all of it", async ({ ana, ola }) => {
  const { receiver } = await readReceived();
  const url = `${receiver}/${newInvoiceId()}`;
  const { host } = new URL(url);
  const bodies = async () =>
    (await readReceived()).calls.filter(({ path }) => url.endsWith(path)).map(({ body }) => body);
  await ola.goto("/settings/audit-streams");
  await expect(ola.getByText("Only owners manage the audit stream.")).toBeVisible();

  await ana.goto("/settings/audit-streams");
  await expect(ana.getByText("No destinations yet")).toBeVisible();
  await checkAppearance(ana, "no audit streams");
  await tabTo(ana, ana.getByRole("button", { name: "Add a destination…" }));
  await ana.keyboard.press("Enter");
  const dialog = ana.getByRole("dialog");
  for (const kind of ["syslog", "s3"]) {
    await dialog.getByLabel("Kind").selectOption(kind);
    await dialog.getByRole("button", { name: "Add the destination" }).click();
    await expect(dialog.locator("[aria-invalid]").first()).toBeFocused();
    await checkAppearance(ana, `an audit stream to ${kind} with errors`);
  }
  await dialog.getByLabel("Kind").selectOption("webhook");
  await tabTo(ana, dialog.getByLabel("Address"));
  await ana.keyboard.type("https://10.0.0.1/x");
  await ana.keyboard.press("Enter");
  await expect(dialog.getByText("Use a public https address")).toBeVisible();
  await dialog.getByLabel("Address").fill(url);
  await ana.keyboard.press("Enter");
  await expect(dialog.getByLabel("Signing secret")).toHaveValue(/^whsec_/);
  await tabTo(ana, dialog.getByRole("button", { name: "Done" }));
  await ana.keyboard.press("Enter");

  await expect(ana.getByText(/^Has all \d+ lines/)).toBeVisible(SOON);
  expect((await bodies()).join("")).toContain('"type":"audit_stream.created"');
  await tabTo(ana, ana.getByRole("button", { name: `Send a test line to ${host}` }));
  await ana.keyboard.press("Enter");
  await expectToast(ana, "The test line arrived");
  // Lines of other tests' tasks may follow.
  expect((await bodies()).some((body) => body.includes('"kind":"test"'))).toBe(true);
  await checkAppearance(ana, "an audit stream");

  await ana.getByRole("button", { name: `Pause ${host}` }).click();
  await expect(ana.getByText("Paused", { exact: true })).toBeVisible(SOON);
  await checkAppearance(ana, "a paused audit stream");
  await ana.getByRole("button", { name: `More for ${host}` }).click();
  await ana.getByRole("menuitem", { name: "Remove…" }).click();
  await ana.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(ana.getByText("No destinations yet")).toBeVisible(SOON);
});

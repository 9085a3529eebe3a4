/** A program gets an account with an owner: made with the keyboard, put to rest, given another owner, deleted. */
import { checkAppearance } from "./fixtures/appearance.ts";
import { addPerson, newOwner } from "./fixtures/organizations.ts";
import { apiOf, expect, SOON, tabTo, test } from "./fixtures/test.ts";

test("an owner makes a service account and a key of it, and it is suspended without an owner", async ({
  browser,
}) => {
  const wanda = await newOwner(browser, "Wanda", "whiskey");
  await addPerson("whiskey", "will@whiskey.example", "operator");
  await wanda.goto("/settings/api-keys");
  await expect(wanda.getByText("No service accounts yet")).toBeVisible(SOON);
  await checkAppearance(wanda, "no service accounts");

  await tabTo(wanda, wanda.getByRole("button", { name: "Make a service account…" }));
  await wanda.keyboard.press("Enter");
  const dialog = wanda.getByRole("dialog");
  await dialog.getByRole("button", { name: "Make the account" }).click();
  await expect(dialog.locator("[aria-invalid=true]").first()).toBeFocused();
  await checkAppearance(wanda, "a service account with errors");
  await dialog.getByLabel("Name").fill("Nightly import");
  await dialog.getByLabel("What it is for").fill("Books yesterday’s invoices");
  await dialog.getByLabel("Role").selectOption("operator");
  await dialog.getByLabel("Owner").selectOption({ label: "Will · will@whiskey.example" });
  await wanda.keyboard.press("Enter");
  const accounts = wanda.getByRole("list", { name: "Service accounts" });
  await expect(accounts.getByText("Owner Will · 0 keys")).toBeVisible(SOON);

  await wanda.getByRole("button", { name: "Make a key…" }).click();
  await dialog.getByLabel("Name").fill("Import");
  await dialog.getByLabel("Belongs to").selectOption({ label: "Nightly import · operator" });
  await dialog.getByLabel("Role").selectOption("operator");
  await checkAppearance(wanda, "a key of a service account");
  await dialog.getByRole("button", { name: "Make the key" }).click();
  await expect(dialog.getByLabel("API key")).toHaveValue(/^itk_/, SOON);
  const key = await dialog.getByLabel("API key").inputValue();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(wanda.getByText(/^Of Nightly import · Made by Wanda/)).toBeVisible(SOON);
  const use = async () => {
    const { status } = await fetch(`${process.env.E2E_URL}/api/v1/me`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return status;
  };
  expect(await use()).toBe(200);

  const more = wanda.getByRole("button", { name: "More for Nightly import" });
  await more.click();
  await wanda.getByRole("menuitem", { name: "Suspend" }).click();
  await expect(accounts.getByText("An admin suspended it: its keys are refused.")).toBeVisible(SOON);
  expect(await use()).toBe(403);
  await more.click();
  await wanda.getByRole("menuitem", { name: "Resume" }).click();
  await expect(accounts.getByText("Suspended", { exact: true })).toHaveCount(0, SOON);

  const { items } = await apiOf(wanda).get<{ items: { id: string; name: string }[] }>("/members");
  const will = items.find(({ name }) => name === "Will");
  const headers = { origin: process.env.E2E_URL ?? "" };
  expect((await wanda.request.delete(`/api/v1/members/${will?.id}`, { headers })).status()).toBe(204);
  await wanda.reload();
  await expect(
    accounts.getByText("It has no owner, so its keys are refused. Choose another owner."),
  ).toBeVisible(SOON);
  await checkAppearance(wanda, "a suspended service account");
  await wanda.getByRole("button", { name: "Change Nightly import" }).click();
  await dialog.getByLabel("Owner").selectOption({ label: "Wanda · wanda@whiskey.example" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(accounts.getByText("Owner Wanda · 1 key")).toBeVisible(SOON);
  expect(await use()).toBe(200);

  await more.click();
  await wanda.getByRole("menuitem", { name: "Delete…" }).click();
  await expect(wanda.getByText(/^Its key ends with it/)).toBeVisible();
  await checkAppearance(wanda, "deleting a service account");
  await wanda.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(wanda.getByText("No service accounts yet")).toBeVisible(SOON);
  expect(await use()).toBe(401);
  await wanda.context().close();
});

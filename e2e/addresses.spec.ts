/** An organization is reached from its own networks: set without locking oneself out, and refused in plain words elsewhere. */
import { checkAppearance } from "./fixtures/appearance.ts";
import { command } from "./fixtures/intray.ts";
import { addOrganization, newOwner } from "./fixtures/organizations.ts";
import { expect, expectToast, SOON, tabTo, test } from "./fixtures/test.ts";

test("an owner lists networks with the keyboard alone, and is not locked out by a slip", async ({
  browser,
}) => {
  const nina = await newOwner(browser, "Nina", "quebec");
  await nina.goto("/settings/organization");
  const field = nina.getByLabel("Reached from");
  // The browser and Intray are on one machine: its address is none of the internet's, and the screen says so.
  await expect(nina.getByText(/This is not a public address/)).toBeVisible(SOON);
  await checkAppearance(nina, "networks, none");

  await tabTo(nina, field);
  await nina.keyboard.type("010.0.0.1");
  await nina.getByRole("button", { name: "Save networks" }).click();
  await expect(field).toHaveAttribute("aria-invalid", "true");
  await checkAppearance(nina, "networks with an error");
  await field.fill("192.0.2.0/24");
  await nina.getByRole("button", { name: "Save networks" }).click();
  await expect(nina.getByText(/you would be locked out. Nothing was saved/)).toBeVisible(SOON);
  await checkAppearance(nina, "networks without one's own");
  await tabTo(nina, nina.getByRole("button", { name: /^Add mine/ }));
  await nina.keyboard.press("Enter");
  await expect(field).toBeFocused();
  await nina.getByRole("button", { name: "Save networks" }).click();
  await expectToast(nina, "Saved the networks");

  // They reach Intray from somewhere else now.
  await command("org", "addresses", "--org", "quebec", "--set", "192.0.2.0/24");
  await nina.goto("/tasks");
  await expect(nina.getByRole("heading", { name: "Quebec can’t be reached from here" })).toBeVisible(SOON);
  await expect(nina.getByRole("navigation", { name: "Main" })).toHaveCount(0);
  await checkAppearance(nina, "not from here");
  const answer = await nina.request.get("/api/v1/tasks");
  expect([answer.status(), (await answer.json()).code]).toEqual([
    403,
    "address_not_allowed_for_organization",
  ]);

  // A page that is open already, and follows a link, ends there too.
  await command("org", "addresses", "--org", "quebec", "--clear");
  await nina.getByRole("button", { name: "Try again" }).click();
  await expect(nina.getByRole("navigation", { name: "Main" })).toBeVisible(SOON);
  await command("org", "addresses", "--org", "quebec", "--set", "192.0.2.0/24");
  await nina.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Servers" }).click();
  await expect(nina.getByRole("heading", { name: "Quebec can’t be reached from here" })).toBeVisible(SOON);

  await nina.getByRole("button", { name: "Sign out" }).click();
  await expect(nina).toHaveURL(/sign-in/, SOON);
  await nina.context().close();
});

test("whoever is outside goes on in another organization of theirs", async ({ browser }) => {
  const tom = await newOwner(browser, "Tom", "romeo");
  await addOrganization("uniform", "tom@romeo.example");
  await addOrganization("victor", "tom@romeo.example");
  await command("org", "addresses", "--org", "romeo", "--set", "192.0.2.0/24");
  await command("org", "addresses", "--org", "victor", "--set", "192.0.2.0/24");
  await tom.goto("/");
  await expect(tom.getByRole("heading", { name: "Romeo can’t be reached from here" })).toBeVisible(SOON);
  await expect(tom.getByRole("button", { name: "Victor" })).toBeDisabled();
  await checkAppearance(tom, "not from here, with other organizations");
  await tom.getByRole("button", { name: "Uniform" }).click();
  await expect(tom.getByRole("navigation", { name: "Main" })).toBeVisible(SOON);
  await tom.goto("/settings/organization");
  await expect(tom.getByText(/Command-line name: uniform/)).toBeVisible(SOON);
  await tom.goto("/not-from-here");
  await expect(tom).not.toHaveURL(/not-from-here/, SOON);
  await tom.context().close();
});

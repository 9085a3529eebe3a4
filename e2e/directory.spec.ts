/** An owner connects a directory with the keyboard, and somebody whom it deactivates is out of the open page. */
import { checkAppearance } from "./fixtures/appearance.ts";
import { command } from "./fixtures/intray.ts";
import { newOwner, open, PASSWORD, signIn } from "./fixtures/organizations.ts";
import { expect, expectToast, SOON, tabTo, test } from "./fixtures/test.ts";

const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

test("a person whom the directory deactivates is out of the open page within a minute", async ({
  browser,
  ola,
}) => {
  await ola.goto("/settings/directory");
  await expect(ola.getByText("Only owners manage the directory.")).toBeVisible();

  const dirk = await newOwner(browser, "Dirk", "echo");
  const email = "vera@echo.example";
  const link = await command(
    "user",
    "create",
    email,
    "--name",
    "Vera",
    "--org",
    "echo",
    "--role",
    "approver",
  );
  const vera = await open(browser);
  await vera.goto(link);
  await vera.getByLabel("New password").fill(PASSWORD);
  await vera.getByRole("button", { name: "Save password" }).click();
  await expect(vera).toHaveURL(/sign-in/, SOON);
  await signIn(vera, email);

  await dirk.goto("/settings/directory");
  await expect(dirk.getByText("No token yet")).toBeVisible();
  await checkAppearance(dirk, "no directory");
  await tabTo(dirk, dirk.getByRole("button", { name: "Make a token…" }));
  await dirk.keyboard.press("Enter");
  await dirk.getByRole("button", { name: "Make the token" }).click();
  const secret = dirk.getByRole("dialog").getByLabel("Token", { exact: true });
  await expect(secret).toHaveValue(/^its_/);
  const token = await secret.inputValue();
  const base = await dirk.getByLabel("Base URL").inputValue();
  expect(new URL(base).pathname).toBe("/api/scim/v2");
  await dirk.getByRole("button", { name: "Done" }).click();

  const scim = async (method: string, path: string, data?: object) => {
    const answer = await dirk.request.fetch(`/api/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json" },
      ...(data && { data }),
    });
    return { status: answer.status(), body: await answer.json().catch(() => null) };
  };
  const group = await scim("POST", "/Groups", { displayName: "Finance approvers" });
  expect(group).toMatchObject({ status: 201 });
  const invited = await scim("POST", "/Users", { schemas: [USER], userName: "nobody-yet@echo.example" });
  await dirk.reload();
  await dirk.getByLabel("Role of Finance approvers").selectOption("approver");
  await expectToast(dirk, "The role of Finance approvers was saved");
  await expect(dirk.getByText(/1 invited/)).toBeVisible(SOON);
  await checkAppearance(dirk, "a directory with a group");

  const filter = encodeURIComponent(`userName eq "${email}"`);
  const found = await scim("GET", `/Users?filter=${filter}`);
  const [{ id }] = found.body.Resources;
  const active = (value: boolean) => ({
    schemas: [PATCH],
    Operations: [{ op: "replace", path: "active", value }],
  });
  await vera.goto("/inbox");
  await expect(vera.getByRole("heading").first()).toBeVisible(SOON);
  try {
    expect((await scim("PATCH", `/Users/${id}`, active(false))).status).toBe(200);
    await expect(vera.getByText("You were signed out.").first()).toBeVisible({ timeout: 60_000 });
    expect((await vera.request.get("/api/v1/me")).status()).toBe(401);
  } finally {
    expect((await scim("PATCH", `/Users/${id}`, active(true))).status).toBe(200);
  }

  for (const path of [`/Groups/${group.body.id}`, `/Users/${invited.body.id}`])
    expect((await scim("DELETE", path)).status).toBe(204);
  await dirk.getByRole("button", { name: "Revoke…" }).click();
  await dirk.getByRole("button", { name: "Revoke", exact: true }).click();
  await expect(dirk.getByText("No token yet")).toBeVisible(SOON);
  expect((await scim("GET", "/Users")).status).toBe(401);
  for (const each of [dirk, vera]) await each.context().close();
});

/** An owner connects a directory with the keyboard, and somebody whom it deactivates is out of the open page. */
import { checkAppearance } from "./fixtures/appearance.ts";
import { expect, SOON, tabTo, test } from "./fixtures/test.ts";

test.describe.configure({ timeout: 180_000 });

const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

test("a person whom the directory deactivates is out of the open page within a minute", async ({
  ana,
  ben,
  ola,
}) => {
  await ola.goto("/settings/directory");
  await expect(ola.getByText("Only owners manage the directory.")).toBeVisible();

  await ana.goto("/settings/directory");
  await expect(ana.getByText("No token yet")).toBeVisible();
  await checkAppearance(ana, "no directory");
  await tabTo(ana, ana.getByRole("button", { name: "Make a token…" }));
  await ana.keyboard.press("Enter");
  await ana.getByRole("button", { name: "Make the token" }).click();
  const secret = ana.getByRole("dialog").getByLabel("Token", { exact: true });
  await expect(secret).toHaveValue(/^its_/);
  const token = await secret.inputValue();
  const base = await ana.getByLabel("Base URL").inputValue();
  expect(new URL(base).pathname).toBe("/api/scim/v2");
  await ana.getByRole("button", { name: "Done" }).click();

  const scim = async (method: string, path: string, data?: object) => {
    const answer = await ana.request.fetch(`/api/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json" },
      ...(data && { data }),
    });
    return { status: answer.status(), body: await answer.json().catch(() => null) };
  };
  const group = await scim("POST", "/Groups", { displayName: "Finance approvers" });
  expect(group).toMatchObject({ status: 201 });
  const invited = await scim("POST", "/Users", { schemas: [USER], userName: "nobody-yet@acme.example" });
  await ana.reload();
  await ana.getByLabel("Role of Finance approvers").selectOption("approver");
  await expect(ana.getByText("The role of Finance approvers was saved")).toBeVisible(SOON);
  await expect(ana.getByText(/1 invited/)).toBeVisible(SOON);
  await checkAppearance(ana, "a directory with a group");

  const me = await (await ben.request.get("/api/v1/me")).json();
  const filter = encodeURIComponent(`userName eq "${me.user.email}"`);
  const found = await scim("GET", `/Users?filter=${filter}`);
  const [{ id }] = found.body.Resources;
  const active = (value: boolean) => ({
    schemas: [PATCH],
    Operations: [{ op: "replace", path: "active", value }],
  });
  await ben.goto("/inbox");
  await expect(ben.getByRole("heading").first()).toBeVisible(SOON);
  try {
    expect((await scim("PATCH", `/Users/${id}`, active(false))).status).toBe(200);
    await expect(ben.getByText("You were signed out.").first()).toBeVisible({ timeout: 60_000 });
    expect((await ben.request.get("/api/v1/me")).status()).toBe(401);
  } finally {
    expect((await scim("PATCH", `/Users/${id}`, active(true))).status).toBe(200);
  }

  for (const path of [`/Groups/${group.body.id}`, `/Users/${invited.body.id}`])
    expect((await scim("DELETE", path)).status).toBe(204);
  await ana.getByRole("button", { name: "Revoke…" }).click();
  await ana.getByRole("button", { name: "Revoke", exact: true }).click();
  await expect(ana.getByText("No token yet")).toBeVisible(SOON);
  expect((await scim("GET", "/Users")).status).toBe(401);
});

/** Beyond what an organization may start: said in words, with what was typed still there. */
import { expect, test } from "@playwright/test";
import { signIn } from "./desk.ts";
import { type Intray, startIntray } from "./intray.ts";
import { judge } from "./judge.ts";

test.setTimeout(180_000);

let intray: Intray;
test.beforeAll(async () => {
  intray = await startIntray();
});
test.afterAll(() => intray.stop());

test("a start beyond the quota says so, and starts nothing until there is more", async ({ browser }) => {
  const page = await (await browser.newContext({ baseURL: intray.url })).newPage();
  await signIn(page, "Ola");
  await page.request.patch("/api/v1/me/preferences", {
    data: { tourSeen: true },
    headers: { origin: intray.url },
  });
  await intray.command("org", "quota", "acme", "--starts", "0");
  await page.goto("/tasks/new");
  await page.getByLabel("Server").selectOption({ label: "Finance ERP" });
  await page.getByRole("button", { name: "Fill in the sample invoice" }).click();
  await expect(page.getByLabel("Customer")).toHaveValue("ACME Corp");
  await page.getByLabel("Invoice number").fill("INV-QUOTA");
  await page.getByRole("button", { name: "Start task" }).press("Enter");
  const said = page.getByText("as many tasks in the last minute as it may (0)");
  await expect(said).toBeVisible();
  await expect(page.getByText("No task was started.")).toBeVisible();
  await said.scrollIntoViewIfNeeded();
  await judge(page, "a start beyond the quota");
  await expect(page.getByLabel("Invoice number")).toHaveValue("INV-QUOTA");

  await intray.command("org", "quota", "acme", "--starts", "100");
  await page.getByRole("button", { name: "Start task" }).press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("INV-QUOTA");
  const list = await (await page.request.get("/api/v1/tasks?q=INV-QUOTA")).json();
  expect(list.items).toHaveLength(1);
});

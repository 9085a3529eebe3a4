/** A server of tools that answer at once: its recipe is tried and changed by an admin, and its task asks with the invoice's facts. */
import type { RecipeVersion } from "../lib/servers/recipes/recipe-schema.ts";
import type { Server } from "../lib/servers/server-schema.ts";
import type { TaskDetail } from "../lib/tasks/task-schema.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import {
  apiOf,
  expect,
  newInvoiceId,
  openPhoneAs,
  openRequest,
  requestPane,
  SOON,
  test,
} from "./fixtures/test.ts";

const NAME = "process_invoice";

async function payables(page: Parameters<typeof apiOf>[0]): Promise<Server> {
  const { items } = await apiOf(page).get<{ items: Server[] }>("/servers");
  return items.find(({ name }) => name === "Accounts payable")!;
}

test("an admin tries a recipe on a reply, is told where it is wrong, and saves its next version", async ({
  ana,
  browser,
}) => {
  const server = await payables(ana);
  await ana.goto(`/servers/${server.id}`);
  const recipes = ana.getByRole("region", { name: "Recipes" });
  await expect(recipes.getByText("Process an invoice")).toBeVisible();
  await expect(ana.getByText(`called by the recipe ${NAME}`)).toHaveCount(4);
  await expect(ana.getByText("can run as a task")).toHaveCount(0);
  await checkAppearance(ana, "server with a recipe");
  await recipes.getByRole("button", { name: `Edit ${NAME}` }).click();

  const dialog = ana.getByRole("dialog", { name: `Recipe ${NAME}` });
  const text = dialog.getByLabel("Recipe", { exact: true });
  const before = await text.inputValue();
  await text.fill(before.replace('"message": "\'Approve invoice', '"message": "\'Pay invoice'));
  await dialog.getByText("Try it", { exact: true }).click();
  await dialog
    .getByLabel("On a recorded reply")
    .fill(
      JSON.stringify({ status: "PENDING-APPROVAL", invoice_id: "INV-1", customer: "ACME", amount: 1250 }),
    );
  await dialog.getByRole("button", { name: "Try the reply" }).click();
  await expect(dialog.getByText("Waits for a person, in the state “PENDING-APPROVAL”")).toBeVisible();
  await expect(dialog.getByText("Pay invoice INV-1 of ACME?")).toBeVisible();
  await expect(dialog.getByRole("list", { name: "Choices" })).toContainText("approve_invoice");
  await checkAppearance(ana, "recipe, tried");

  await dialog.getByLabel("On the server").fill("T-404");
  await dialog.getByRole("button", { name: "Ask for its status" }).click();
  await expect(dialog.getByText("The tool failed: There is no invoice T-404.")).toBeVisible();

  const good = await text.inputValue();
  await text.fill(good.replace("result.structuredContent.reference", "result.reference."));
  await dialog.getByRole("button", { name: "Save as the next version" }).click();
  await expect(text).toHaveAttribute("aria-invalid", "true");
  await expect(dialog.getByText(/^start\.handle: /)).toBeVisible();
  await text.fill("{");
  await dialog.getByRole("button", { name: "Save as the next version" }).click();
  await expect(dialog.getByText(/^This is not JSON/)).toBeVisible();
  await checkAppearance(ana, "recipe, wrong");
  await text.fill(good);
  await dialog.getByRole("button", { name: "Save as the next version" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(recipes.getByText(/^Version \d+ · Ana/)).toBeVisible();
  await recipes.getByRole("button", { name: `Edit ${NAME}` }).click();
  await text.fill(good.replaceAll("approve_invoice", "aprove_invoice"));
  await dialog.getByRole("button", { name: "Save as the next version" }).click();
  await expect(ana.getByText(/can’t be started: .*aprove_invoice/)).toBeVisible();
  await ana.goto("/activity");
  await expect(ana.getByText(/Ana changed the recipe “process_invoice”/).first()).toBeVisible();

  // Others find it as it was.
  const saved = await apiOf(ana).get<RecipeVersion>(`/servers/${server.id}/recipes/${NAME}`);
  const back = JSON.parse(before);
  const put = await apiOf(ana).write("PUT", `/servers/${server.id}/recipes/${NAME}`, back);
  expect((await put.json()).version).toBe(saved.version + 1);

  const phone = await openPhoneAs(browser, "Ana");
  await phone.goto(`/servers/${server.id}`);
  await phone.getByRole("button", { name: `Edit ${NAME}` }).click();
  await checkAppearance(phone, "recipe on a phone");
  await phone.context().close();
});

test("a recipe is removed once it was asked whether, and what happens to its tasks is said", async ({
  ana,
}) => {
  const server = await payables(ana);
  const path = `/servers/${server.id}/recipes`;
  const { recipe } = await apiOf(ana).get<RecipeVersion>(`${path}/${NAME}`);
  const made = await apiOf(ana).write("POST", path, { ...recipe, name: "unused_recipe", title: undefined });
  expect(made.status(), await made.text()).toBe(201);
  await ana.goto(`/servers/${server.id}`);
  const edit = ana.getByRole("button", { name: "Edit unused_recipe" });
  await edit.click();
  const editor = ana.getByRole("dialog", { name: "Recipe unused_recipe" });
  await editor.getByLabel("Recipe", { exact: true }).fill("half written");
  await editor.getByRole("button", { name: "Remove the recipe…" }).click();
  const question = ana.getByRole("dialog", { name: "Remove the recipe unused_recipe?" });
  await expect(question).toContainText("Open tasks continue with their version");
  await checkAppearance(ana, "a recipe is about to be removed");
  await question.getByRole("button", { name: "Keep it" }).click();
  // What was written stands.
  await expect(editor.getByLabel("Recipe", { exact: true })).toHaveValue("half written");
  await editor.getByRole("button", { name: "Remove the recipe…" }).click();
  await question.getByRole("button", { name: "Remove the recipe" }).click();
  await expect(question).toHaveCount(0);
  await expect(edit).toHaveCount(0);
});

test("its task asks with the invoice's facts, and is approved once", async ({ ola, ben }) => {
  const server = await payables(ola);
  const id = newInvoiceId();
  const args = { invoice_id: id, customer: "Brightwater Facilities", amount: 1870, currency: "EUR" };
  const body = { serverId: server.id, tool: NAME, arguments: args };
  const started = await apiOf(ola).write("POST", "/tasks", body);
  expect(started.status(), await started.text()).toBe(201);
  const task = (await started.json()) as TaskDetail;

  const requestId = await openRequest(ola, task.id);
  await ben.goto(`/inbox/${requestId}`);
  const pane = requestPane(ben);
  await expect(pane.getByText(`Approve invoice ${id} of Brightwater Facilities?`).first()).toBeVisible();
  const facts = pane.getByRole("region", { name: "Details from Accounts payable" });
  await expect(facts).toContainText("PENDING-APPROVAL");
  await expect(facts).toContainText("Brightwater Facilities");
  await checkAppearance(ben, "a recipe's question");
  // It has nothing but its choices.
  await expect(ben.getByRole("button", { name: /^Decline/ })).toHaveCount(0);
  await pane.getByRole("button", { name: "More", exact: true }).click();
  await expect(ben.getByRole("menuitem", { name: "Skip" })).toBeVisible();
  await expect(ben.getByRole("menuitem", { name: /Decline|Dismiss without answering/ })).toHaveCount(0);
  await ben.keyboard.press("Escape");
  await ben.keyboard.press("d");
  await expect(ben.getByRole("dialog")).toHaveCount(0);
  await ben.goto(`/inbox?tab=all&q=${id}`);
  const row = ben
    .getByRole("region", { name: "Requests", exact: true })
    .getByRole("listitem")
    .filter({ has: ben.locator("a") });
  await row.hover();
  await row.getByRole("checkbox").click();
  const bar = ben.getByRole("region", { name: "Selected requests" });
  await expect(bar.getByRole("button", { name: "Claim" })).toBeVisible();
  await expect(bar.getByRole("button", { name: /^Decline/ })).toHaveCount(0);
  await ben.goto(`/inbox/${requestId}`);
  await pane.getByRole("radio", { name: "Approve" }).check();
  await ben.getByRole("button", { name: "Send answer" }).click();

  await expect
    .poll(async () => (await apiOf(ola).get<TaskDetail>(`/tasks/${task.id}`)).state, SOON)
    .toBe("completed");
});

/** Who looked at what is somebody's, where that person sees it. */
import { checkAppearance, ON_A_PHONE } from "./fixtures/appearance.ts";
import { apiOf, expect, startInvoice, test } from "./fixtures/test.ts";

test("who asked for a task sees who looked at it, on the task and with all that is theirs", async ({
  ana,
  ola,
  ben,
}) => {
  const { taskId } = await startInvoice(ola);
  await ola.goto(`/tasks/${taskId}`);
  await ola.getByRole("tab", { name: "Access" }).click();
  const panel = ola.getByRole("tabpanel", { name: "Access" });
  await expect(panel).toContainText("Opening the task, its requests or a list is not recorded.");

  // An admin reads the messages, takes a list out and looks as Ola; Ben, who is neither, has no such tab.
  await ana.goto(`/tasks/${taskId}`);
  await ana.getByRole("tab", { name: "Protocol" }).click();
  await expect(ana.getByRole("list", { name: "Messages, newest first" })).toBeVisible();
  expect((await ana.request.get("/api/v1/tasks/export")).ok()).toBe(true);
  const members = await apiOf(ana).get<{ items: { id: string; name: string }[] }>("/members");
  const member = members.items.find(({ name }) => name === "Ola")?.id;
  expect((await apiOf(ana).write("POST", `/members/${member}/view-as`, {})).status()).toBe(200);
  const headers = { origin: process.env.E2E_URL ?? "" };
  expect((await ana.request.delete("/api/v1/me/view-as", { headers, data: {} })).status()).toBe(204);
  await ben.goto(`/tasks/${taskId}`);
  await expect(ben.getByRole("tab", { name: "Timeline" })).toBeVisible();
  await expect(ben.getByRole("tab", { name: "Access" })).toHaveCount(0);

  await ola.reload();
  await ola.getByRole("tab", { name: "Access" }).click();
  const looks = panel.getByRole("listitem");
  await expect(looks.filter({ hasText: "Ana looked at lists as Ola, read only" })).toHaveCount(1);
  await expect(looks.filter({ hasText: "Ana exported a list with this task" })).toHaveCount(1);
  await expect(looks.filter({ hasText: "Ana read the protocol messages" })).toHaveCount(1);
  await checkAppearance(ola, "who looked at a task");

  await ola.goto("/settings/security");
  const own = ola.getByRole("list", { name: "Access log" }).getByRole("listitem");
  await expect(own.filter({ hasText: "Ana looked at lists as you, read only" }).first()).toBeVisible();
  await expect(own.filter({ hasText: "Ana exported a list with tasks of yours" }).first()).toBeVisible();
  const read = own.filter({ hasText: "Ana read the protocol messages" }).first();
  await checkAppearance(ola, "who looked at what is one's own");
  await read.getByRole("link").click();
  await expect(ola).toHaveURL(new RegExp(`/tasks/${taskId}$`));
});

test("a look of one's own is told as one's own, and the list fits a phone", async ({ ola }) => {
  const { taskId } = await startInvoice(ola);
  expect((await ola.request.get(`/api/v1/tasks/${taskId}/messages`)).ok()).toBe(true);
  await ola.goto(`/tasks/${taskId}`);
  await ola.getByRole("tab", { name: "Access" }).click();
  await expect(ola.getByText("You read the protocol messages")).toBeVisible();
  await checkAppearance(ola, "who looked at a task, on a phone", ON_A_PHONE);
});

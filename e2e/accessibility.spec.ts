/** Every page in light and dark, on a desk and on a phone: nothing for axe to complain about, no scrolling sideways or past the end. */
import { expect } from "@playwright/test";
import { checkAppearance, ON_A_PHONE, ON_DESKTOP, PHONE } from "./fixtures/appearance.ts";
import {
  answer,
  askAbout,
  backTo,
  invoiceServer,
  openRequest,
  requestPane,
  SOON,
  startInvoice,
  taskHeader,
  test,
} from "./fixtures/test.ts";

test("the pages before signing in", async ({ page }) => {
  for (const path of [
    "/sign-in",
    "/setup",
    "/set-password#token=none",
    "/join#token=none",
    "/agents/sign-in?error=role",
    "/set-password",
    "/not-there",
  ]) {
    await page.goto(path);
    await checkAppearance(page, path);
  }
});

test("a request, a form with an error, its task, and the list on a phone", { tag: "@journey" }, async ({
  ola,
  ben,
}) => {
  const { taskId } = await startInvoice(ola, { sample: "large" });
  await answer(ola, await openRequest(ola, taskId), { value: "approve" });
  const form = await openRequest(ola, taskId, "cost center");
  await askAbout(ola, ben);
  await checkAppearance(ben, "a request");

  await ben.goto(`/inbox/${form}`);
  await ben.getByRole("button", { name: "Send answer" }).click();
  await expect(requestPane(ben).getByRole("alert").first()).toBeVisible();
  await checkAppearance(ben, "a form with an error");

  await ola.goto(`/tasks/${taskId}`);
  await expect(ola.getByRole("link", { name: "Open the request" })).toBeVisible();
  await checkAppearance(ola, "timeline");
  await ben.setViewportSize(PHONE);
  await ben.goto("/inbox");
  await expect(ben.getByRole("region", { name: "Requests" }).getByRole("listitem").first()).toBeVisible();
  await checkAppearance(ben, "the list", ON_A_PHONE);
});

test("what is decided, and an empty list", async ({ ola, ben }) => {
  const { id, requestId } = await askAbout(ola, ben);
  await ben.getByRole("button", { name: "Reject" }).click();
  await backTo(ben, requestId);
  await expect(ben.getByText("Rejected by Ben").first()).toBeVisible();
  await checkAppearance(ben, "an answer on its way");
  await ben.goto(`/inbox?tab=done&q=${id}`);
  await expect(ben.getByText("Rejected by Ben").first()).toBeVisible();
  await checkAppearance(ben, "what is done");
  await ben.setViewportSize(PHONE);
  await ben.goto("/inbox?q=nothing-like-this");
  await expect(ben.getByText("Nothing matches")).toBeVisible();
  await checkAppearance(ben, "an empty list", ON_A_PHONE);
});

test("tasks", async ({ ola, ben }) => {
  const { taskId } = await askAbout(ola, ben);
  await ola.goto("/tasks");
  await expect(ola.getByRole("row").nth(1)).toBeVisible();
  await checkAppearance(ola, "tasks");
  await ola.goto(`/tasks/${taskId}`);
  await expect(ola.getByRole("link", { name: "Open the request" })).toBeVisible();
  for (const tab of ["Arguments", "Requests", "Protocol"]) {
    await ola.getByRole("tab", { name: tab }).click();
    await expect(ola.getByRole("tabpanel", { name: tab })).not.toBeEmpty();
    await checkAppearance(ola, tab);
  }
  await requestPane(ben).getByRole("button", { name: "Reject" }).click();
  await expect(taskHeader(ola)).toContainText("REJECTED", SOON);
  await ola.getByRole("tab", { name: "Result" }).click();
  await expect(ola.getByRole("tabpanel").getByRole("table")).toBeVisible();
  await checkAppearance(ola, "Result");

  await ola.goto("/tasks/new");
  await ola.getByRole("combobox", { name: "Server" }).selectOption({ label: "Finance ERP" });
  await ola.getByRole("button", { name: "Fill in the sample invoice" }).click();
  await expect(ola.getByLabel("Customer")).toHaveValue("ACME Corp");
  await checkAppearance(ola, "a new task");
});

test("servers, dialogs and menus", async ({ ana, ola }) => {
  await ana.goto("/servers");
  await expect(ana.getByRole("heading", { level: 2 }).first()).toBeVisible();
  await checkAppearance(ana, "servers");
  await ana.getByRole("button", { name: "Connect server" }).click();
  await checkAppearance(ana, "connecting a server");
  await ana.getByLabel("Address").fill(`${invoiceServer()}/mcp`);
  await ana.keyboard.press("Enter");
  await expect(ana.getByText("The server answers. No sign-in needed.")).toBeVisible(SOON);
  await expect(ana.getByText(/^Finance ERP.* already has this address\.$/)).toBeVisible();
  await checkAppearance(ana, "a server that was tried");
  await ana.getByRole("button", { name: "Change" }).click();
  await ana.getByLabel("Address").fill("http://127.0.0.1:9/mcp");
  await ana.keyboard.press("Enter");
  await expect(ana.getByRole("button", { name: "Save anyway" })).toBeVisible(SOON);
  await checkAppearance(ana, "a server that does not answer");
  await ana.getByRole("dialog").getByRole("button", { name: "Close" }).first().click();
  await ana.getByRole("link", { name: "Finance ERP", exact: true }).click();
  await expect(ana.getByText("can run as a task").first()).toBeVisible();
  await checkAppearance(ana, "a server");

  await askAbout(ola, ana);
  await ana.keyboard.press("d");
  await expect(ana.getByRole("dialog")).toBeVisible();
  await checkAppearance(ana, "declining");
  await ana.keyboard.press("Escape");
  await ana.keyboard.press("?");
  await expect(ana.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await checkAppearance(ana, "the sheet of keys");
  await ana.keyboard.press("Escape");
  await ana.getByRole("button", { name: "More", exact: true }).click();
  await expect(ana.getByRole("menu")).toBeVisible();
  await checkAppearance(ana, "the menu of a request", ON_DESKTOP);
});

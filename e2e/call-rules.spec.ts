/** A rule puts a person before a call: written by an admin, tried, saved, met by who starts the call, and decided by an approver. */
import { checkAppearance } from "./fixtures/appearance.ts";
import { saveCallRules } from "./fixtures/policy.ts";
import {
  expect,
  ledgerOf,
  newInvoiceId,
  openPhoneAs,
  openRequest,
  requestPane,
  SOON,
  startInvoice,
  tabTo,
  taskHeader,
  test,
} from "./fixtures/test.ts";

test.setTimeout(180_000);

/** Other files share this Intray: rules of these tests are about their own invoices, and go with them. */
test.afterEach(({ ana }) => saveCallRules(ana, []));

test("an admin writes a rule, is told where it is wrong, tries it and saves it, with the keyboard alone", async ({
  ana,
  ola,
}) => {
  const id = newInvoiceId();
  await startInvoice(ola, { id });
  await ana.goto("/settings/call-rules");
  await expect(ana.getByText("No call rules yet")).toBeVisible();
  await checkAppearance(ana, "call rules, none");
  await tabTo(ana, ana.getByRole("button", { name: "Add a rule…" }));
  await ana.keyboard.press("Enter");

  const dialog = ana.getByRole("dialog", { name: "Add a rule" });
  await dialog.getByLabel("Name", { exact: true }).fill("This invoice");
  await tabTo(ana, dialog.getByRole("button", { name: "Advanced" }));
  await ana.keyboard.press("Enter");
  const when = dialog.getByLabel(/^Condition in CEL/);
  await when.fill("arguments.invoice.invoice_id = 1");
  await ana.keyboard.press("Tab");
  await tabTo(ana, dialog.getByRole("button", { name: "Add the rule" }));
  await ana.keyboard.press("Enter");
  await expect(when).toHaveAttribute("aria-invalid", "true");
  await checkAppearance(ana, "call rule, wrong");
  await when.fill(`tool.name == "process_invoice" && arguments.invoice.invoice_id == "${id}"`);
  await tabTo(ana, dialog.getByRole("button", { name: "Add the rule" }));
  await ana.keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);
  const rules = ana.getByRole("list", { name: "Call rules" });
  await expect(rules.getByRole("listitem")).toHaveCount(1);

  await tabTo(ana, ana.getByRole("button", { name: "Try on the last 100 calls" }));
  await ana.keyboard.press("Enter");
  await expect(ana.getByText(/would require approval/)).toBeVisible();
  await expect(ana.getByText(/^Only the rules are tried/)).toBeVisible();
  const tried = ana.getByRole("list", { name: "Tried calls" }).getByRole("listitem").filter({ hasText: id });
  await expect(tried).toContainText("Require approval");
  await checkAppearance(ana, "call rules, tried");

  await tabTo(ana, ana.getByRole("button", { name: "Save rules" }));
  await ana.keyboard.press("Enter");
  await expect(ana.getByText(/^Version \d+, saved by Ana/)).toBeVisible();
  await ana.goto("/activity");
  await expect(ana.getByText("Ana changed the call rules").first()).toBeVisible();
  await expect(ana.getByText(/Added “This invoice”: Require approval/).first()).toBeVisible();

  await ola.goto("/settings/call-rules");
  await expect(ola.getByText("Only admins see and change call rules.")).toBeVisible();
});

test("a rule that names a tool as agents see it is refused with the right name, and one of no server is warned of", async ({
  ana,
}) => {
  await ana.goto("/settings/call-rules");
  await ana.getByRole("button", { name: "Add a rule…" }).click();
  const dialog = ana.getByRole("dialog", { name: "Add a rule" });
  const tools = dialog.getByLabel("Tools", { exact: false }).and(dialog.locator("textarea"));
  const add = dialog.getByRole("button", { name: "Add the rule" });
  const name = `No wires ${newInvoiceId()}`;
  await dialog.getByLabel("Name", { exact: true }).fill(name);
  await tools.fill("finance-erp__process_invoice");
  await add.click();
  await expect(
    dialog.getByText("“process_invoice” of Finance ERP, not “finance-erp__process_invoice” as agents see it"),
  ).toBeVisible();
  await expect(tools).toBeFocused();
  await checkAppearance(ana, "call rule, named as agents see it");

  await tools.fill("wire_money");
  const listed = dialog.getByLabel("Tools that servers list");
  await listed.selectOption({ label: "process_invoice" });
  await dialog.getByRole("button", { name: "Add the tool" }).click();
  await expect(tools).toHaveValue("wire_money\nprocess_invoice");
  await add.click();
  await expect(dialog.getByRole("alert")).toContainText("No tool is called “wire_money”");
  await checkAppearance(ana, "call rule, warned of");
  await add.click();
  await expect(dialog).toHaveCount(0);
  await ana.getByRole("button", { name: "Try on the last 100 calls" }).click();
  const warning = ana
    .getByRole("alert")
    .filter({ hasText: "Some rules name servers, tools or people that do not exist" });
  await expect(warning).toContainText("No tool is called “wire_money”");
  await ana.getByRole("button", { name: "Save rules" }).click();
  const row = ana.getByRole("list", { name: "Call rules" }).getByRole("listitem").filter({ hasText: name });
  await expect(row.getByText("No tool is called “wire_money”")).toBeVisible();
  await ana.reload();
  await expect(row.getByText("No tool is called “wire_money”")).toBeVisible();
  await checkAppearance(ana, "call rules, warned of");
});

test("rules that are being changed here stay, and those that somebody else has saved are not saved over", async ({
  ana,
}) => {
  const name = `Kept ${newInvoiceId()}`;
  const rule = (name: string) => ({ name, when: "false", before: "deny" });
  const warning = ana.getByText(/Somebody has changed these rules meanwhile/);
  const remove = async () => {
    await saveCallRules(ana, [rule(name), rule(`${name}, too`)]);
    await ana.goto("/settings/call-rules");
    await ana.getByRole("button", { name: `Remove “${name}”` }).click();
    await saveCallRules(ana, [rule(`${name}, of somebody else`)]);
  };
  await remove();
  // As when its tab is looked at again after a minute, and once more where the page was reading just then.
  await expect(async () => {
    await ana.evaluate(() => {
      const now = Date.now();
      Date.now = () => now + 120_000;
      window.dispatchEvent(new Event("visibilitychange"));
    });
    await expect(warning).toBeVisible({ timeout: 2_000 });
  }).toPass(SOON);
  await expect(ana.getByText(`${name}, too`)).toBeVisible();
  await expect(ana.getByText(`${name}, of somebody else`)).toBeHidden();

  await remove();
  await expect(warning).toBeHidden();
  await ana.getByRole("button", { name: "Save rules" }).click();
  await expect(warning).toBeVisible();
  await checkAppearance(ana, "call rules, changed meanwhile");
  await ana.getByRole("button", { name: "Load the current rules" }).click();
  await expect(ana.getByText(`${name}, of somebody else`)).toBeVisible();
  await expect(warning).toBeHidden();
});

test("a call waits for an approval, which shows what it is for; then it is made once", async ({
  ana,
  ola,
  ben,
  browser,
}) => {
  const id = newInvoiceId();
  await saveCallRules(ana, [
    {
      name: "Look first",
      when: `tool.name == "process_invoice" && arguments.invoice.invoice_id == "${id}"`,
      before: "ask",
    },
  ]);
  const { taskId } = await startInvoice(ola, { id });
  await ola.goto(`/tasks/${taskId}`);
  await expect(taskHeader(ola).getByText("Waits for approval before the call")).toBeVisible();
  await expect(
    ola.getByText("Nothing was called yet: a person has to approve this call first."),
  ).toBeVisible();
  await checkAppearance(ola, "task, waits for its approval");
  await ola.goto("/tasks");
  await expect(ola.getByText("Waits for approval before the call").first()).toBeVisible();
  expect((await ledgerOf(id)).tasks).toBe(0);

  const requestId = await openRequest(ben, taskId, "Look first");
  await ben.goto(`/inbox/${requestId}`);
  const pane = requestPane(ben);
  await expect(pane.getByRole("region", { name: "Approval before the call" })).toContainText(
    "Required by the rule “Look first”",
  );
  await expect(pane.getByText(id).first()).toBeVisible();
  await checkAppearance(ben, "request, approval before the call");
  const phone = await openPhoneAs(browser, "Ben");
  await phone.goto(`/inbox/${requestId}`);
  await expect(phone.getByRole("button", { name: /^Approve/ })).toBeVisible();
  await checkAppearance(phone, "request, approval before the call, on a phone");
  await phone.context().close();

  await expect(pane.getByRole("button", { name: /^Approve/ })).toBeEnabled();
  await ben.keyboard.press("a");
  await expect.poll(async () => (await ledgerOf(id)).tasks, SOON).toBe(1);
  await ola.goto(`/tasks/${taskId}`);
  await expect(taskHeader(ola).getByText("Waits for approval before the call")).toHaveCount(0);
  await expect(ola.getByText("Ben approved the call").first()).toBeVisible(SOON);
});

test("somebody is asked without an agent, and says no with a reason", async ({ ola, ben }) => {
  const label = newInvoiceId();
  const dialog = ola.getByRole("dialog", { name: "Ask somebody" });
  await ola.goto("/overview");
  await expect(ola.getByRole("heading", { name: "Overview" })).toBeVisible(SOON);
  await ola.keyboard.press("ControlOrMeta+k");
  await ola.getByRole("combobox").fill("ask somebody");
  await ola.keyboard.press("Enter");
  await expect(dialog).toBeVisible();
  await ola.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await ola.goto("/inbox");
  await ola.getByRole("button", { name: "Ask somebody…" }).click();
  await dialog.getByRole("button", { name: "Ask", exact: true }).click();
  await expect(dialog.getByLabel("What is to be approved")).toHaveAttribute("aria-invalid", "true");
  await dialog.getByLabel("What is to be approved").fill("Buy a second coffee machine");
  await dialog.getByLabel("Amount").fill("1,299");
  await dialog.getByRole("button", { name: "Ask", exact: true }).click();
  await expect(dialog.getByLabel("Amount")).toHaveAttribute("aria-invalid", "true");
  await checkAppearance(ola, "ask somebody");
  await dialog.getByLabel("Amount").fill("1299");
  await dialog.getByLabel("Currency").fill("EUR");
  await dialog.getByLabel("Details").fill("Vendor: Espresso AG\nWarranty: 2 years");
  await dialog.getByLabel("Who", { exact: true }).selectOption({ label: "Ben" });
  await dialog.getByLabel("Short name").fill(label);
  await tabTo(ola, dialog.getByRole("button", { name: "Ask", exact: true }));
  await ola.keyboard.press("Enter");
  const asked = ola.getByRole("listitem").filter({ hasText: "Asked" });
  // It is the only way shown there, so that it stays until somebody is done with it.
  await expect(asked.getByRole("button", { name: "Close toast" })).toBeVisible();
  await asked.getByRole("link", { name: "Open the request" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(requestPane(ola).getByText("Buy a second coffee machine").first()).toBeVisible();
  const requestId = ola.url().split("/").at(-1)?.split("?")[0] ?? "";

  await ben.goto(`/inbox/${requestId}`);
  const pane = requestPane(ben);
  await expect(pane.getByText("Espresso AG")).toBeVisible();
  await expect(pane.getByText(/The answer goes to Ola/).locator("visible=true")).toBeVisible();
  await checkAppearance(ben, "request of a person");
  await pane.getByRole("button", { name: /^Decline/ }).click();
  const decline = ben.getByRole("dialog", { name: `Decline ${label}` });
  await expect(decline.getByText("Ola is told that you declined, and your reason.")).toBeVisible();
  await decline.getByRole("textbox").fill("One is enough");
  await decline.getByRole("button", { name: "Decline", exact: true }).click();
  await expect
    .poll(async () => {
      const response = await ola.request.get(`/api/v1/requests/${requestId}`);
      const { outcome, reason } = await response.json();
      return [outcome, reason];
    }, SOON)
    .toEqual(["declined", "One is enough"]);
});

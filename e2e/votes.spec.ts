/** Several people have to agree: an admin writes the policy, approvers vote on the card, and the last vote is the answer. */
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { verifyReceipt } from "../lib/requests/receipts/verify.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { newMember, newOwner } from "./fixtures/organizations.ts";
import { savePolicy } from "./fixtures/policy.ts";
import {
  answer,
  askForCostCenter,
  expect,
  expectToast,
  newInvoiceId,
  openRequest,
  readRequest,
  requestPane,
  SOON,
  startInvoice,
  test,
} from "./fixtures/test.ts";

/** Other files share this Intray: rules of these tests are about their own invoices, and go with them. */
test.afterEach(({ ana }) => savePolicy(ana, { rules: [] }));

const NAME = "Two of the approvers";
const policy = (id: string, need: number) => ({
  rules: [
    {
      name: NAME,
      when: `task.label.contains("${id}")`,
      stages: [{ name: "Approvers", approvers: { roles: ["approver"] }, need }],
      due: "3d",
    },
  ],
});

test("an admin is told at which line the policy is wrong, and saves it", async ({ ana, ola }) => {
  const id = newInvoiceId();
  await ana.goto("/settings/policy");
  const box = ana.getByLabel("Policy as JSON");
  await ana.getByRole("button", { name: "Two people above 5,000" }).click();
  await ana.getByRole("button", { name: "Text", exact: true }).click();
  await expect(box).toHaveValue(/"Two people above 5,000"/);
  await box.fill('{ "rules": [ ');
  await expect(ana.getByText(/This is not JSON/)).toBeVisible();
  await expect(ana.getByRole("button", { name: "Save policy" })).toBeDisabled();
  await box.fill(JSON.stringify(policy(id, 40), null, 2));
  await ana.getByRole("button", { name: "Save policy" }).click();
  await expect(ana.getByText("The policy was not saved.")).toBeVisible();
  await expect(
    ana
      .getByText(/people can vote here/)
      .filter({ visible: true })
      .first(),
  ).toBeVisible();
  await checkAppearance(ana, "policy, wrong");
  await ana
    .getByRole("button", { name: /^Line \d+/ })
    .first()
    .click();
  await expect(box).toBeFocused();
  await box.fill(JSON.stringify(policy(id, 2), null, 2));
  await ana.getByRole("button", { name: "Save policy" }).click();
  await expect(ana.getByText(/^Version \d+$/).first()).toBeVisible();
  await expect(ana.getByRole("row").filter({ hasText: NAME })).toContainText("Ben");
  await checkAppearance(ana, "policy, saved");
  await ana.goto("/activity");
  await expect(ana.getByText("Ana changed the policy").first()).toBeVisible();
  await ola.goto("/settings/policy");
  await expect(ola.getByText("Only admins see and change the policy.")).toBeVisible();
});

test("where a second admin is required, one proposes the policy and another one approves it", async ({
  browser,
}) => {
  const paula = await newOwner(browser, "Paula", "vermont");
  const otto = await newMember(browser, "Otto", "vermont", "admin");
  await paula.goto("/settings/policy");
  await paula.getByRole("switch", { name: "Changes of the policy need a second admin" }).click();
  await expectToast(paula, "Changes of the policy need a second admin from now on");

  const rule = { name: NAME, stages: [{ name: "Owners", approvers: { roles: ["owner"] } }] };
  await paula.getByRole("button", { name: "Text", exact: true }).click();
  await paula.getByLabel("Policy as JSON").fill(JSON.stringify({ rules: [rule] }));
  await paula.getByRole("button", { name: "Propose policy" }).click();
  await expect(
    paula.getByText("You can’t approve this: you proposed it, or count as one person with Paula"),
  ).toBeVisible(SOON);
  await expect(paula.getByRole("button", { name: "Approve", exact: true })).toHaveCount(0);

  await otto.goto("/settings/policy");
  await expect(otto.getByText("Paula proposed a change of the policy")).toBeVisible();
  await expect(otto.getByText(`Added “${NAME}”: 1 of “Owners” (the owners)`)).toBeVisible();
  await expect(otto.getByText(/^Version \d+$/)).toHaveCount(0);
  await otto.getByText("The whole proposed policy").click();
  await checkAppearance(otto, "policy, proposed");
  await otto.getByRole("button", { name: "Approve", exact: true }).focus();
  await otto.keyboard.press("Enter");
  await expect(otto.getByText(/^Version 1$/)).toBeVisible(SOON);
  await expect(otto.getByText("Paula proposed a change of the policy")).toHaveCount(0);
  await otto.goto("/activity");
  await expect(otto.getByText("Otto approved the change of the policy that Paula proposed")).toBeVisible();

  await paula.goto("/settings/policy");
  await paula.getByRole("switch", { name: "Changes of the policy need a second admin" }).click();
  await expect(
    paula.getByText("Paula proposed to stop requiring a second admin for changes of the policy"),
  ).toBeVisible(SOON);
  await paula.getByRole("button", { name: "Withdraw" }).click();
  await expect(paula.getByText("Paula proposed to stop")).toHaveCount(0);
});

test("an admin has a request judged by the policy of now, and its votes end", async ({ ana, ola, ben }) => {
  const id = newInvoiceId();
  await savePolicy(ana, policy(id, 2));
  const { taskId } = await startInvoice(ola, { id });
  const requestId = await openRequest(ola, taskId);
  await ben.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  await requestPane(ben).getByRole("button", { name: "Approve", exact: true }).click();
  // The inbox goes on to the next request.
  await expect
    .poll(async () => (await readRequest(ola, requestId)).approval?.stages[0]?.votes.length, SOON)
    .toBe(1);
  await savePolicy(ana, { rules: [] });

  await ana.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  await requestPane(ana).getByRole("button", { name: "More", exact: true }).click();
  await ana.getByRole("menuitem", { name: "Apply the current policy…" }).click();
  await expect(ana.getByRole("dialog")).toContainText("Its votes are discarded");
  await checkAppearance(ana, "judge again");
  await ana.getByRole("dialog").getByRole("button", { name: "Apply and vote again" }).click();
  await expect(ana.getByText("Any one member decides now, except viewers")).toBeVisible(SOON);
  await expect(requestPane(ana).getByRole("region", { name: "Votes" })).toHaveCount(0);
  expect(await readRequest(ola, requestId)).toMatchObject({ state: "open", approval: null });
});

test("a press on Approve is a vote until the last one, and can be taken back", { tag: "@journey" }, async ({
  ana,
  ola,
  ben,
  cleo,
}) => {
  const id = newInvoiceId();
  await savePolicy(ana, policy(id, 2));
  const { taskId } = await startInvoice(ola, { id });
  const requestId = await openRequest(ola, taskId);
  await ola.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  const votes = (page: Page) => requestPane(page).getByRole("region", { name: "Votes" });
  await expect(requestPane(ola).getByText("You asked for this. Others decide.")).toHaveCount(1);

  await ben.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  await expect(votes(ben)).toContainText("2 approvers must agree · 0 so far");
  await expect(votes(ben)).toContainText("Your vote is needed: you are one of Approvers.");
  await checkAppearance(ben, "a request to vote on");
  await requestPane(ben)
    .getByRole("button", { name: /^Approve/ })
    .click();
  await expectToast(ben, "You agreed: ");
  await ben.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  await expect(requestPane(ben).getByText("You agreed. It waits for Approvers.")).toHaveCount(1);
  await checkAppearance(ben, "a request voted on");
  await votes(ben).getByRole("button", { name: "Take my vote back" }).click();
  await expect(votes(ben)).toContainText(/2 more of Approvers: .*\byou\b/);
  await requestPane(ben)
    .getByRole("button", { name: /^Approve/ })
    .click();
  await expectToast(ben, "You agreed: ");
  expect((await readRequest(ola, requestId)).state).toBe("open");

  await cleo.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  await expect(votes(cleo)).toContainText("Ben agreed");
  await expect(cleo.getByText(/yours is the last vote$/).filter({ visible: true })).toBeVisible();
  await requestPane(cleo)
    .getByRole("button", { name: /^Approve/ })
    .click();
  await expect.poll(async () => (await readRequest(ola, requestId)).answer?.words, SOON).toBe("Approved");
});

test("the form shows what others agreed to, and something else is proposed by a second press of the same alone", async ({
  ana,
  ola,
  ben,
  cleo,
}) => {
  const rule = { name: "All forms", stages: [{ name: "Two", approvers: { roles: ["approver"] }, need: 2 }] };
  const when = 'request.message.contains("cost center")';
  await savePolicy(ana, { rules: [{ ...rule, when }] });
  const { requestId } = await askForCostCenter(ola);
  const field = (page: Page) => requestPane(page).getByLabel("Cost center");
  /** A request that comes back by itself after a refusal takes a press a moment later. */
  const send = async (page: Page) => {
    await expect(requestPane(page).locator("#decide[data-armed]")).toBeVisible();
    const answered = page.waitForResponse((reply) => reply.url().endsWith(`/${requestId}/answer`));
    await requestPane(page).getByRole("button", { name: "Send answer" }).click();
    await answered;
  };
  const agreedTo = async () => (await readRequest(ola, requestId)).approval?.content?.cost_center;
  await ben.goto(`/inbox/${requestId}`);
  await field(ben).fill("CC-1000");
  await send(ben);
  await expect.poll(agreedTo).toBe("CC-1000");

  // A comment alone hides nothing of it.
  await cleo.goto(`/inbox/${requestId}`);
  await expect(field(cleo)).toHaveValue("CC-1000");
  await cleo.getByRole("button", { name: "Add a comment…" }).click();
  await cleo.getByLabel("Your comment").fill("Why this one?");
  await expect(cleo.getByText("Draft saved")).toBeVisible();
  await cleo.reload();
  await expect(field(cleo)).toHaveValue("CC-1000");
  await expect(cleo.getByLabel("Your comment")).toHaveValue("Why this one?");

  const refusal = requestPane(cleo).getByRole("alert");
  await field(cleo).fill("CC-2000");
  await send(cleo);
  await expect(refusal).toContainText("What others agreed to: Cost center: CC-1000");
  await checkAppearance(cleo, "something else was agreed to");
  await refusal.getByRole("button", { name: "Fill in the answer that they agreed to" }).click();
  await expect(field(cleo)).toHaveValue("CC-1000");
  await expect(field(cleo)).toBeFocused();
  await expect(refusal).toHaveCount(0);
  await expect(cleo.getByLabel("Your comment")).toHaveValue("Why this one?");

  // Discarding what one typed leads to what others agreed to, also after a reload.
  await field(cleo).fill("CC-3000");
  await expect(cleo.getByText("Draft saved")).toBeVisible();
  await cleo.reload();
  await expect(field(cleo)).toHaveValue("CC-3000");
  await cleo.getByRole("button", { name: "Discard" }).click();
  await expect(field(cleo)).toHaveValue("CC-1000");
  await expect(field(cleo)).toBeFocused();
  await expect.poll(async () => (await readRequest(cleo, requestId)).draft).toBeNull();
  await cleo.reload();
  await expect(field(cleo)).toHaveValue("CC-1000");

  await field(cleo).fill("CC-2000");
  await send(cleo);
  await expect(refusal).toContainText("Ben agreed to something else.");
  await field(cleo).fill("CC-2001");
  await send(cleo);
  await expect(refusal).toContainText("Ben agreed to something else.");
  expect(await agreedTo()).toBe("CC-1000");
  await send(cleo);
  await expect.poll(agreedTo).toBe("CC-2001");

  // What Ben had typed is older.
  await ben.goto(`/inbox/${requestId}`);
  await expect(field(ben)).toHaveValue("CC-2001");
  await send(ben);
  await expect
    .poll(async () => (await readRequest(ola, requestId)).answer?.content)
    .toMatchObject({ cost_center: "CC-2001" });
});

test("the receipt of a decided request is downloaded from its menu, and holds", async ({ ola, ben }) => {
  const { taskId } = await startInvoice(ola, { id: newInvoiceId() });
  const requestId = await openRequest(ola, taskId);
  await ben.goto(`/inbox/${requestId}`);
  const menu = requestPane(ben).getByRole("button", { name: "More about this request" });
  const download = ben.getByRole("menuitem", { name: /Download receipt/ });
  await menu.click();
  await expect(ben.getByRole("menuitem", { name: "View task" })).toBeVisible();
  await expect(download).toHaveCount(0);
  await ben.keyboard.press("Escape");
  await answer(ben, requestId, { value: "approve" });
  await expect.poll(async () => (await readRequest(ben, requestId)).state, SOON).toBe("settled");
  await ben.goto(`/inbox/${requestId}?tab=done`);
  await menu.click();
  await expect(download).toBeVisible();
  await checkAppearance(ben, "the menu of a decided request");
  const saved = ben.waitForEvent("download");
  await download.click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe(`receipt-${requestId}.jws`);
  const keys = await (await ben.request.get("/.well-known/jwks.json")).json();
  const verdict = await verifyReceipt(readFileSync(await file.path(), "utf8"), keys);
  expect(verdict).toMatchObject({
    holds: true,
    receipt: { sent: "taken", answers: [{ by: { name: "Ben" } }] },
  });
});

test("a receipt is printed from a page that says what was asked, who decided, and what was sent", async ({
  ola,
  ben,
  gus,
}) => {
  const { id, taskId } = await startInvoice(ola, { id: newInvoiceId() });
  const requestId = await openRequest(ola, taskId);
  await answer(ben, requestId, { value: "approve" });
  await expect.poll(async () => (await readRequest(ben, requestId)).state, SOON).toBe("settled");
  await ben.goto(`/inbox/${requestId}?tab=done`);
  await requestPane(ben).getByRole("button", { name: "More about this request" }).click();
  await ben.getByRole("menuitem", { name: /Print receipt/ }).click();
  await expect(ben).toHaveURL(`/receipts/${requestId}`);
  await expect(ben.getByRole("heading", { level: 1 })).toContainText(id);
  const page = ben.getByRole("article");
  await expect(page).toContainText("Approved by Ben");
  await expect(page).toContainText("The server replied that it has the answer.");
  await expect(page).toContainText(/Asked\s*\S.* UTC/);
  await expect(page).toContainText(requestId);
  await checkAppearance(ben, "a receipt to print");

  await ben.evaluate(() => {
    window.print = () => document.body.setAttribute("data-printed", "");
  });
  await ben.getByRole("button", { name: "Print or save as PDF" }).click();
  await expect(ben.locator("body[data-printed]")).toBeAttached();
  await ben.emulateMedia({ media: "print", colorScheme: "dark" });
  await expect(ben.getByRole("button", { name: "Print or save as PDF" })).toBeHidden();
  await expect(page).toBeVisible();
  // Nobody of another organization learns that there is such a request.
  expect((await gus.goto(`/receipts/${requestId}`))?.status()).toBe(404);
});

/** Several people have to agree: an admin writes the policy, approvers vote on the card, and the last vote is the answer. */
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import type { SavedPolicy } from "../lib/policy/schema.ts";
import { verifyReceipt } from "../lib/receipts/verify.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import {
  answer,
  apiOf,
  expect,
  newInvoiceId,
  openRequest,
  readRequest,
  requestPane,
  SOON,
  startInvoice,
  test,
} from "./fixtures/test.ts";

test.setTimeout(180_000);

const savePolicy = async (page: Page, policy: object) => {
  const { version } = await apiOf(page).get<SavedPolicy>("/policy");
  const response = await page.request.fetch("/api/v1/policy", {
    method: "PUT",
    data: policy,
    headers: { origin: process.env.E2E_URL ?? "", "if-match": String(version) },
  });
  expect(response.status(), await response.text()).toBe(200);
};

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
  await box.fill(JSON.stringify(policy(id, 40), null, 2));
  await ana.getByRole("button", { name: "Save policy" }).click();
  await expect(ana.getByText(/people can vote here/)).toBeVisible();
  await checkAppearance(ana, "policy, wrong");
  await ana.getByRole("button", { name: /^Line \d+/ }).click();
  await expect(box).toBeFocused();
  await box.fill(JSON.stringify(policy(id, 2), null, 2));
  await ana.getByRole("button", { name: "Save policy" }).click();
  await expect(ana.getByText(/^Version \d+$/).first()).toBeVisible();
  await expect(ana.getByText(NAME, { exact: true })).toBeVisible();
  await checkAppearance(ana, "policy, saved");
  await ana.goto("/activity");
  await expect(ana.getByText("Ana changed the policy").first()).toBeVisible();
  await ola.goto("/settings/policy");
  await expect(ola.getByText("Only admins see and change the policy.")).toBeVisible();
});

test("a press on Approve is a vote until the last one, and can be taken back", async ({
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
  await expect(votes(ola)).toContainText("You asked for this, so others decide.");

  await ben.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  await expect(votes(ben)).toContainText("Needs 2 of Approvers");
  await expect(votes(ben)).toContainText("You are asked as one of Approvers.");
  await checkAppearance(ben, "a request to vote on");
  await requestPane(ben)
    .getByRole("button", { name: /^Approve/ })
    .click();
  await expect(ben.getByText(/^You agreed: /)).toBeVisible();
  await ben.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  await expect(votes(ben)).toContainText("You agreed; waits for Approvers.");
  await checkAppearance(ben, "a request voted on");
  await votes(ben).getByRole("button", { name: "Take my vote back" }).click();
  await expect(votes(ben)).toContainText("2 more of Approvers");
  await requestPane(ben)
    .getByRole("button", { name: /^Approve/ })
    .click();
  await expect(ben.getByText(/^You agreed: /)).toBeVisible();
  expect((await readRequest(ola, requestId)).state).toBe("open");

  await cleo.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  await expect(votes(cleo)).toContainText("Ben agreed");
  await expect(cleo.getByText(/^Your vote is the last/).filter({ visible: true })).toBeVisible();
  await requestPane(cleo)
    .getByRole("button", { name: /^Approve/ })
    .click();
  await expect.poll(async () => (await readRequest(ola, requestId)).answer?.words, SOON).toBe("Approved");
});

test("the receipt of a decided request is downloaded from its menu, and holds", async ({ ola, ben }) => {
  const { taskId } = await startInvoice(ola, { id: newInvoiceId() });
  const requestId = await openRequest(ola, taskId);
  await ben.goto(`/inbox/${requestId}`);
  const menu = requestPane(ben).getByRole("button", { name: "More about this request" });
  const download = ben.getByRole("menuitem", { name: /Download receipt/ });
  await menu.click();
  await expect(ben.getByRole("menuitem", { name: "Open the task" })).toBeVisible();
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

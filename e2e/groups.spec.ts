/**
 * Groups of an organization: an admin makes one, the policy names it, who is in it votes from then on until they are removed, and where the
 * organization asks for a second admin a change counts once another one has approved it.
 */
import type { Page } from "@playwright/test";
import { checkAppearance, ON_A_PHONE } from "./fixtures/appearance.ts";
import { newMember, newOwner } from "./fixtures/organizations.ts";
import {
  apiOf,
  expect,
  expectToast,
  invoiceServer,
  openRequest,
  readRequest,
  requestPane,
  SOON,
  startInvoice,
  test,
} from "./fixtures/test.ts";

const ORGANIZATION = "montana";
const votes = (page: Page) => requestPane(page).getByRole("region", { name: "Votes" });
const groups = (page: Page) => page.getByRole("list", { name: "Groups" });
const chooses = async (page: Page, name: string) => {
  await page.getByRole("button", { name: "More for Finance" }).click();
  await page.getByRole("menuitem", { name }).click();
};

test("who is in a group votes, who is removed does not, and a second admin says yes to a change", async ({
  browser,
}) => {
  const rita = await newOwner(browser, "Rita", ORGANIZATION);
  const otto = await newMember(browser, "Otto", ORGANIZATION, "admin");
  const bea = await newMember(browser, "Bea", ORGANIZATION, "approver");
  const dora = await newMember(browser, "Dora", ORGANIZATION, "approver");
  const api = apiOf(rita);
  const server = { name: "Finance ERP", url: `${invoiceServer()}/mcp` };
  expect((await api.write("POST", "/servers", server)).status()).toBe(201);

  await rita.goto("/settings/groups");
  await expect(rita.getByText("No groups yet")).toBeVisible(SOON);
  await checkAppearance(rita, "groups, none");
  await rita.getByRole("button", { name: "Add group" }).focus();
  await rita.keyboard.press("Enter");
  const dialog = rita.getByRole("dialog");
  // The members come a moment later, and move what is below them.
  await expect(dialog.getByLabel("Bea")).toBeVisible();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByText("Give it a name")).toBeVisible();
  await dialog.getByLabel("Name").fill("Finance");
  await dialog.getByLabel("Bea").check();
  await expect(dialog.getByText("1 chosen")).toBeVisible();
  await checkAppearance(rita, "groups, a new one");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(groups(rita)).toContainText("Bea", SOON);
  await expect(groups(rita)).toContainText("The policy does not name it");

  const rule = { name: "All", stages: [{ name: "Money", approvers: { groups: ["Finance"] } }] };
  const saved = await rita.request.fetch("/api/v1/policy", {
    method: "PUT",
    data: { rules: [rule] },
    headers: { origin: process.env.E2E_URL ?? "", "if-match": "0" },
  });
  expect(saved.status(), await saved.text()).toBe(200);
  await rita.reload();
  await expect(groups(rita)).toContainText("Policy: All, stage Money", SOON);
  await checkAppearance(rita, "groups");
  await checkAppearance(rita, "groups", ON_A_PHONE);
  await chooses(rita, "Delete…");
  await rita.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(rita.getByText(/The policy names Finance/)).toBeVisible(SOON);
  await rita.keyboard.press("Escape");

  const asked = async () => {
    const { taskId } = await startInvoice(rita, { sample: "large" });
    return openRequest(rita, taskId);
  };
  const first = await asked();
  await dora.goto(`/inbox/${first}`);
  await expect(requestPane(dora)).toContainText("You have no vote there", SOON);
  await bea.goto(`/inbox/${first}`);
  await expect(votes(bea)).toContainText("you are one of Money", SOON);

  // Bea goes while the request is in front of her, and Dora comes.
  await chooses(rita, "Edit…");
  await dialog.getByLabel("Bea").uncheck();
  await dialog.getByLabel("Dora").check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(groups(rita)).toContainText("Dora", SOON);
  await expect(requestPane(bea)).toContainText("You have no vote there", SOON);
  const { questionHash } = await readRequest(bea, first);
  const refused = await apiOf(bea).write("POST", `/input-requests/${first}/answer`, {
    action: "decline",
    questionHash,
  });
  expect([refused.status(), (await refused.json()).code]).toEqual([403, "not_an_approver"]);
  await expect(votes(dora)).toContainText("you are one of Money", SOON);
  await requestPane(dora).getByRole("button", { name: "Approve", exact: true }).click();
  await expect.poll(async () => (await readRequest(rita, first)).state, SOON).toBe("settled");

  await rita.goto("/settings/policy");
  await rita.getByRole("switch", { name: "Changes of the policy need a second admin" }).click();
  await expectToast(rita, "Changes of the policy need a second admin from now on");
  const second = await asked();
  await rita.goto("/settings/groups");
  await chooses(rita, "Edit…");
  await dialog.getByLabel("Bea").check();
  await dialog.getByLabel("Dora").uncheck();
  await dialog.getByRole("button", { name: "Propose" }).click();
  await expect(rita.getByText("Rita proposed to change the group “Finance”")).toBeVisible(SOON);
  await expect(rita.getByText("You can’t approve this")).toBeVisible();
  await expect(groups(rita)).not.toContainText("Bea");
  await bea.goto(`/inbox/${second}`);
  await expect(requestPane(bea)).toContainText("You have no vote there", SOON);

  await otto.goto("/settings/groups");
  await expect(otto.getByText("Added: “Bea” (bea@montana.example)")).toBeVisible(SOON);
  await checkAppearance(otto, "groups, proposed");
  await otto.getByRole("button", { name: "Approve", exact: true }).focus();
  await otto.keyboard.press("Enter");
  await expect(groups(otto)).toContainText("Bea", SOON);
  await expect(otto.getByText("Rita proposed to change")).toHaveCount(0);
  await expect(votes(bea)).toContainText("you are one of Money", SOON);
  await otto.goto("/activity");
  await expect(otto.getByText("Otto changed the group “Finance”")).toBeVisible(SOON);

  // The only one who could vote leaves: the card says so.
  const { items } = await apiOf(rita).get<{ items: { id: string; name: string }[] }>("/members");
  const gone = items.find(({ name }) => name === "Bea");
  const removed = await rita.request.fetch(`/api/v1/members/${gone?.id}`, {
    method: "DELETE",
    headers: { origin: process.env.E2E_URL ?? "" },
  });
  expect(removed.status(), await removed.text()).toBe(204);
  await rita.goto(`/inbox/${second}`);
  await expect(votes(rita)).toContainText("Nobody of Money can still vote", SOON);
  await checkAppearance(rita, "a request that nobody can vote on");
  for (const page of [rita, otto, bea, dora]) await page.context().close();
});

/** A member says who stands in for them, and that one votes in their place. */
import type { Page } from "@playwright/test";
import { checkAppearance } from "./fixtures/appearance.ts";
import { savePolicy } from "./fixtures/policy.ts";
import {
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

const send = async (page: Page, method: string, path: string, data?: object) => {
  const response = await page.request.fetch(`/api/v1${path}`, {
    method,
    ...(data && { data }),
    headers: { origin: process.env.E2E_URL ?? "" },
  });
  expect(response.ok(), await response.text()).toBe(true);
};
/** Other files share this Intray: nothing of these tests stays. */
test.afterEach(async ({ ana, cleo }) => {
  await savePolicy(ana, { rules: [] });
  await send(cleo, "DELETE", "/me/away", {});
});

test("whoever stands in votes in the place of who is away, who comes back", async ({
  ana,
  ola,
  ben,
  cleo,
}) => {
  const id = newInvoiceId();
  const { user } = await apiOf(cleo).get<{ user: { email: string } }>("/me");
  await savePolicy(ana, {
    rules: [
      {
        name: "Cleo alone",
        when: `task.label.contains("${id}")`,
        stages: [{ name: "Treasury", approvers: { people: [user.email] } }],
      },
    ],
  });
  const { taskId } = await startInvoice(ola, { id });
  const requestId = await openRequest(ola, taskId);
  const votes = (page: Page) => requestPane(page).getByRole("region", { name: "Votes" });
  await ben.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  await expect(requestPane(ben)).toContainText("Waiting for Treasury. You have no vote there.");

  await cleo.goto("/settings/away");
  await checkAppearance(cleo, "nobody is away");
  await cleo.getByRole("button", { name: "Save" }).click();
  await expect(cleo.getByText("Give a day and a time")).toBeVisible();
  await expect(cleo.getByText("Choose a person", { exact: true }).last()).toBeVisible();
  const tomorrow = new Date(Date.now() + 24 * 3600_000).toISOString().slice(0, 16);
  await cleo.getByLabel("Until").fill(tomorrow);
  await cleo.getByLabel("Who stands in").selectOption({ label: "Ben" });
  await cleo.getByRole("button", { name: "Save" }).click();
  await expect(cleo.getByText("You are away", { exact: true })).toBeVisible();
  await checkAppearance(cleo, "away");

  await ben.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  await expect(votes(ben)).toContainText(/You vote for Cleo, who is away until/);
  await checkAppearance(ben, "a vote for somebody who is away");
  await requestPane(ben)
    .getByRole("button", { name: /^Approve/ })
    .click();
  await expect.poll(async () => (await readRequest(ola, requestId)).answer?.words, SOON).toBe("Approved");
  await cleo.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  await expect(requestPane(cleo)).toContainText("Ben for Cleo");

  await ana.goto("/settings/members");
  await ana.getByRole("button", { name: "More for Cleo" }).click();
  await ana.getByRole("menuitem", { name: "Away…" }).click();
  const dialog = ana.getByRole("dialog");
  await expect(dialog).toContainText("Cleo is away");
  await checkAppearance(ana, "a member away");
  await dialog.getByRole("button", { name: "End the absence" }).click();
  await expect(dialog.getByText("Cleo is away")).toBeHidden();
  await cleo.goto("/settings/away");
  await expect(cleo.getByText("You are away", { exact: true })).toBeHidden();
});

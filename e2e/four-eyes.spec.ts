/** Four eyes: who asked for a task sees why somebody else has to accept, and may decline. */

import type { Page } from "@playwright/test";
import { checkAppearance } from "./fixtures/appearance.ts";
import { newMember, newOwner, open, PASSWORD } from "./fixtures/organizations.ts";
import { askAbout, expect, expectToast, readRequest, requestPane, SOON, test } from "./fixtures/test.ts";
import { openTestRows } from "./fixtures/test-rows.ts";

test.afterEach(async () => {
  // Over the API it would take a second admin, and the tasks of other files would stay under the rule.
  const rows = await openTestRows();
  await rows.within((tx) =>
    tx.organization.updateMany({ where: { id: tx.organizationId }, data: { fourEyes: false } }),
  );
  await rows.within((tx) =>
    tx.organization.updateMany({ where: { id: tx.organizationId }, data: { fourEyesUntil: null } }),
  );
  await rows.close();
});

test("the one who asked cannot accept but declines, and another accepts", { tag: "@journey" }, async ({
  ana,
  ola,
  ben,
}) => {
  await ana.goto("/settings/organization");
  await ana.getByRole("switch", { name: "Require a second person" }).click();
  await expectToast(ana, "A second person is required from now on");

  const { id, requestId } = await askAbout(ola, ola);
  await expect(ola.getByText("You asked for this. Somebody else has to accept it.")).toBeVisible();
  const approve = requestPane(ola).getByRole("button", { name: /^Approve/ });
  await expect(approve).toBeDisabled();
  await ola.keyboard.press("a");
  await checkAppearance(ola, "four eyes, own request");
  expect((await readRequest(ola, requestId)).state).toBe("open");

  const row = (page: Page) =>
    page.getByRole("region", { name: "Requests", exact: true }).getByRole("listitem").filter({ hasText: id });
  await ola.goto(`/inbox?tab=all&q=${id}`);
  await expect(row(ola).getByText("Needs a second person")).toBeVisible();
  await checkAppearance(ola, "a row that its reader cannot accept");
  await ben.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  await expect(row(ben)).toBeVisible();
  await expect(row(ben).getByText("Needs a second person")).toHaveCount(0);
  await expect(requestPane(ben).getByRole("button", { name: /^Approve/ })).toBeEnabled();
  await expect(ben.getByText("Somebody else has to accept it")).toHaveCount(0);

  await requestPane(ola).getByRole("button", { name: "More", exact: true }).click();
  await ola.getByRole("menuitem", { name: "Decline to answer…" }).click();
  await ola
    .getByRole("dialog")
    .getByRole("button", { name: /^Decline/ })
    .click();
  await expect.poll(async () => (await readRequest(ola, requestId)).answer?.action, SOON).toBe("decline");
});

test("its end is proposed by one and accepted by another, who also vouches for whom the first invited", async ({
  browser,
}) => {
  const nora = await newOwner(browser, "Nora", "november");
  const otto = await newMember(browser, "Otto", "november", "owner");

  await nora.goto("/settings/members");
  await nora.getByRole("button", { name: "Invite…" }).click();
  await nora.getByLabel("E-mail").fill("mila@november.example");
  await nora.getByRole("dialog").getByLabel("Role").selectOption("approver");
  await nora.getByRole("button", { name: "Invite", exact: true }).click();
  await nora.getByRole("button", { name: "Show a link instead" }).click();
  const link = await nora.getByRole("textbox", { name: "Link for mila@november.example" }).inputValue();
  const mila = await open(browser);
  await mila.goto(link);
  await mila.getByLabel("Name").fill("Mila");
  await mila.getByLabel("Password").fill(PASSWORD);
  await mila.getByRole("button", { name: /Join/ }).click();
  await expect(mila).not.toHaveURL(/join/, SOON);

  await nora.goto("/settings/members");
  await expect(nora.getByText("One person with Nora")).toBeVisible();
  await expect(nora.getByRole("button", { name: "Vouch for Mila" })).toHaveCount(0);
  await otto.goto("/settings/members");
  await checkAppearance(otto, "members, one counted with another");
  await otto.getByRole("button", { name: "Vouch for Mila" }).click();
  await checkAppearance(otto, "vouch");
  await otto.getByRole("dialog").getByRole("button", { name: "Vouch", exact: true }).click();
  await expect(otto.getByText("A person of their own: Otto vouched")).toBeVisible();

  const rule = (page: Page) => page.getByRole("switch", { name: "Require a second person" });
  await nora.goto("/settings/organization");
  await rule(nora).click();
  await expectToast(nora, "A second person is required from now on");
  await rule(nora).click();
  await expect(nora.getByText("Nora proposed to require no second person any more")).toBeVisible();
  await expect(nora.getByText("Somebody else has to accept.")).toBeVisible();
  await expect(rule(nora)).toBeChecked();
  await checkAppearance(nora, "the rule's end, proposed");
  await otto.goto("/settings/organization");
  await checkAppearance(otto, "the rule's end, to be accepted");
  await otto.getByRole("button", { name: "Accept: require nobody" }).click();
  await expect(rule(otto)).not.toBeChecked();
  await checkAppearance(otto, "the rule ended");
  for (const page of [nora, otto, mila]) await page.context().close();
});

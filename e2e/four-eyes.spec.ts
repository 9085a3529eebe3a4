/** Four eyes: who asked for a task sees why somebody else has to accept, and may decline. */

import type { Page } from "@playwright/test";
import { checkAppearance } from "./fixtures/appearance.ts";
import { apiOf, askAbout, expect, readRequest, requestPane, SOON, test } from "./fixtures/test.ts";

test.afterEach(async ({ ana }) => {
  await apiOf(ana).write("PATCH", "/organization", { fourEyes: false });
});

test("the one who asked cannot accept but declines, and another accepts", async ({ ana, ola, ben }) => {
  await ana.goto("/settings/organization");
  await ana.getByRole("switch", { name: "Require a second person" }).click();
  await expect(ana.getByText("A second person is required from now on")).toBeVisible();

  const { id, requestId } = await askAbout(ola, ola);
  await expect(ola.getByText("You asked for this: somebody else has to accept it.")).toBeVisible();
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
  await expect(ben.getByText("You asked for this")).toHaveCount(0);

  await requestPane(ola).getByRole("button", { name: "More", exact: true }).click();
  await ola.getByRole("menuitem", { name: "Decline to answer…" }).click();
  await ola
    .getByRole("dialog")
    .getByRole("button", { name: /^Decline/ })
    .click();
  await expect.poll(async () => (await readRequest(ola, requestId)).answer?.action, SOON).toBe("decline");
});

/** Beyond what an organization may start: said in words, with what was typed still there. */

import { setQuota } from "../lib/people/organizations/quota.ts";
import { organizationBySlug } from "../scripts/commands/with-database.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { withDatabase } from "./fixtures/database.ts";
import { apiOf, expect, newInvoiceId, test } from "./fixtures/test.ts";

/** Starts a minute of the organization of Gus, where other tests start next to nothing. */
const allow = (startsAMinute: number) =>
  withDatabase("owner", async (db) => {
    const id = await organizationBySlug(db, "globex");
    await db.withOrganization(id, (tx) => setQuota(tx, { startsAMinute }));
  });

test("a start beyond the quota says so, and starts nothing until there is more", { tag: "@journey" }, async ({
  gus,
}) => {
  const id = newInvoiceId();
  await allow(0);
  await gus.goto("/tasks/new");
  await gus.getByRole("combobox", { name: "Server" }).selectOption({ label: "Finance ERP" });
  await gus.getByRole("button", { name: "Fill in the sample invoice" }).click();
  await expect(gus.getByLabel("Customer")).toHaveValue("ACME Corp");
  await gus.getByLabel("Invoice number").fill(id);
  await gus.getByRole("button", { name: "Start task" }).press("Enter");
  const said = gus.getByText("its limit of 0 task starts a minute");
  await expect(said).toBeVisible();
  await expect(gus.getByText("No task was started.")).toBeVisible();
  await said.scrollIntoViewIfNeeded();
  await checkAppearance(gus, "a start beyond the quota");
  await expect(gus.getByLabel("Invoice number")).toHaveValue(id);

  await allow(100);
  await gus.getByRole("button", { name: "Start task" }).press("Enter");
  await expect(gus.getByRole("heading", { level: 1 })).toContainText(id);
  const list = await apiOf(gus).get<{ items: unknown[] }>(`/tasks?q=${id}`);
  expect(list.items).toHaveLength(1);
});

/** How people are reached: the daily digest with the link that turns it off, and the calendar's private address. */

import type { Page } from "@playwright/test";
import { Prisma } from "../lib/base/db/db.ts";
import { organizationBySlug } from "../scripts/commands/with-database.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { withDatabase } from "./fixtures/database.ts";
import { readReceived } from "./fixtures/receivers.ts";
import { answer, apiOf, askAbout, expect, newInvoiceId, SOON, test } from "./fixtures/test.ts";

const change = (statement: (organizationId: string) => Prisma.Sql) =>
  withDatabase("owner", async (db) => {
    const id = await organizationBySlug(db, "acme");
    await db.withOrganization(id, (tx) => tx.$executeRaw(statement(id)));
  });
const digestOf = async (page: Page) =>
  (await apiOf(page).get<{ digest: { days: string } | null }>("/me/notifications")).digest?.days;

test("a digest comes at its hour, names tool and server, and its link turns it off at a press, without a sign-in", async ({
  ola,
  ben,
  page: stranger,
}) => {
  const customer = `Customer ${newInvoiceId()}`;
  const { id, requestId } = await askAbout(ola, ola, { changes: { customer } });
  // The earlier address of the page.
  await ben.goto("/settings/notifications");
  await expect(ben).toHaveURL(/\/settings\/channels$/);
  const section = ben.getByRole("region", { name: "E-mail" });
  await expect(section.getByText("ben@acme.example")).toBeVisible(SOON);
  await expect(section.getByLabel("At", { exact: true })).toHaveCount(0);
  await section.getByLabel("Daily digest").selectOption("Every day");
  await expect(section.getByLabel("At", { exact: true })).toBeVisible(SOON);
  await section.getByLabel("At", { exact: true }).selectOption({ index: 7 });
  await expect.poll(() => digestOf(ben), SOON).toBe("all");
  await checkAppearance(ben, "channels with a digest");

  await change(
    (id) =>
      Prisma.sql`UPDATE daily_digest SET due_at = date_trunc('milliseconds', now()) WHERE organization_id = ${id}::uuid`,
  );
  const mailed = async () =>
    (await readReceived()).mails.find(({ subject }) => /waits? for you/.test(subject));
  await expect.poll(async () => (await mailed()) !== undefined, SOON).toBe(true);
  const { to, source = "" } = (await mailed()) ?? {};
  expect(to).toEqual(["ben@acme.example"]);
  expect(source).toContain(`/inbox/${requestId}`);
  for (const never of [id, customer]) expect(source).not.toContain(never);
  await ben.reload();
  await expect(section.getByText(/^Last sent/)).toBeVisible(SOON);

  const [link = ""] = source.match(/http:\/\/localhost[^\s"<>]+\/unsubscribe#token=[\w-]+/) ?? [];
  const button = stranger.getByRole("button", { name: "Turn off the digest" });
  // Where mail programs lead people who press their own button without RFC 8058.
  await stranger.goto(link.replace("/unsubscribe#token=", "/api/unsubscribe/"));
  await expect(button).toBeVisible();
  await stranger.goto("about:blank");
  await stranger.goto(link);
  await expect(button).toBeEnabled();
  await checkAppearance(stranger, "turning off the digest");
  expect(await digestOf(ben)).toBe("all");
  await button.click();
  await expect(stranger.getByRole("heading", { name: "This daily digest is off" })).toBeVisible(SOON);
  expect(await digestOf(ben)).toBe("off");
  await stranger.goto("about:blank");
  await stranger.goto(`${link.slice(0, -1)}${link.endsWith("A") ? "B" : "A"}`);
  await button.click();
  await expect(stranger.getByRole("heading", { name: "This link does not work" })).toBeVisible(SOON);
});

test("a calendar's address is shown once, has what is due for its member, and ends when it is replaced or removed", async ({
  ola,
  ben,
  page: stranger,
}) => {
  const { requestId } = await askAbout(ola, ola);
  await change(
    (id) => Prisma.sql`UPDATE input_request SET decide_by = now() + interval '1 day'
      WHERE organization_id = ${id}::uuid AND id = ${requestId}::uuid`,
  );
  await ben.goto("/settings/channels");
  const section = ben.getByRole("region", { name: "Calendar" });
  const dialog = ben.getByRole("dialog");
  await section.getByRole("button", { name: "Make an address" }).click();
  const address = await dialog.getByLabel("Address").inputValue();
  await checkAppearance(ben, "a calendar's address");
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(section.getByText("not read yet")).toBeVisible(SOON);
  await checkAppearance(ben, "channels with a calendar");

  const read = async (url = address) => {
    const response = await stranger.request.get(url);
    return {
      status: response.status(),
      type: response.headers()["content-type"],
      text: await response.text(),
    };
  };
  expect(await read()).toMatchObject({ status: 200, type: "text/calendar; charset=utf-8" });
  expect((await read()).text).toContain(`UID:${requestId}@`);
  await ben.reload();
  await expect(section.getByText(/last read/)).toBeVisible(SOON);
  await answer(ola, requestId, { value: "approve" });
  await expect.poll(async () => (await read()).text.includes(requestId), SOON).toBe(false);

  await section.getByRole("button", { name: "New address…" }).click();
  await dialog.getByRole("button", { name: "Make a new address" }).click();
  await expect(dialog.getByLabel("Address")).toHaveValue(/\.ics$/, SOON);
  const second = await dialog.getByLabel("Address").inputValue();
  await dialog.getByRole("button", { name: "Done" }).click();
  expect([(await read()).status, (await read(second)).status]).toEqual([404, 200]);
  await section.getByRole("button", { name: "Remove address…" }).click();
  await dialog.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(section.getByRole("button", { name: "Make an address" })).toBeVisible(SOON);
  expect((await read(second)).status).toBe(404);
});

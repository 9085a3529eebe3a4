/** People are told in the app and by mail, programs by webhooks; what is told of decides nothing by itself. */

import { checkAppearance } from "./fixtures/appearance.ts";
import { readReceived } from "./fixtures/receivers.ts";
import { apiOf, askAbout, expect, newInvoiceId, readRequest, SOON, tabTo, test } from "./fixtures/test.ts";

const LONG = { timeout: 90_000 };

test("a request is told in the app and by mail; following a link decides nothing, deciding takes the notice away", {
  tag: "@journey",
}, async ({ ola, ben, page: stranger }) => {
  await ben.goto("/settings/channels");
  const waiting = ben.getByRole("group", { name: "Waiting for anyone" });
  const byMail = waiting.getByRole("switch", { name: "E-mail" });
  await expect(byMail).not.toBeChecked();
  await tabTo(ben, byMail);
  await ben.keyboard.press("Space");
  await expect(byMail).toBeChecked();
  await checkAppearance(ben, "what one is told");

  const customer = `Customer ${newInvoiceId()}`;
  const { id, requestId } = await askAbout(ola, ola, { changes: { customer } });
  await ben.goto("/notices");
  const notice = ben.getByRole("listitem").filter({ hasText: id });
  await expect(notice).toContainText("A request waits for an answer", SOON);
  await expect(notice).toContainText("process_invoice");
  await checkAppearance(ben, "notices");

  const path = `/inbox/${requestId}`;
  const mailed = async () => (await readReceived()).mails.find((mail) => mail.source.includes(path));
  await expect.poll(async () => (await mailed()) !== undefined, LONG).toBe(true);
  const mail = await mailed();
  expect(mail?.to).toEqual(["ben@acme.example"]);
  for (const never of [id, customer, "1,000"]) expect(mail?.source).not.toContain(never);

  // Like a mail scanner: requests every link by every method, with and without a session.
  const before = await readRequest(ben, requestId);
  const links = new Set(mail?.source.match(/http:\/\/localhost[^\s"<>]+/g));
  expect(links.size).toBeGreaterThan(1);
  for (const link of links)
    for (const browser of [stranger, ben])
      for (const method of ["GET", "HEAD", "POST"])
        await browser.request.fetch(link, { method, data: undefined });
  expect(await readRequest(ben, requestId)).toEqual(before);

  await notice.getByRole("link").click();
  await expect(ben).toHaveURL(new RegExp(path));
  await expect(ben.getByRole("button", { name: "Approve" }).first()).toBeVisible(SOON);
  const { questionHash } = before;
  const answer = { action: "accept", content: { value: "approve" }, questionHash };
  expect((await apiOf(ola).write("POST", `/input-requests/${requestId}/answer`, answer)).status()).toBe(202);
  await ben.goto("/notices");
  await expect(ben.getByRole("heading", { name: "Notifications" })).toBeVisible();
  await expect(ben.getByRole("listitem").filter({ hasText: id })).toHaveCount(0, SOON);
  // The link in the mail still works, and shows who decided.
  await ben.goto(path);
  await expect(ben.getByText("Approved by Ola").first()).toBeVisible(SOON);
  await ben.goto("/notices");
  const all = ben.getByRole("button", { name: "Mark all read" });
  await expect(async () => {
    if (await all.isEnabled()) await all.click();
    await expect(ben.getByText("Nothing unread")).toBeVisible({ timeout: 2_000 });
  }).toPass(SOON);
});

test("a webhook is added by keyboard, told, and told again; it can be switched off and taken away", async ({
  ana,
  ola,
}) => {
  const { receiver } = await readReceived();
  const url = `${receiver}/${newInvoiceId()}`;
  const { host } = new URL(url);
  const calls = async () => (await readReceived()).calls.filter(({ path }) => url.endsWith(path));
  await ana.goto("/settings/webhooks");
  await expect(ana.getByText("No webhooks yet")).toBeVisible();
  await checkAppearance(ana, "no webhooks");
  const add = ana.getByRole("button", { name: "Add a webhook…" });
  await tabTo(ana, add);
  await ana.keyboard.press("Enter");
  const dialog = ana.getByRole("dialog");
  await tabTo(ana, dialog.getByLabel("Address"));
  await ana.keyboard.type("https://10.0.0.1/x");
  await ana.keyboard.press("Enter");
  await expect(dialog.getByText("Use a public https address")).toBeVisible();
  await checkAppearance(ana, "a webhook with an error");
  await dialog.getByLabel("Address").press("Control+A");
  await ana.keyboard.type(url);
  await ana.keyboard.press("Enter");
  await expect(dialog.getByLabel("Signing secret")).toHaveValue(/^whsec_/);
  await checkAppearance(ana, "a webhook's secret");
  await tabTo(ana, dialog.getByRole("button", { name: "Done" }));
  await ana.keyboard.press("Enter");

  const { requestId } = await askAbout(ola, ola);
  await expect.poll(async () => (await calls()).length, LONG).toBeGreaterThan(0);
  const told = (await calls()).map(({ body }) => JSON.parse(body));
  expect(told.map(({ type }) => type)).toContain("request.opened");
  await expect.poll(async () => JSON.stringify(await calls()), LONG).toContain(requestId);

  await tabTo(ana, ana.getByRole("button", { name: `Log of ${host}` }));
  await ana.keyboard.press("Enter");
  const log = ana.getByRole("list", { name: `What was sent to ${host}` });
  await expect(log.getByText("answered 204").first()).toBeVisible(SOON);
  const count = (await calls()).length;
  const again = log.getByRole("button", { name: "Send request.opened again" }).first();
  await tabTo(ana, again);
  await ana.keyboard.press("Enter");
  await expect.poll(async () => (await calls()).length, LONG).toBeGreaterThan(count);
  await checkAppearance(ana, "a webhook's log");

  const more = ana.getByRole("button", { name: `More for ${host}` });
  await more.click();
  await ana.getByRole("menuitem", { name: "Switch off" }).click();
  await expect(ana.getByText("Off", { exact: true })).toBeVisible(SOON);
  await more.click();
  await ana.getByRole("menuitem", { name: "Remove…" }).click();
  await ana.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(ana.getByText("No webhooks yet")).toBeVisible(SOON);
});

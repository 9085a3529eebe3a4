/** Talking before deciding: two people in one thread, by keyboard; what waits for the requester; and what one puts off for oneself. */
import { checkAppearance, PHONE } from "./fixtures/appearance.ts";
import {
  answer,
  apiOf,
  expect,
  keysListen,
  newInvoiceId,
  openPhoneAs,
  openRequest,
  readRequest,
  requestPane,
  SOON,
  startInvoice,
  test,
} from "./fixtures/test.ts";

test("Ben asks Ola by the keyboard, who replies; both see it at once, and Ben decides", async ({
  ben,
  ola,
}) => {
  const id = newInvoiceId();
  const { taskId } = await startInvoice(ola, { id });
  const requestId = await openRequest(ola, taskId);
  await ben.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  const thread = requestPane(ben).getByRole("region", { name: /^Comments/ });
  await expect(thread.getByRole("button", { name: "Add a comment…" })).toBeVisible(SOON);
  await expect(thread.getByLabel("Add to the discussion")).toHaveCount(0);
  await keysListen(ben);

  await ben.keyboard.press("m");
  await expect(thread.getByLabel("Add to the discussion")).toBeFocused();
  await ben.keyboard.type("Which cost center?");
  await ben.keyboard.press("Tab");
  await ben.keyboard.press("Tab");
  await expect(thread.getByRole("button", { name: "Ask Ola" })).toBeFocused();
  await ben.keyboard.press("Enter");
  await expect(requestPane(ben).getByText("Waiting for Ola", { exact: true })).toBeVisible();
  await expect(thread.getByRole("listitem").filter({ hasText: "Which cost center?" })).toContainText(
    "Asked for information",
  );
  await expect(thread.getByRole("button", { name: "Ask Ola" })).toHaveCount(0);
  await expect(ben.getByRole("region", { name: "Requests" }).getByText("Waiting for Ola")).toBeVisible(SOON);
  await checkAppearance(ben, "thread, waiting for the requester");

  // Ola is told, and replies.
  await expect
    .poll(async () => (await apiOf(ola).get<{ items: object[] }>("/notices?unread=true")).items, SOON)
    .toContainEqual(expect.objectContaining({ cause: "request.info_wanted", inputRequestId: requestId }));
  await ola.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  await expect(requestPane(ola).getByText("Your next comment is the reply.")).toBeVisible(SOON);
  const field = requestPane(ola).getByLabel("Add to the discussion");
  await field.fill("4711, it is for the new office");
  await field.press("Control+Enter");
  await expect(requestPane(ola).getByText("Your next comment is the reply.")).toHaveCount(0);
  await expect(thread.getByText("4711, it is for the new office")).toBeVisible(SOON);
  await expect(requestPane(ben).getByText("Waiting for Ola", { exact: true })).toHaveCount(0);

  // Nothing of it keeps from deciding, and nothing of it is sent.
  await answer(ben, requestId, { value: "approve" });
  const decided = await readRequest(ben, requestId);
  expect(decided).toMatchObject({ comments: 2, needsInfo: null, answer: { comment: null } });
});

test("a comment is kept while it is written, mentions by the keyboard, and is deleted for good", async ({
  ben,
  cleo,
  ola,
}) => {
  const id = newInvoiceId();
  const { taskId } = await startInvoice(ola, { id });
  const requestId = await openRequest(ola, taskId);
  await ben.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  const thread = requestPane(ben).getByRole("region", { name: /^Comments/ });
  const field = thread.getByLabel("Add to the discussion");
  await thread.getByRole("button", { name: "Add a comment…" }).click();
  await expect(thread.getByLabel("Your comment")).toBeFocused();
  await thread.getByRole("button", { name: "To colleagues now" }).click();
  await field.fill("Is it ");
  await field.press("End");
  await field.pressSequentially("@cle");
  const people = thread.getByRole("listbox", { name: "People to mention" });
  await expect(people.getByRole("option", { name: "Cleo" })).toHaveAttribute("aria-selected", "true");
  await checkAppearance(ben, "thread, mentioning", [
    { size: { width: 1440, height: 900 }, colorScheme: "light" },
  ]);
  await field.focus();
  await field.press("End");
  if ((await people.count()) === 0) await field.pressSequentially("o");
  await field.press("Enter");
  await expect(field).toHaveValue("Is it @Cleo ");
  await field.pressSequentially("who knows them?");
  await ben.reload();
  await expect(field).toHaveValue("Is it @Cleo who knows them?", SOON);
  await field.press("Control+Enter");
  const comment = thread.getByRole("listitem").filter({ hasText: "who knows them?" });
  await expect(comment).toBeVisible();
  await expect(field).toHaveValue("");

  await cleo.goto("/notices");
  await expect(cleo.getByText("You were mentioned in a comment").first()).toBeVisible(SOON);
  await cleo.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  await expect(requestPane(cleo).getByText("Mentions you")).toBeVisible(SOON);
  await expect(requestPane(cleo).getByRole("button", { name: "Delete this comment" })).toHaveCount(0);

  await comment.getByRole("button", { name: "Delete this comment" }).click();
  await ben.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(thread.getByText("Ben deleted a comment")).toBeVisible();
  await expect(requestPane(cleo).getByText("Ben deleted a comment · ")).toBeVisible(SOON);
  await expect(requestPane(cleo).getByText("who knows them?")).toHaveCount(0);
});

test("what one snoozes leaves one's own list, and comes back at one's word", async ({ ben, cleo, ola }) => {
  const id = newInvoiceId();
  const { taskId } = await startInvoice(ola, { id });
  const requestId = await openRequest(ola, taskId);
  await ben.goto(`/inbox/${requestId}?tab=mine&q=${id}`);
  await expect(requestPane(ben).getByText("Waiting for you")).toBeVisible(SOON);
  await keysListen(ben);
  await ben.keyboard.press("b");
  const dialog = ben.getByRole("dialog", { name: /^Snooze/ });
  await expect(dialog.getByRole("button", { name: /^Tomorrow morning/ })).toBeVisible();
  await checkAppearance(ben, "snooze");
  await dialog.getByRole("button", { name: /^In 1 hour/ }).focus();
  await ben.keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);
  await expect.poll(async () => (await readRequest(ben, requestId)).snoozedUntil, SOON).not.toBeNull();
  expect((await readRequest(cleo, requestId)).snoozedUntil).toBeNull();

  await ben.goto(`/inbox?tab=mine&q=${id}&snoozed=true`);
  await expect(ben.getByRole("button", { name: "Snoozed by me: remove this filter" })).toBeVisible();
  await ben.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  await expect(requestPane(ben).getByText(/^Snoozed until/)).toBeVisible(SOON);
  await checkAppearance(ben, "snoozed");
  await requestPane(ben).getByRole("button", { name: "End snooze" }).click();
  await expect(requestPane(ben).getByText("Waiting for you")).toBeVisible();
  await answer(ben, requestId, { value: "approve" });
});

test("on a phone one comments below the form", async ({ browser, ola }) => {
  const id = newInvoiceId();
  const { taskId } = await startInvoice(ola, { id });
  const requestId = await openRequest(ola, taskId);
  const phone = await openPhoneAs(browser, "Ben");
  await phone.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  const field = requestPane(phone).getByLabel("Add to the discussion");
  await requestPane(phone).getByRole("button", { name: "Add a comment…" }).tap();
  await requestPane(phone).getByRole("button", { name: "To colleagues now" }).tap();
  await field.fill("From the train");
  await requestPane(phone).getByRole("button", { name: "Post" }).tap();
  await expect(requestPane(phone).getByRole("listitem").filter({ hasText: "From the train" })).toBeVisible(
    SOON,
  );
  const box = await requestPane(phone).getByRole("button", { name: "Delete this comment" }).boundingBox();
  expect(box?.height).toBeGreaterThanOrEqual(44);
  await checkAppearance(phone, "thread on a phone", [{ size: PHONE, colorScheme: "light" }]);
  await answer(phone, requestId, { value: "approve" });
  await phone.context().close();
});

/** No slip decides: what is irreversible is held or typed, and what does not fit is seen before it is accepted. */
import type { Page } from "@playwright/test";
import { checkAppearance } from "./fixtures/appearance.ts";
import { type Asked, ask, askForm } from "./fixtures/questions.ts";
import {
  expect,
  holdFinger,
  newInvoiceId,
  openPhoneAs,
  readRequest,
  requestPane,
  SOON,
  setTimings,
  tabTo,
  test,
} from "./fixtures/test.ts";

/** How long people hold. */
const HOLD_MS = 1_000;
/** A press that a stalled machine draws out is no hold. */
const LONG_MS = 60_000;

const pane = requestPane;
const confirm = (page: Page) => pane(page).getByRole("button", { name: "Confirm" });
const typed = (page: Page, word = "delete") =>
  page.getByRole("dialog").getByLabel(`Type “${word}” to confirm`);
const stateOf = async (page: Page, asked: Asked) => (await readRequest(page, asked.requestId)).state;

async function openDestructive(ana: Page, page: Page): Promise<Asked> {
  const asked = await ask(ana, "delete_file");
  await page.goto(`/inbox/${asked.requestId}`);
  await expect(pane(page).getByText(/^Irreversible\. Hold the button for a second/)).toBeVisible();
  await expect(confirm(page)).toHaveClass(/bg-bad/);
  await setTimings(page, { hold: LONG_MS });
  return asked;
}

test("what is irreversible is not decided by a key, by Enter or by a click", async ({ ana, ben }) => {
  const asked = await openDestructive(ana, ben);
  await checkAppearance(ben, "an irreversible request");
  await ben.keyboard.press("a");
  await expect(confirm(ben)).toBeFocused();
  for (const press of [
    () => ben.keyboard.press("Enter"),
    () => ben.keyboard.press(" "),
    () => confirm(ben).click(),
    () => confirm(ben).dispatchEvent("click"),
  ]) {
    await press();
    await expect(typed(ben)).toBeFocused();
    await ben.keyboard.press("Enter");
    await expect(ben.getByRole("dialog").getByRole("button", { name: "Confirm" })).toBeDisabled();
    await ben.keyboard.press("Escape");
    await expect(typed(ben)).toHaveCount(0);
    await expect(confirm(ben)).toBeFocused();
  }
  expect(await stateOf(ana, asked)).toBe("open");

  await setTimings(ben, { hold: HOLD_MS });
  await confirm(ben).focus();
  await ben.keyboard.down("Enter");
  await expect.poll(() => stateOf(ana, asked), SOON).not.toBe("open");
  await ben.keyboard.up("Enter");
  await expect.poll(asked.receivedAnswer, SOON).toEqual({ action: "accept", content: { confirm: true } });
});

test("who cannot hold types what is done", async ({ ana, ben }) => {
  const asked = await openDestructive(ana, ben);
  await tabTo(ben, confirm(ben));
  await ben.keyboard.press("Enter");
  await checkAppearance(ben, "typing to confirm");
  await ben.keyboard.type("remove");
  await ben.keyboard.press("Enter");
  await expect(typed(ben)).toHaveValue("remove");
  expect(await stateOf(ana, asked)).toBe("open");
  await typed(ben).fill("Delete");
  await ben.keyboard.press("Enter");
  await expect.poll(asked.receivedAnswer, SOON).toEqual({ action: "accept", content: { confirm: true } });
});

test("Enter in a field of an irreversible form leads to the button and sends nothing", async ({
  ana,
  ben,
}) => {
  const asked = await ask(ana, "purge_archive");
  await ben.goto(`/inbox/${asked.requestId}`);
  const send = pane(ben).getByRole("button", { name: "Send answer" });
  const reason = pane(ben).getByRole("textbox", { name: "Reason" });
  for (const field of [reason, pane(ben).getByRole("radio", { name: "Yes" })]) {
    await reason.fill("Older than seven years");
    await field.press("Enter");
    await expect(send).toBeFocused();
  }
  await setTimings(ben, { hold: LONG_MS });
  await ben.keyboard.press("Enter");
  await expect(typed(ben, "purge")).toBeFocused();
  await ben.keyboard.press("Escape");
  expect(await stateOf(ana, asked)).toBe("open");

  await setTimings(ben, { hold: HOLD_MS });
  await send.focus();
  await ben.keyboard.down("Enter");
  await expect.poll(() => stateOf(ana, asked), SOON).not.toBe("open");
  await ben.keyboard.up("Enter");
});

test("the no that destroys is held, and is not offered to several", async ({ ana, ben }) => {
  const batch = newInvoiceId();
  const asked = await ask(ana, "keep_file", { filename: `${batch}-1` });
  await ask(ana, "keep_file", { filename: `${batch}-2` });
  await ben.goto(`/inbox/${asked.requestId}?tab=all&q=${batch}`);
  await setTimings(ben, { hold: LONG_MS });
  await pane(ben).getByRole("button", { name: "No", exact: true }).click();
  await expect(typed(ben)).toBeFocused();
  await ben.keyboard.press("Escape");
  expect(await stateOf(ana, asked)).toBe("open");

  const list = ben.getByRole("region", { name: "Requests", exact: true });
  const rows = list.getByRole("listitem").locator('a[href*="/inbox/"]');
  await expect(rows).toHaveCount(2);
  for (const row of [rows.first(), rows.last()]) await row.click({ modifiers: ["Shift"] });
  const bar = ben.getByRole("region", { name: "Selected requests" });
  await expect(bar).toContainText("2 selected");
  for (const name of ["Yes…", "No…"])
    await expect(bar.getByRole("button", { name, exact: true })).toHaveCount(0);
  await ben.keyboard.press("r");
  await expect(ben.getByRole("dialog")).toHaveCount(0);
});

test("the typed word is asked for no more once the request is no longer theirs", async ({
  ana,
  ben,
  cleo,
}) => {
  const asked = await openDestructive(ana, ben);
  await confirm(ben).click();
  await expect(typed(ben)).toBeFocused();
  await cleo.goto(`/inbox/${asked.requestId}`);
  await expect(confirm(cleo)).toBeEnabled();
  await cleo.keyboard.press("c");
  await expect(typed(ben)).toHaveCount(0);
  await expect(confirm(ben)).toBeDisabled();
  expect(await stateOf(ana, asked)).toBe("open");
});

test("a no to what is irreversible is one press", async ({ ana, ben }) => {
  const asked = await openDestructive(ana, ben);
  await pane(ben).getByRole("button", { name: "No", exact: true }).click();
  await expect.poll(asked.receivedAnswer, SOON).toEqual({ action: "accept", content: { confirm: false } });
});

test("on a phone a tap deletes nothing, and a held finger does", async ({ ana, browser }) => {
  const page = await openPhoneAs(browser, "Ben");
  const asked = await openDestructive(ana, page);
  await checkAppearance(page, "an irreversible request on a phone");
  await confirm(page).tap();
  await expect(typed(page)).toBeVisible();
  await page.getByRole("button", { name: "Close" }).first().tap();
  await expect(typed(page)).toHaveCount(0);
  expect(await stateOf(ana, asked)).toBe("open");

  await setTimings(page, { hold: HOLD_MS });
  await holdFinger(page, confirm(page), () => expect.poll(() => stateOf(ana, asked), SOON).not.toBe("open"));
  await page.context().close();
});

test("irreversible requests are accepted one by one, also where several are selected", async ({
  ana,
  ben,
}) => {
  const batch = newInvoiceId();
  for (const n of [1, 2]) await ask(ana, "delete_file", { filename: `${batch}-${n}.csv` });
  await ben.goto(`/inbox?tab=all&q=${batch}`);
  const rows = ben.getByRole("region", { name: "Requests", exact: true }).locator('a[href*="/inbox/"]');
  await expect(rows).toHaveCount(2);
  await expect(rows.first().getByText("Irreversible")).toBeVisible();
  for (const row of [rows.first(), rows.last()]) await row.click({ modifiers: ["Shift"] });
  const bar = ben.getByRole("region", { name: "Selected requests" });
  await expect(bar).toContainText("Irreversible: accept these one by one.");
  await expect(bar.getByRole("button", { name: "No…", exact: true })).toBeVisible();
  await expect(bar.getByRole("button", { name: "Confirm…" })).toHaveCount(0);
  await ben.keyboard.press("a");
  await expect(ben.getByRole("dialog")).toHaveCount(0);
});

test("a list shows whose amounts differ, and several of them want a tick", async ({ ana, ben }) => {
  const batch = newInvoiceId();
  for (const n of [1, 2]) await ask(ana, "approve_payment", { invoice_id: `${batch}-${n}`, total: 9_500 });
  await ben.goto(`/inbox?tab=all&q=${batch}`);
  const rows = ben.getByRole("region", { name: "Requests", exact: true }).locator('a[href*="/inbox/"]');
  await expect(rows.getByText("Amounts differ")).toHaveCount(2);
  for (const row of [rows.first(), rows.last()]) await row.click({ modifiers: ["Shift"] });
  const bar = ben.getByRole("region", { name: "Selected requests" });
  await expect(bar.getByRole("button", { name: "Approve…" })).toBeVisible();
  await ben.keyboard.press("a");
  const dialog = ben.getByRole("dialog");
  const send = dialog.getByRole("button", { name: "Approve 2 requests" });
  await expect(send).toBeDisabled();
  await dialog.getByRole("checkbox", { name: /^I’ve seen what is marked on 2 requests/ }).check();
  await expect(send).toBeEnabled();
});

test("every choice has a key, and S skips without an answer", async ({ ana, ben }) => {
  const batch = newInvoiceId();
  const first = await ask(ana, "research", { label: `${batch}-1` });
  const second = await ask(ana, "research", { label: `${batch}-2` });
  await ben.goto(`/inbox/${first.requestId}?tab=all&q=${batch}`);
  await expect(pane(ben).getByRole("button", { name: "The comedians" })).toBeEnabled();
  await checkAppearance(ben, "one enum");
  await ben.keyboard.press("3");
  await expect(pane(ben).getByRole("button", { name: "The comedians" })).toBeFocused();
  await ben.keyboard.press("s");
  await expect(ben).toHaveURL(new RegExp(`/inbox/${second.requestId}`));
  expect(await stateOf(ana, first)).toBe("open");
  await expect(pane(ben).getByText("Will be sent to Back office · shared connection").last()).toBeVisible();
});

/** Facts and lines of which the last ones are folded away. */
const MANY = {
  ...Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`note_${at + 1}`, `n${at + 1}`])),
  recipient: "Mallory Ltd",
  lines: Array.from({ length: 25 }, (_, at) => ({ description: `Line ${at + 1}`, amount: 40 })),
};
const moreToRead = (page: Page) => pane(page).getByText(/^You have not seen all of the request yet: /);
const approve = (page: Page) => pane(page).getByRole("button", { name: "Approve" });

test("a yes opens what is folded away, and only the next press decides", async ({ ana, ben }) => {
  const asked = await ask(ana, "approve_payment", MANY);
  await ben.goto(`/inbox/${asked.requestId}`);
  await expect(approve(ben)).toBeVisible();
  await expect(pane(ben).getByText("Mallory Ltd")).toHaveCount(0);
  await setTimings(ben, { unread: LONG_MS });
  await ben.keyboard.press("a");
  await expect(moreToRead(ben)).toHaveText(
    "You have not seen all of the request yet: 22 more fields and 13 more lines. Read this, then press again to decide.",
  );
  // The first of them is where the person looks now.
  await expect(pane(ben).getByText("n21", { exact: true })).toBeInViewport();
  await expect(pane(ben).getByText("Mallory Ltd")).toBeAttached();
  await expect(pane(ben).getByText("Line 25")).toBeAttached();
  await checkAppearance(ben, "a request whose folds a press has opened");
  // The second press of a double click comes before anybody has read.
  await ben.keyboard.press("a");
  await expect(approve(ben)).toBeEnabled();
  expect(await stateOf(ana, asked)).toBe("open");

  await ben.reload();
  await expect(approve(ben)).toBeVisible();
  await ben.keyboard.press("a");
  await expect(moreToRead(ben)).toBeVisible();
  await expect(pane(ben).locator("#decide[data-armed]")).toBeVisible();
  await ben.keyboard.press("a");
  await expect
    .poll(asked.receivedAnswer, SOON)
    .toEqual({ action: "accept", content: { decision: "approve" } });
});

test("a no needs nothing unfolded, and neither does a yes once a person has unfolded all", async ({
  ana,
  ben,
}) => {
  const refused = await ask(ana, "approve_payment", MANY);
  await ben.goto(`/inbox/${refused.requestId}`);
  await expect(approve(ben)).toBeVisible();
  await ben.keyboard.press("r");
  await expect
    .poll(refused.receivedAnswer, SOON)
    .toEqual({ action: "accept", content: { decision: "reject" } });

  const read = await ask(ana, "approve_payment", MANY);
  await ben.goto(`/inbox/${read.requestId}`);
  await pane(ben).getByRole("button", { name: "Show all 46 fields" }).click();
  await pane(ben).getByRole("button", { name: "Show all 25" }).click();
  await approve(ben).click();
  await expect
    .poll(read.receivedAnswer, SOON)
    .toEqual({ action: "accept", content: { decision: "approve" } });
});

test("what is irreversible is held only once nothing is folded away", async ({ ana, ben }) => {
  const asked = await ask(ana, "delete_file", { purpose: "of the audit ".repeat(80) });
  await ben.goto(`/inbox/${asked.requestId}`);
  await confirm(ben).click();
  await expect(moreToRead(ben)).toContainText("a long text");
  await expect(ben.getByRole("dialog")).toHaveCount(0);
  await expect(pane(ben).locator("#decide[data-armed]")).toBeVisible();
  await confirm(ben).focus();
  await ben.keyboard.down("Enter");
  await expect.poll(() => stateOf(ana, asked), SOON).not.toBe("open");
  await ben.keyboard.up("Enter");
});

test("on a phone a form is sent once its long message is open", async ({ ana, browser }) => {
  const page = await openPhoneAs(browser, "Ben");
  const message = `Who is paid?\n${"For the delivery of last month. ".repeat(80)}\nThe recipient is Mallory Ltd.`;
  const asked = await askForm(ana, message, {
    type: "object",
    properties: { account: { type: "string", title: "Account", default: "4711" } },
    required: ["account"],
  });
  await page.goto(`/inbox/${asked.requestId}`);
  const send = pane(page).getByRole("button", { name: "Send answer" });
  await send.tap();
  await expect(moreToRead(page)).toContainText("the rest of the message");
  await expect(pane(page).getByRole("button", { name: "Show less" }).first()).toBeAttached();
  await checkAppearance(page, "a long message that a press has opened, on a phone");
  expect(await stateOf(ana, asked)).toBe("open");
  await expect(pane(page).locator("#decide[data-armed]")).toBeVisible();
  await send.tap();
  await expect.poll(asked.receivedAnswer, SOON).toEqual({ action: "accept", content: { account: "4711" } });
  await page.context().close();
});

test("a request of more values than a page carries is read by the browser", async ({ ana, ben }) => {
  const values = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`v${at}`, at]));
  const asked = await ask(ana, "delete_file", { values });
  const drawn = await ben.request.get(`/inbox/${asked.requestId}`);
  expect(drawn.status()).toBe(200);
  expect(await drawn.text()).not.toContain("v19999");
  await ben.goto(`/inbox/${asked.requestId}`);
  await expect(confirm(ben)).toBeVisible();
});

test("a press opens the end of a long suggestion, and of a message that needs much room", async ({
  ana,
  ben,
}) => {
  const lines = Array.from({ length: 42 }, (_, at) => `${at + 1}. Pay Ltd ${at + 1}`).join("\n");
  const asked = await askForm(ana, `Send this instruction?\n${"WWWW ".repeat(300)}`, {
    type: "object",
    properties: {
      instruction: { type: "string", title: "Instruction", default: lines },
      // Shorter than the texts that get several lines at once, and too wide for one.
      account: { type: "string", title: "Account", maxLength: 60, default: "W".repeat(40) },
    },
    required: ["instruction", "account"],
  });
  await ben.setViewportSize({ width: 360, height: 740 });
  await ben.goto(`/inbox/${asked.requestId}`);
  const instruction = pane(ben).getByLabel("Instruction");
  await expect(instruction).toHaveValue(lines);
  await expect(pane(ben).locator("textarea")).toHaveCount(2);
  const cut = () => instruction.evaluate((box) => box.scrollHeight > box.clientHeight + 1);
  expect(await cut()).toBe(true);
  await pane(ben).getByRole("button", { name: "Send answer" }).click();
  // The arguments of this call are the message and the form, so that both stand there once more.
  await expect(moreToRead(ben)).toHaveText(/: the rest of the message and 3 long texts\. /);
  await expect.poll(cut).toBe(false);
  await checkAppearance(ben, "a long suggestion, opened, on a phone");
  expect(await stateOf(ana, asked)).toBe("open");
  await expect(pane(ben).locator("#decide[data-armed]")).toBeVisible();
  await pane(ben).getByRole("button", { name: "Send answer" }).click();
  await expect.poll(asked.receivedAnswer, SOON).toMatchObject({ content: { instruction: lines } });
});

test("a table that is too wide shows all its columns, one row below another", async ({ ana, ben }) => {
  const names = [
    "reference",
    "debtor",
    "branch",
    "purpose",
    "urgency",
    "channel",
    "recipient",
    "iban",
    "bank",
  ];
  const line = Object.fromEntries(names.map((name) => [name, `The ${name} of this transfer`]));
  const asked = await ask(ana, "approve_payment", {
    lines: [
      { ...line, amount: 400 },
      { ...line, amount: 600 },
    ],
  });
  await ben.goto(`/inbox/${asked.requestId}`);
  const table = pane(ben).getByRole("region", { name: "Lines", exact: true });
  await expect(table.getByText("The iban of this transfer")).toHaveCount(2);
  await expect(table.getByRole("table")).toHaveCount(0);
  await expect(table).toContainText("1,000.00");
  expect(await table.evaluate((frame) => frame.scrollWidth - frame.clientWidth)).toBe(0);
  await checkAppearance(ben, "a table drawn as blocks");
  // Columns that fit stand side by side.
  const narrow = await ask(ana, "approve_payment");
  await ben.goto(`/inbox/${narrow.requestId}`);
  await expect(pane(ben).getByRole("table")).toBeVisible();
});

/** Deciding, and what stands around it: time for slips, reasons, whose a request is, and two who decide at once. */
import type { Page } from "@playwright/test";
import { checkAppearance } from "./fixtures/appearance.ts";
import {
  apiOf,
  askAbout,
  askForCostCenter,
  expect,
  expectToast,
  ledgerOf,
  lookAt,
  newInvoiceId,
  openRequest,
  readRequest,
  requestPane,
  SOON,
  setUndoWindow,
  startInvoice,
  tabTo,
  test,
} from "./fixtures/test.ts";

// A slip is taken back in time also on a machine that is busy with other things.
test.beforeAll(() => setUndoWindow(60_000));
test.afterAll(() => setUndoWindow(5_000));

const title = (page: Page) => requestPane(page).getByRole("heading", { level: 2 }).first();
const approve = (page: Page) => requestPane(page).getByRole("button", { name: "Approve" });
const held = (page: Page, id: string) => page.getByText(`Approved ${id} · sending in`);
const takenBack = (page: Page) => page.getByText("Undone. Nothing was sent.");

test("Z takes decisions back, the newest first, and leads to each from the one that is open by then", async ({
  ola,
  ben,
}) => {
  const { ids, requests } = await askTwo(ola);
  const [first, second] = ids;
  await ben.goto(`/inbox/${requests[0]}?tab=all&q=${first.slice(0, -2)}`);
  await expect(title(ben)).toContainText(first);
  await approve(ben).click();
  await expect(held(ben, first)).toBeVisible();
  await openFromList(ben, second);
  await lookAt(ben);
  await approve(ben).click();
  await expect(held(ben, second)).toBeVisible();
  await expect(approve(ben)).toHaveCount(0);

  await ben.keyboard.press("z");
  await expect(takenBack(ben).first()).toBeVisible();
  await expect(title(ben)).toContainText(second);
  await expect(approve(ben)).toBeEnabled();
  expect(await readRequest(ben, requests[0])).toMatchObject({ delivery: { state: "held" } });
  await ben.keyboard.press("z");
  await expect(title(ben)).toContainText(first);
  await expect(approve(ben)).toBeEnabled();
  for (const [at, id] of ids.entries()) {
    expect(await readRequest(ben, requests[at] as string)).toMatchObject({ state: "open", answer: null });
    expect((await ledgerOf(id)).told).toEqual([]);
  }
});

test("a second press that comes at once decides nothing about the request that opens next", async ({
  ola,
  ben,
}) => {
  const { ids, requests } = await askTwo(ola);
  const [first, second] = ids;
  await ben.goto(`/inbox/${requests[0]}?tab=all&q=${first.slice(0, -2)}`);
  await expect(title(ben)).toContainText(first);
  // As quick as a press can be: with the drawing of the next request.
  await ben.evaluate((next) => {
    const heading = () => document.querySelector("main h2")?.textContent ?? "";
    const main = () => document.querySelector<HTMLButtonElement>('#decide [aria-keyshortcuts="A"]');
    new MutationObserver((_, observer) => {
      if (!heading().includes(next) || !main()) return;
      observer.disconnect();
      main()?.click();
      document.body.dataset.pressed = next;
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  }, second);
  const sent: string[] = [];
  ben.on("request", (request) => request.url().endsWith("/answer") && sent.push(request.url()));
  await approve(ben).click();
  await expect(held(ben, first)).toBeVisible();
  await expect(ben.locator(`body[data-pressed="${second}"]`)).toBeAttached();
  await lookAt(ben);
  expect(sent).toHaveLength(1);
  await approve(ben).click();
  await expect(held(ben, second)).toBeVisible();
  expect(sent).toHaveLength(2);
});

test("what is typed while the search loads decides nothing", async ({ ola, ben }) => {
  const { id } = await askAbout(ola, ben);
  await expect(approve(ben)).toBeEnabled();
  const sent: string[] = [];
  ben.on("request", (request) => request.url().endsWith("/answer") && sent.push(request.url()));
  const loading = Promise.withResolvers<void>();
  const loaded = Promise.withResolvers<void>();
  await ben.route("**/_next/static/**/*.js", async (route) => {
    const response = await route.fetch();
    if ((await response.text()).includes("Search or run a command")) {
      loading.resolve();
      await loaded.promise;
    }
    await route.fulfill({ response });
  });
  await ben.keyboard.press("ControlOrMeta+k");
  await loading.promise;
  await ben.keyboard.press("a");
  loaded.resolve();
  const search = ben.getByRole("combobox", { name: "Search and commands" });
  await expect(search).toBeFocused();
  await ben.keyboard.press("Escape");
  await expect(search).toBeHidden();
  expect(sent).toEqual([]);
  // The same key decides as soon as nothing is open.
  await ben.keyboard.press("a");
  await expect(held(ben, id)).toBeVisible();
  expect(sent).toHaveLength(1);
});

test("an answer that is taken back brings what was filled in, also from another page", async ({
  ola,
  ben,
}) => {
  const { requestId } = await askForCostCenter(ola);
  await ben.goto(`/inbox/${requestId}`);
  await ben.getByLabel("Cost center").fill("CC-7");
  await ben.getByRole("button", { name: "Add a comment…" }).click();
  await ben.getByLabel("Your comment").fill("As agreed with Ana");
  await ben.getByRole("button", { name: "Send answer" }).click();
  await expect(ben.getByRole("button", { name: "Undo (Z)" })).toBeVisible();
  await ben.getByRole("link", { name: "Tasks" }).first().click();
  await expect(ben.getByRole("heading", { level: 1 })).toHaveText("Tasks");
  await ben.getByRole("button", { name: "Undo (Z)" }).click();
  await expect(ben).toHaveURL(new RegExp(`/inbox/${requestId}`));
  await expect(ben.getByLabel("Cost center")).toHaveValue("CC-7");
  await expect(ben.getByLabel("Your comment")).toHaveValue("As agreed with Ana");
  await expect(ben.getByRole("button", { name: "Send answer" })).toBeEnabled();
});

test("the way of an answer is told until the server has it", async ({ ana, ola, ben }) => {
  const { id } = await askAbout(ola, ben);
  await setUndoWindow(0);
  await ben.reload();
  await approve(ben).click();
  await expect(ben.getByText(new RegExp(`Approved ${id} · accepted by Finance ERP`))).toBeVisible(SOON);
  await apiOf(ana).write("PUT", "/undo-window", { holdMs: 60_000 });
});

test("declining takes a reason of the organization and words of one's own, by keys alone", async ({
  ola,
  ben,
}) => {
  const { id, requestId } = await askAbout(ola, ben);
  await ben.keyboard.press("d");
  const dialog = ben.getByRole("dialog", { name: `Decline to answer ${id}` });
  await expect(dialog).toContainText("told only that it was declined");
  await expect(dialog.getByRole("textbox", { name: "Reason" })).toBeFocused();
  await ben.keyboard.type("see INV-1");
  await ben.keyboard.press("Shift+Tab");
  await ben.keyboard.press("ArrowLeft");
  const duplicate = dialog.getByRole("radio", { name: "Duplicate" });
  await expect(duplicate).toBeFocused();
  await expect(duplicate).toBeChecked();
  await ben.keyboard.press("Tab");
  await ben.keyboard.press("ControlOrMeta+Enter");
  await expect(dialog).toHaveCount(0);
  await expect
    .poll(async () => (await readRequest(ben, requestId)).answer)
    .toMatchObject({ action: "decline", comment: "Duplicate: see INV-1" });
});

test("an approver hands over with a note, by keyboard, and the other one reads it", {
  tag: "@journey",
}, async ({ ola, ben, cleo }) => {
  const { id, requestId } = await askAbout(ola, cleo);
  await ben.goto(`/inbox/${requestId}`);
  await tabTo(ben, requestPane(ben).getByRole("button", { name: "More", exact: true }));
  await ben.keyboard.press("Enter");
  await ben.getByRole("menuitem", { name: "Hand over…" }).press("Enter");
  const dialog = ben.getByRole("dialog", { name: `Hand over ${id}` });
  await expect(dialog.getByRole("option", { name: /Cleo/ })).toBeVisible();
  await expect(dialog.getByRole("option", { name: /Ben/ })).toHaveCount(0);
  await checkAppearance(ben, "choosing who gets a request");
  await ben.keyboard.type("cle");
  await expect(dialog.getByRole("option")).toHaveText([/Cleo/]);
  await ben.keyboard.press("Enter");
  await expect(dialog.getByRole("textbox", { name: "Note for Cleo" })).toBeFocused();
  await ben.keyboard.type("You know <b>ACME</b>. See https://wiki.example");
  await checkAppearance(ben, "a note for who gets a request");
  await ben.keyboard.press("ControlOrMeta+Enter");
  await expectToast(ben, `${id} handed over to Cleo`);

  const note = requestPane(cleo).getByText("You know <b>ACME</b>. See https://wiki.example");
  await expect(note.first()).toBeVisible();
  await expect(requestPane(cleo).getByText("Note from Ben")).toBeVisible();
  await checkAppearance(cleo, "a request with a note");
  // It is Cleo's now, so Ben gives it to nobody else.
  await ben.goto(`/inbox/${requestId}`);
  await requestPane(ben).getByRole("button", { name: "More", exact: true }).click();
  await expect(ben.getByRole("menuitem", { name: "Claim" })).toBeVisible();
  await expect(ben.getByRole("menuitem", { name: "Hand over…" })).toHaveCount(0);
});

test("what another has claimed says whose it is; operators take it over, and the holder is told", async ({
  ola,
  ben,
  cleo,
}) => {
  const { id, requestId } = await askAbout(ola, cleo);
  await ben.goto(`/inbox/${requestId}`);
  await ola.goto(`/inbox/${requestId}`);
  await expect(approve(ben)).toBeEnabled();
  await cleo.keyboard.press("c");
  for (const page of [ben, ola]) {
    await expect(requestPane(page).getByText(/Claimed by Cleo .+ · Ask Cleo, or wait/)).toBeVisible();
    await expect(approve(page)).toBeDisabled();
  }
  await expect(approve(cleo)).toBeEnabled();
  await expect(requestPane(ben).getByRole("button", { name: "Take over" })).toHaveCount(0);
  await requestPane(ola).getByRole("button", { name: "Take over" }).click();
  await expect(approve(ola)).toBeEnabled();
  await expectToast(cleo, `Ola took ${id} over: your claim has ended`);
  await expect(approve(cleo)).toBeDisabled();
  const late = await apiOf(cleo).write("POST", `/input-requests/${requestId}/claim`);
  expect((await late.json()).code).toBe("claimed_by_other");
});

test("of two who send a form within 50 ms one wins; the other reads who, and keeps what they wrote", async ({
  ola,
  ben,
  cleo,
}) => {
  const { requestId } = await askForCostCenter(ola);
  const filled = new Map([
    [ben, "CC-BEN"],
    [cleo, "CC-CLEO"],
  ]);
  for (const [page, value] of filled) {
    await page.goto(`/inbox/${requestId}`);
    await page.getByLabel("Cost center").fill(value);
  }
  const sent: number[] = [];
  const both = Promise.withResolvers<void>();
  for (const page of filled.keys()) {
    await page.route(`**/api/v1/input-requests/${requestId}/answer`, async (route) => {
      sent.push(Date.now());
      if (sent.length === 2) both.resolve();
      await both.promise;
      await route.continue();
    });
  }
  await Promise.all(
    [...filled.keys()].map((page) => page.getByRole("button", { name: "Send answer" }).click()),
  );
  const { answer: given } = await readAnswered(ola, requestId);
  const [winner, loser] = given?.by.name === "Ben" ? [ben, cleo] : [cleo, ben];
  expect(given?.content).toMatchObject({ cost_center: filled.get(winner) });
  const refusal = requestPane(loser).getByRole("alert");
  await expect(refusal).toContainText(new RegExp(`${given?.by.name} answered this`));
  await expect(refusal).toContainText("Their decision counts. Yours was not recorded.");
  await expect(refusal.getByRole("button", { name: "Go to the next request" })).toBeVisible();
  await expect(loser.getByLabel("Cost center")).toHaveValue(filled.get(loser) ?? "");
  await expect(loser.getByLabel("Cost center")).toBeDisabled();
});

test("the next request opens before a decision is recorded, and the list says so", async ({ ola, ben }) => {
  const { ids, requests } = await askTwo(ola);
  const [first, second] = ids;
  await ben.goto(`/inbox/${requests[0]}?tab=all&q=${first.slice(0, -2)}`);
  await expect(title(ben)).toContainText(first);
  const release = await holdAnswer(ben, requests[0]);
  await approve(ben).click();
  await expect(title(ben)).toContainText(second);
  await expect(ben.getByText(`Recording your decision on ${first}…`)).toBeVisible();
  await expect(rowOf(ben, first)).toContainText("Recording your decision…");
  await expect(held(ben, first)).toHaveCount(0);
  expect(await readRequest(ben, requests[0])).toMatchObject({ state: "open" });
  // The last one of a list stays until it is recorded.
  const releaseLast = await holdAnswer(ben, requests[1]);
  await lookAt(ben);
  await approve(ben).click();
  await expect(rowOf(ben, second)).toContainText("Recording your decision…");
  await expect(title(ben)).toContainText(second);
  release("continue");
  await expect(held(ben, first)).toBeVisible();
  releaseLast("continue");
  await expect(held(ben, second)).toBeVisible();
  await expect(title(ben)).toHaveText("Nothing left in this list");
});

test("a refused decision brings its request back with what was typed, and says why", async ({
  ola,
  ben,
  cleo,
}) => {
  const { id, requestId } = await askForCostCenter(ola);
  const next = `${id}-B`;
  await openRequest(ola, (await startInvoice(ola, { id: next })).taskId);
  await ben.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  await ben.getByLabel("Cost center").fill("CC-7");
  const release = await holdAnswer(ben, requestId);
  await ben.getByRole("button", { name: "Send answer" }).click();
  await expect(title(ben)).toContainText(next);
  expect((await apiOf(cleo).write("POST", `/input-requests/${requestId}/claim`)).status()).toBe(200);
  release("continue");
  const refusal = requestPane(ben).getByRole("alert");
  await expect(refusal).toContainText("Cleo claimed this");
  await expect(refusal).toContainText("Your answer was not sent.");
  await expect(ben).toHaveURL(new RegExp(requestId));
  await expect(ben.getByLabel("Cost center")).toHaveValue("CC-7");
  await expect(ben.getByText(/^Recording your decision/)).toHaveCount(0);
  await checkAppearance(ben, "a refused decision");
});

test("who has gone on meanwhile is told of a decision that did not arrive, and finds it again", async ({
  ola,
  ben,
}) => {
  const { ids, requests } = await askTwo(ola);
  const [first, second] = ids;
  await ben.goto(`/inbox/${requests[0]}?tab=all&q=${first.slice(0, -2)}`);
  await expect(title(ben)).toContainText(first);
  const release = await holdAnswer(ben, requests[0]);
  await approve(ben).click();
  await expect(title(ben)).toContainText(second);
  await ben.keyboard.press("Shift");
  release("abort");
  const told = ben.locator("[data-sonner-toast]").filter({ hasText: first });
  await expect(told).toContainText("Your decision may not have arrived.");
  await expect(rowOf(ben, first)).toContainText("Not recorded");
  await expect(title(ben)).toContainText(second);
  await told.getByRole("button", { name: "Open it" }).click();
  await expect(title(ben)).toContainText(first);
  await expect(requestPane(ben).getByRole("alert")).toContainText("Your decision may not have arrived.");
  await expect(told).toHaveCount(0);
  await approve(ben).click();
  await expect(held(ben, first)).toBeVisible();
  await expect(requestPane(ben).getByRole("alert")).toHaveCount(0);
});

test("admins write the reasons for declining, and approvers find them", async ({ ana, ola, ben }) => {
  await ana.goto("/settings/answers");
  const reasons = ana.getByRole("region", { name: "Reasons for declining" });
  await expect(reasons.getByRole("textbox")).toHaveCount(4);
  await reasons.getByRole("button", { name: "Add a reason" }).click();
  await expect(reasons.getByRole("textbox", { name: "Reason 5" })).toBeFocused();
  await ana.keyboard.type("duplicate");
  await reasons.getByRole("button", { name: "Remove “Duplicate”", exact: true }).click();
  await reasons.getByRole("button", { name: "Move “duplicate” up" }).click();
  await expect(reasons.getByRole("button", { name: "Move “duplicate” up" })).toBeFocused();
  await ana.keyboard.press("Enter");
  await reasons.getByRole("button", { name: "Save reasons" }).click();
  await expectToast(ana, "Reasons saved");

  await askAbout(ola, ben);
  await ben.keyboard.press("d");
  await expect(ben.getByRole("dialog").getByRole("group").locator("label")).toHaveText([
    "Wrong amount",
    "duplicate",
    "Not ours",
    "Needs a purchase order",
  ]);
  const before = { reasons: ["Wrong amount", "Not ours", "Duplicate", "Needs a purchase order"] };
  expect((await apiOf(ana).write("PUT", "/decline-reasons", before)).status()).toBe(200);
  await ben.goto("/settings/answers");
  await expect(ben.getByText("Only admins change how the organization answers.")).toBeVisible();
});

async function askTwo(ola: Page) {
  const id = newInvoiceId();
  const ids = [`${id}-A`, `${id}-B`] as const;
  const requests: string[] = [];
  for (const each of ids)
    requests.push(await openRequest(ola, (await startInvoice(ola, { id: each })).taskId));
  return { ids, requests: requests as [string, string] };
}

const rowOf = (page: Page, id: string) =>
  page.getByRole("region", { name: "Requests" }).getByRole("listitem").filter({ hasText: id });

/** Holds the next answer to a request on its way to the server, until the returned function says what becomes of it. */
async function holdAnswer(page: Page, requestId: string): Promise<(end: "continue" | "abort") => void> {
  const ended = Promise.withResolvers<"continue" | "abort">();
  let isFirst = true;
  await page.route(`**/api/v1/input-requests/${requestId}/answer`, async (route) => {
    const end = isFirst ? ended.promise : "continue";
    isFirst = false;
    await route[await end]();
  });
  return ended.resolve;
}

async function openFromList(page: Page, id: string): Promise<void> {
  await page.getByRole("region", { name: "Requests" }).getByRole("link", { name: id }).click();
  await expect(title(page)).toContainText(id);
}

async function readAnswered(page: Page, requestId: string) {
  await expect.poll(async () => (await readRequest(page, requestId)).answer, SOON).not.toBeNull();
  return readRequest(page, requestId);
}

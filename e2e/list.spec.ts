/** The list of requests: finding some of them, keeping a view, answering many at once, and news that come in. */
import type { Locator, Page } from "@playwright/test";
import type { RequestCounts } from "../lib/requests/lists/request-list-schema.ts";
import { checkAppearance, ON_A_PHONE, ON_DESKTOP } from "./fixtures/appearance.ts";
import {
  answer,
  apiOf,
  expect,
  expectToast,
  keysListen,
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

// Axe takes its time on a busy machine, and what is undone must not be sent meanwhile.
test.describe.configure({ timeout: 240_000 });
test.beforeAll(() => setUndoWindow(60_000));
test.afterAll(() => setUndoWindow(5_000));

const rows = (page: Page): Locator =>
  page
    .getByRole("region", { name: "Requests", exact: true })
    .getByRole("listitem")
    .filter({ has: page.locator("a") });
const bar = (page: Page): Locator => page.getByRole("region", { name: "Selected requests" });
const approve = (page: Page): Locator => requestPane(page).getByRole("button", { name: "Approve" });
const title = (page: Page): Locator => requestPane(page).getByRole("heading", { level: 2 }).first();

interface Asked {
  id: string;
  taskId: string;
  requestId: string;
}

/** Invoices whose ids share a beginning, each with its first question open; oldest first. */
async function askFor(page: Page, samples: ("acme" | "large")[]) {
  const prefix = newInvoiceId();
  const asked: Asked[] = [];
  for (const [at, sample] of samples.entries()) {
    const { id, taskId } = await startInvoice(page, { id: `${prefix}-${"ABCDEF"[at]}`, sample });
    asked.push({ id, taskId, requestId: await openRequest(page, taskId, id) });
  }
  return { prefix, asked };
}

test("what stands beside the list is of the list, so that no key decides a request that was searched away", async ({
  ola,
  ben,
}) => {
  const { asked } = await askFor(ola, ["acme", "large"]);
  const [one, other] = asked;
  const pane = ben.getByRole("region", { name: "Request", exact: true });
  const search = ben.getByRole("searchbox", { name: "Search requests" });
  await ben.goto("/inbox?tab=all");
  await expect(pane.getByRole("heading", { level: 2 })).not.toHaveCount(0);
  await search.fill(other!.id);
  await expect(rows(ben)).toHaveCount(1);
  // What was offered before is gone, and no key means it; the keys of the list open its first row.
  await expect(pane.getByRole("heading", { level: 2 })).toHaveCount(0);
  await ben.keyboard.press("Escape");
  await ben.keyboard.press("a");
  await ben.keyboard.press("j");
  await expect(pane).toContainText(other!.id);
  await search.fill(one!.id);
  await expect(rows(ben)).toContainText(one!.id);
  await expect(pane).not.toContainText(other!.id);
  await ben.keyboard.press("Escape");
  await ben.keyboard.press("a");
  await ben.keyboard.press("j");
  await expect(pane).toContainText(one!.id);
  await expect(pane.getByRole("button", { name: /Approve/ }).first()).toBeVisible();
  await search.fill("nothing-like-this");
  await expect(pane.getByText("No request matches")).toBeVisible();
});

test("the next requests are read ahead, so that J shows them at once", async ({ ola, ben }) => {
  const { prefix, asked } = await askFor(ola, ["acme", "acme", "acme"]);
  const read = Promise.all(
    asked
      .slice(1)
      .map(({ requestId }) =>
        ben.waitForResponse((response) => new URL(response.url()).pathname.endsWith(requestId)),
      ),
  );
  await ben.goto(`/inbox/${asked[0]!.requestId}?tab=all&q=${prefix}`);
  await expect(rows(ben)).toHaveCount(3);
  // At the first sign of use.
  await title(ben).hover();
  await read;
  await ben.route("**/api/v1/input-requests/*", (route) => route.abort());
  await ben.keyboard.press("j");
  await expect(title(ben)).toContainText(asked[1]!.id);
});

test("what is done says by a word and a colour how it was decided, the last decision first, and offers an undo to nobody else", async ({
  ola,
  ben,
  cleo,
}) => {
  const { prefix, asked } = await askFor(ola, ["acme", "acme"]);
  await answer(cleo, asked[1]!.requestId, { value: "approve" }, { holdMs: 60_000 });
  await answer(cleo, asked[0]!.requestId, { value: "reject" }, { holdMs: 60_000 });
  await ben.goto(`/inbox/${asked[0]!.requestId}?tab=done&q=${prefix}`);
  await expect(rows(ben).first()).toContainText("Rejected by Cleo · not sent yet");
  await expect(rows(ben).last()).toContainText("Approved by Cleo · not sent yet");
  await expect(requestPane(ben).getByRole("list", { name: "Delivery" })).toBeVisible();
  await expect(requestPane(ben).getByRole("button", { name: "Undo" })).toHaveCount(0);
  await checkAppearance(ben, "what is done");
  await cleo.goto(`/inbox/${asked[0]!.requestId}`);
  await expect(requestPane(cleo).getByRole("button", { name: "Undo" })).toBeVisible();
});

test("a request that is opened right after the last key of a search stays open", async ({ ola, ben }) => {
  const { asked } = await askFor(ola, ["acme"]);
  const { id } = asked[0]!;
  await ben.goto("/inbox?tab=all");
  const row = ben.getByRole("region", { name: "Requests" }).getByRole("link", { name: id });
  await row.waitFor();
  const search = ben.getByRole("searchbox", { name: "Search requests" });
  await search.fill(id);
  await row.click();
  await expect(ben).toHaveURL(new RegExp(`q=${id}`));
  await expect(rows(ben)).toHaveCount(1);
  await expect(title(ben)).toContainText(id);
});

test("requests are searched and filtered by amount, and a link keeps it", async ({ ola, ben }) => {
  const { prefix, asked } = await askFor(ola, ["acme", "large"]);
  await ben.goto("/inbox?tab=all");
  await ben.getByRole("searchbox", { name: "Search requests" }).fill(prefix);
  await expect(rows(ben)).toHaveCount(2);
  await expect(rows(ben).last()).toContainText("8,600.00");

  const filter = ben.getByRole("button", { name: "Filter" });
  await filter.click();
  const panel = ben.getByRole("dialog", { name: "Filter requests" });
  await expect(panel.getByLabel("Server")).toBeVisible();
  await checkAppearance(ben, "filters");
  await panel.getByLabel("Amount from").fill("5000");
  await panel.getByLabel("Ends within").selectOption({ label: "1 week" });
  await ben.keyboard.press("Escape");
  await expect(panel).toHaveCount(0);
  await expect(rows(ben)).toHaveCount(2);

  await filter.click();
  await panel.getByLabel("Amount from").fill("5000");
  await panel.getByLabel("Amount from").press("Enter");
  await expect(panel).toHaveCount(0);
  await expect(rows(ben)).toHaveCount(1);
  await expect(rows(ben)).toContainText(asked[1]!.id);
  await expect(
    ben.getByRole("navigation", { name: "Which requests" }).getByRole("link", { name: /^All/ }),
  ).toContainText("1");
  await ben.reload();
  await expect(rows(ben)).toHaveCount(1);
  await expect(ben.getByRole("searchbox")).toHaveValue(prefix);
  await checkAppearance(ben, "a filtered list");
  await ben.getByRole("button", { name: "Amount from 5,000.00: remove this filter" }).click();
  await expect(rows(ben)).toHaveCount(2);

  await ben.getByRole("button", { name: "Sort and layout" }).click();
  await ben.getByRole("menuitemradio", { name: "Largest amount" }).click();
  await expect(rows(ben).first()).toContainText(asked[1]!.id);
  await expect(ben).toHaveURL(/order=amount/);

  await ben.goto(`/inbox?tab=all&q=${prefix}&amountMin=1000000`);
  await expect(ben.getByText("Nothing matches these filters")).toBeVisible();
  await checkAppearance(ben, "no hits");
  await ben.getByRole("button", { name: "Clear filters" }).click();
  await expect(ben.getByRole("searchbox")).toHaveValue("");
  await expect(rows(ben).first()).toBeVisible();
});

test("a saved view outlives a reload, is shared, changed and deleted", async ({ ola, ben }) => {
  const { prefix } = await askFor(ola, ["acme", "large"]);
  const name = `Large of ${prefix}`;
  await ola.goto(`/inbox?tab=all&q=${prefix}&amountMin=5000`);
  await ola.getByRole("button", { name: "Saved views" }).click();
  await ola.getByRole("menuitem", { name: "Save this view…" }).click();
  const dialog = ola.getByRole("dialog", { name: "Save this view" });
  await expect(dialog.getByLabel("Name")).toBeFocused();
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Share with everyone").check();
  await checkAppearance(ola, "saving a view");
  await dialog.getByRole("button", { name: "Save view" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(ola.getByText(`View: ${name}`)).toBeVisible();
  await ola.reload();
  await expect(ola.getByText(`View: ${name}`)).toBeVisible();
  await expect(rows(ola)).toHaveCount(1);

  await ben.goto("/inbox");
  await ben.getByRole("button", { name: "Saved views" }).click();
  await checkAppearance(ben, "the menu of views");
  await ben.getByRole("menuitem", { name }).click();
  await expect(rows(ben)).toHaveCount(1);
  const address = ben.url();
  await ben.getByRole("button", { name: /Amount from.*remove/ }).click();
  await expect(rows(ben)).toHaveCount(2);
  await expect(ben.getByText("· changed")).toBeVisible();
  // The view is Ola's: Ben may save a copy, but not change hers.
  await expect(ben.getByRole("button", { name: "Save as…" })).toBeVisible();
  await ben.getByRole("button", { name: "Undo changes" }).click();
  await expect(rows(ben)).toHaveCount(1);

  await ola.getByRole("button", { name: "Saved views" }).click();
  await ola.getByRole("menuitem", { name: /^Delete/ }).click();
  await ola.getByRole("dialog").getByRole("button", { name: "Delete view" }).click();
  await expect(ola.getByText(`View: ${name}`)).toHaveCount(0);
  await ben.goto(address);
  await expect(ben.getByText("This view no longer exists")).toBeVisible();
  await expect(rows(ben)).toHaveCount(1);
  await checkAppearance(ben, "a view that was deleted");
});

test("many are answered with keys alone and taken back; one that a colleague was faster with is named", {
  tag: "@journey",
}, async ({ ola, ben, cleo }) => {
  const { prefix, asked } = await askFor(ola, ["acme", "acme", "acme"]);
  const keys = ben.keyboard;
  await ben.goto("/inbox?tab=all");
  await expect(rows(ben).first()).toBeVisible();
  await keysListen(ben);
  await keys.press("/");
  await keys.type(prefix);
  // A part of it may find the same rows: what is selected then would go with that search.
  await expect(ben).toHaveURL(new RegExp(`q=${prefix}(&|$)`));
  await expect(rows(ben)).toHaveCount(3);
  await keys.press("Escape");
  await keys.press("j");
  await expect(title(ben)).toContainText(asked[0]!.id);
  await keys.press("x");
  await expect(bar(ben)).toContainText("1 selected");
  await keys.press("j");
  await keys.press("j");
  await expect(title(ben)).toContainText(asked[2]!.id);
  await keys.press("Shift+X");
  await expect(bar(ben)).toContainText("3 selected");
  await checkAppearance(ben, "selected requests");

  await tabTo(ben, bar(ben).getByRole("button", { name: "Approve…" }));
  await keys.press("Enter");
  const dialog = ben.getByRole("dialog");
  await expect(dialog.getByText("3,000.00")).toBeVisible();
  await checkAppearance(ben, "answering many");
  await answer(cleo, asked[1]!.requestId, { value: "reject" });
  await tabTo(ben, dialog.getByRole("button", { name: "Approve 3 requests" }));
  await keys.press("Enter");
  await expect(dialog.getByText("2 recorded · 1 not recorded")).toBeVisible();
  await expect(dialog.getByText("Cleo answered first")).toBeVisible();
  await expect(dialog.getByRole("link", { name: "Look at it" })).toHaveAttribute(
    "href",
    `/inbox/${asked[1]!.requestId}`,
  );
  // The results stay until they are closed, even after their rows have left the list.
  await expect(rows(ben)).toHaveCount(0, SOON);
  await expect(dialog.getByRole("listitem")).toHaveCount(3);
  for (const [at, word] of ["approve", "reject", "approve"].entries())
    expect((await readRequest(ben, asked[at]!.requestId)).answer?.content).toEqual({ value: word });

  // What is taken back is open again, and can be declined together.
  await dialog.getByRole("button", { name: "Undo 2 answers" }).click();
  await expect(dialog.getByText("2 undone, nothing was sent · 1 not recorded")).toBeVisible();
  await checkAppearance(ben, "results of many, undone");
  await keys.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(bar(ben)).toHaveCount(0);
  await expect(rows(ben)).toHaveCount(2);
  for (const at of [0, 2])
    expect(await readRequest(ben, asked[at]!.requestId)).toMatchObject({ state: "open", answer: null });
  await rows(ben).first().hover();
  await rows(ben).first().getByRole("checkbox").click();
  await bar(ben).getByRole("button", { name: "Select all 2 similar requests" }).click();
  await expect(bar(ben)).toContainText("2 selected");
  await bar(ben).getByRole("button", { name: "Decline to answer…" }).click();
  await dialog.getByRole("button", { name: "Duplicate" }).click();
  await expect(dialog.getByRole("textbox")).toHaveValue("Duplicate");
  await dialog.getByRole("button", { name: "Decline 2 requests" }).click();
  await expect(dialog.getByText("2 recorded")).toBeVisible();
  await checkAppearance(ben, "results of many");
  for (const at of [0, 2])
    expect((await readRequest(ben, asked[at]!.requestId)).answer).toMatchObject({
      action: "decline",
      comment: "Duplicate",
    });
});

test("answers to many are followed until the server has accepted each, also with the dialog closed", async ({
  ola,
  ben,
}) => {
  await setUndoWindow(0);
  try {
    const { prefix } = await askFor(ola, ["acme", "acme", "acme", "acme"]);
    await ben.goto(`/inbox?tab=all&q=${prefix}`);
    const approveTwo = async () => {
      for (const at of [0, 1]) {
        await rows(ben).nth(at).hover();
        await rows(ben).nth(at).getByRole("checkbox").click();
      }
      await bar(ben).getByRole("button", { name: "Approve…" }).click();
      await ben.getByRole("dialog").getByRole("button", { name: "Approve 2 requests" }).click();
    };
    await approveTwo();
    await expect(ben.getByRole("dialog").getByText("2 accepted by Finance ERP")).toBeVisible(SOON);
    await expect(ben.getByRole("dialog").getByText("Accepted by the server")).toHaveCount(2);
    await checkAppearance(ben, "results of many, accepted");
    await ben.keyboard.press("Escape");

    // The answers are held while the dialog closes.
    await setUndoWindow(3_000);
    await ben.reload();
    await expect(rows(ben)).toHaveCount(2);
    await approveTwo();
    await expect(ben.getByRole("dialog").getByText("2 recorded")).toBeVisible();
    await ben.keyboard.press("Escape");
    await expectToast(ben, "2 accepted by Finance ERP");
  } finally {
    await setUndoWindow(60_000);
  }
});

test("a new request is announced, and no row moves under the pointer", async ({ ola, ben }) => {
  const { prefix, asked } = await askFor(ola, ["acme", "acme"]);
  await ben.goto(`/inbox?tab=all&q=${prefix}&order=newest`);
  await expect(rows(ben).first()).toContainText(asked[1]!.id);
  await rows(ben).first().hover();
  const before = await rows(ben).first().boundingBox();
  const later = await startInvoice(ola, { id: `${prefix}-Z` });
  await openRequest(ola, later.taskId, later.id);
  await expect(ben.getByText("1 new request since you opened this list")).toBeAttached(SOON);
  await expect(rows(ben)).toHaveCount(3);
  await expect(rows(ben).first()).toContainText(asked[1]!.id);
  expect(await rows(ben).first().boundingBox()).toEqual(before);
  await requestPane(ben).hover();
  await expect(rows(ben).first()).toContainText(later.id);
});

test("after a decision the next request opens, and at the end the inbox is empty", async ({ ola, ben }) => {
  const { prefix, asked } = await askFor(ola, ["acme", "acme", "acme"]);
  const [first, second, third] = asked as [Asked, Asked, Asked];
  await ben.goto(`/inbox/${first.requestId}?tab=all&q=${prefix}`);
  await expect(title(ben)).toContainText(first.id);
  await approve(ben).click();
  await expect(title(ben)).toContainText(second.id);
  await expect(title(ben)).toBeFocused();
  await expectNext(ben, first.id, new RegExp(`^Next: ${second.id} · `));
  await checkAppearance(ben, "what came next, on a phone", ON_A_PHONE);
  // What came next is told until another request is opened.
  await ben.setViewportSize(ON_A_PHONE[0]!.size);
  await ben.getByRole("button", { name: "Next request" }).click();
  await expect(title(ben)).toContainText(third.id);
  const told = ben.getByRole("status").or(ben.locator("[data-sonner-toast]"));
  await expect(told.filter({ hasText: `Next: ${second.id}` })).toHaveCount(0);

  await ben.setViewportSize(ON_DESKTOP[0]!.size);
  await approve(ben).click();
  await expect(title(ben)).toContainText(second.id);
  await lookAt(ben);
  await approve(ben).click();
  await expect(ben.getByRole("heading", { name: "Nothing left in this list" })).toBeVisible();
  await expectNext(ben, second.id, "Nothing left in this list");
  await checkAppearance(ben, "nothing left in this list");
});

test("while the list is read again, what was decided is not offered as the next request", async ({
  ola,
  ben,
}) => {
  const { prefix, asked } = await askFor(ola, ["acme", "acme", "acme"]);
  const [first, second, third] = asked as [Asked, Asked, Asked];
  await ben.goto(`/inbox/${third.requestId}?tab=all&q=${prefix}`);
  await expect(title(ben)).toContainText(third.id);
  const read = Promise.withResolvers<void>();
  await ben.route(/\/api\/v1\/input-requests\?/, async (route) => {
    await read.promise;
    await route.continue();
  });
  await approve(ben).click();
  await expect(title(ben)).toContainText(second.id);
  await expect(toastOf(ben, third.id)).toBeVisible();
  await expect(rows(ben).last()).toContainText("Approved by Ben");
  const next = requestPane(ben).getByRole("button", { name: /^(Next|Above): / });
  await expect(next).toHaveText(new RegExp(`^Above: ${first.id}`));
  await expect(requestPane(ben).getByText("Nothing else in this list")).toHaveCount(0);
  await lookAt(ben);
  await approve(ben).click();
  await expect(title(ben)).toContainText(first.id);
  await expect(toastOf(ben, second.id)).toBeVisible();
  await expect(requestPane(ben).getByText("Nothing else in this list")).toBeVisible();
  await expect(next).toHaveCount(0);
  read.resolve();
});

test("a toast covers no field and no button of the request, wide and on a phone", async ({ ola, ben }) => {
  const { prefix, asked } = await askFor(ola, ["acme", "acme", "acme"]);
  for (const [at, { size }] of [ON_DESKTOP[0]!, ON_A_PHONE[0]!].entries()) {
    // So low that the request has to be scrolled.
    await ben.setViewportSize({ ...size, height: 560 });
    await ben.goto(`/inbox/${asked[at]!.requestId}?tab=all&q=${prefix}`);
    await approve(ben).click();
    await expect(title(ben)).toContainText(asked[at + 1]!.id);
    await expect(toastOf(ben, asked[at]!.id)).toBeVisible();
    await expect.poll(() => coveredBy(toastOf(ben, asked[at]!.id))).toEqual([]);
  }
});

/** The controls of the request that stand under a toast, however far the request is scrolled. */
function coveredBy(toast: Locator): Promise<string[]> {
  return toast.evaluate((element) => {
    const over = element.getBoundingClientRect();
    const scroller = document.querySelector("#request .scroll-quiet")!;
    const covered = () => {
      const end = scroller.getBoundingClientRect().bottom;
      const controls = document.querySelectorAll("#request :is(button, a, input, textarea, select)");
      return [...controls].flatMap((control) => {
        const { top, left, right, bottom, width } = control.getBoundingClientRect();
        const seenTo = scroller.contains(control) ? Math.min(bottom, end) : bottom;
        const isBelow = top < seenTo && seenTo > over.top && top < over.bottom;
        return width > 1 && isBelow && right > over.left && left < over.right ? [control.outerHTML] : [];
      });
    };
    const found: string[] = [];
    for (let top = 0; top < scroller.scrollHeight; top += 20) {
      scroller.scrollTop = top;
      found.push(...covered());
    }
    scroller.scrollTop = 0;
    return found;
  });
}

const toastOf = (page: Page, decided: string): Locator =>
  page.locator("[data-sonner-toast]").filter({ hasText: `Approved ${decided} ·` });

/** The toast of a decision shows what came next; the inbox announces it, once. */
async function expectNext(page: Page, decided: string, words: string | RegExp) {
  const line = toastOf(page, decided).locator('[aria-hidden="true"]').getByText(words);
  await expect(line).toBeVisible();
  await expect(line).toBeInViewport();
  await expect(page.getByRole("status").filter({ hasText: words })).toHaveCount(1);
}

test("whoever moves on while a decision is recorded is left where they are", async ({ ola, ben }) => {
  const { prefix, asked } = await askFor(ola, ["acme", "acme", "acme"]);
  await ben.goto(`/inbox/${asked[0]!.requestId}?tab=all&q=${prefix}`);
  await expect(title(ben)).toContainText(asked[0]!.id);
  const moved = Promise.withResolvers<void>();
  await ben.route(`**/api/v1/input-requests/${asked[0]!.requestId}/answer`, async (route) => {
    await moved.promise;
    await route.continue();
  });
  await approve(ben).click();
  // The request below it, not the one that opens by default.
  await rows(ben).nth(2).locator("a").click();
  await expect(title(ben)).toContainText(asked[2]!.id);
  moved.resolve();
  await expect(ben.getByText(`Approved ${asked[0]!.id} ·`).first()).toBeVisible();
  await expect(title(ben)).toContainText(asked[2]!.id);
});

test("the title and the icon tell how many wait for this person", async ({ ola, ben }) => {
  await askFor(ola, ["acme"]);
  await ben.goto("/inbox");
  const { waiting } = await apiOf(ben).get<RequestCounts>("/input-requests/counts");
  const title = `Inbox (${waiting}) · Intray`;
  await expect(ben).toHaveTitle(title);
  const count = new RegExp(`\\D${waiting}\\b`);
  await expect(
    ben.getByRole("navigation", { name: "Which requests" }).getByRole("link", { name: /^For you/ }),
  ).toHaveAccessibleName(count);
  await expect(
    ben.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Inbox/ }),
  ).toHaveAccessibleName(count);
  // As Next does when the page's own title comes late.
  await ben.evaluate(() => {
    document.title = "Inbox · Intray";
  });
  await expect(ben).toHaveTitle(title);
  await expect(ben.locator('link[rel~="icon"]').first()).toHaveAttribute(
    "href",
    /^data:image\/svg\+xml,.*text/,
  );
  await ben.getByRole("link", { name: "Settings" }).first().click();
  await expect(ben.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(ben).not.toHaveTitle(/Inbox/);
});

test("the list is grouped, dense, and stepped through beside the request", async ({ ola, ben }) => {
  const { prefix, asked } = await askFor(ola, ["acme", "acme", "acme"]);
  // From a request that is not in the list, the arrow leads into it.
  await ben.goto(`/inbox/${asked[1]!.requestId}?tab=all&q=${asked[0]!.id}`);
  await expect(title(ben)).toContainText(asked[1]!.id);
  await ben.getByRole("button", { name: "Next request" }).click();
  await expect(title(ben)).toContainText(asked[0]!.id);
  await ben.goto(`/inbox/${asked[0]!.requestId}?tab=all&q=${prefix}`);
  await expect(rows(ben).first()).toContainText(/-A · .* · .*1,000\.00/);
  await expect(rows(ben).first()).toContainText("Finance ERP / process_invoice");
  const pane = ben.getByRole("region", { name: "Request", exact: true });
  await expect(pane.getByText("Request 1 of 3")).toBeVisible();
  await expect(pane.getByRole("button", { name: "Previous request" })).toBeDisabled();
  await pane.getByRole("button", { name: "Next request" }).click();
  await expect(title(ben)).toContainText(asked[1]!.id);
  await expect(pane.getByText("Request 2 of 3")).toBeVisible();
  await pane.getByRole("button", { name: `Next: ${asked[2]!.id}` }).click();
  await expect(title(ben)).toContainText(asked[2]!.id);
  await expect(pane.getByRole("button", { name: "Next request" })).toBeDisabled();

  const before = (await rows(ben).first().boundingBox())!;
  await ben.getByRole("button", { name: "Sort and layout" }).click();
  await ben.getByRole("group", { name: "Group by" }).getByRole("menuitemradio", { name: "Tool" }).click();
  await expect(rows(ben).first().getByRole("heading", { name: "process_invoice" })).toBeVisible();
  await expect(rows(ben).getByRole("heading")).toHaveCount(1);
  await expect(ben).toHaveURL(/group=tool/);
  await checkAppearance(ben, "a grouped list");
  await ben.getByRole("button", { name: "Sort and layout" }).click();
  await checkAppearance(ben, "the menu of order and layout");
  await ben.getByRole("menuitemradio", { name: "Compact" }).click();
  await expect
    .poll(async () => (await rows(ben).last().boundingBox())!.height)
    .toBeLessThan(before.height - 8);
  await ben.reload();
  await expect
    .poll(async () => (await rows(ben).last().boundingBox())!.height)
    .toBeLessThan(before.height - 8);
  await ben.request.patch("/api/v1/me/preferences", { data: { density: "comfortable" } });

  await ben.setViewportSize(ON_A_PHONE[0]!.size);
  await expect(pane.getByText("Request 3 of 3")).toBeVisible();
  await pane.getByRole("button", { name: "Previous request" }).click();
  await expect(title(ben)).toContainText(asked[1]!.id);
  await checkAppearance(ben, "a request with its position", ON_A_PHONE);
  await ben.setViewportSize(ON_A_PHONE[0]!.size);
  await ben.getByRole("button", { name: "Inbox", exact: true }).click();
  const tabs = ben.getByRole("navigation", { name: "Main" });
  await expect(tabs.getByRole("link")).toHaveText([/^Inbox|waitingInbox/, "Done", /Notifications$/, "Me"]);
  await tabs.getByRole("link", { name: "Done" }).click();
  await expect(tabs.getByRole("link", { name: "Done" })).toHaveAttribute("aria-current", "page");
  await expect(tabs.getByRole("link", { name: /Inbox/ })).not.toHaveAttribute("aria-current");
});

test("on a phone requests are selected by taps", async ({ ola, ben }) => {
  const { prefix } = await askFor(ola, ["acme", "acme"]);
  await ben.setViewportSize(ON_A_PHONE[0]!.size);
  await ben.goto(`/inbox?tab=all&q=${prefix}`);
  await ben.getByRole("button", { name: "Select requests" }).click();
  await rows(ben).first().locator("a").click();
  await rows(ben).last().locator("a").click();
  await expect(bar(ben)).toContainText("2 selected");
  await checkAppearance(ben, "selecting", ON_A_PHONE);
  await ben.setViewportSize(ON_A_PHONE[0]!.size);
  await ben.getByRole("button", { name: "Filter" }).click();
  await checkAppearance(ben, "the sheet of filters", ON_A_PHONE);
});

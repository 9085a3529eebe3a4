/** Every kind of field, filled in by keyboard alone, told to a screen reader, looked at by axe, and sent exactly. */
import type { Page } from "@playwright/test";
import { checkAppearance } from "./fixtures/appearance.ts";
import type { Kind } from "./fixtures/question-kinds.ts";
import { type Asked, ask, askForm } from "./fixtures/questions.ts";
import {
  expect,
  lookAt,
  openPageAs,
  readRequest,
  requestPane,
  SOON,
  setUndoWindow,
  tabTo,
  test,
} from "./fixtures/test.ts";

// Axe takes its time on a busy machine. Clocks change in Vienna, and not in UTC.
test.describe.configure({ timeout: 180_000 });
test.use({ timezoneId: "Europe/Vienna", locale: "en-US" });

// Answers go out at once: what becomes of those that are held is told in deciding.spec.ts.
test.beforeAll(() => setUndoWindow(0));
test.afterAll(() => setUndoWindow(5_000));

const form = (page: Page) => requestPane(page).getByRole("form", { name: "Your answer" });
const summary = (page: Page) =>
  requestPane(page)
    .getByRole("alert")
    .filter({ hasText: /Fix \d+ field/ });

async function openKind(ana: Page, ben: Page, kind: Kind): Promise<Asked> {
  const asked = await ask(ana, kind);
  await ben.goto(`/inbox/${asked.requestId}`);
  await expect(requestPane(ben).getByRole("heading", { name: "Details" })).toBeVisible();
  return asked;
}

/** To the button in the bar, from wherever the focus is, and Enter. */
async function send(page: Page): Promise<void> {
  // A request that came back after a refusal takes a press a moment later.
  await lookAt(page);
  await tabTo(page, page.getByRole("button", { name: "Send answer" }));
  await page.keyboard.press("Enter");
}

const arrives = (asked: Asked, answer: object) => expect.poll(asked.receivedAnswer, SOON).toEqual(answer);

test("a choice, a date and a note; what is missing is named, led to and mended", async ({ ana, ben }) => {
  const asked = await openKind(ana, ben, "grant_access");
  const role = form(ben).getByRole("radiogroup", { name: "Role" });
  await expect(role.getByRole("radio", { checked: true })).toHaveCount(0);
  await expect(role.getByRole("radio", { name: "Viewer Suggested by the server" })).toBeVisible();
  await checkAppearance(ben, "a choice, a date and a note");

  await send(ben);
  await expect(summary(ben)).toBeFocused();
  await expect(summary(ben)).toContainText("Fix 2 fields");
  await expect(role).toHaveAttribute("aria-invalid", "true");
  await expect(role).toHaveAccessibleDescription("Choose one");
  await checkAppearance(ben, "two errors");
  await tabTo(ben, summary(ben).getByRole("link", { name: "Role" }));
  await ben.keyboard.press("Enter");
  await expect(role.getByRole("radio").first()).toBeFocused();
  await ben.keyboard.press("ArrowDown");
  await expect(role.getByRole("radio", { name: "Editor" })).toBeChecked();
  await expect(summary(ben)).toContainText("Fix 1 field");

  const until = form(ben).getByLabel("Until");
  await expect(until).toHaveAccessibleDescription("Access ends that day. Required");
  await tabTo(ben, until);
  await ben.keyboard.type("1231");
  await tabTo(ben, form(ben).getByLabel("Note"));
  await expect(form(ben).getByText("A whole date: day, month and year").last()).toBeVisible();
  await until.focus();
  await ben.keyboard.type("12312026");
  await expect(summary(ben)).toHaveCount(0);
  await tabTo(ben, form(ben).getByLabel("Note"));
  await ben.keyboard.type("As agreed.\nUntil the year ends.");
  await send(ben);
  await arrives(asked, {
    action: "accept",
    content: { role: "editor", until: "2026-12-31", note: "As agreed.\nUntil the year ends." },
  });
});

test("A leads to the first field that is missing, and says so", async ({ ana, ben }) => {
  const asked = await openKind(ana, ben, "grant_access");
  await ben.keyboard.press("r");
  await expect(form(ben).getByRole("radio", { checked: true })).toHaveCount(0);
  await ben.keyboard.press("a");
  await expect(form(ben).getByRole("radio").first()).toBeFocused();
  await expect(requestPane(ben).getByText("Fill in “Role” first.")).toBeVisible();
  await ben.keyboard.press("Space");
  await expect(requestPane(ben).getByText("Fill in “Until” first.")).toBeVisible();
  await requestPane(ben).getByRole("heading", { level: 2 }).first().focus();
  await ben.keyboard.press("a");
  await expect(form(ben).getByLabel("Until")).toBeFocused();
  await ben.keyboard.type("12312026");
  await expect(requestPane(ben).getByText(/^Fill in/)).toHaveCount(0);
  await requestPane(ben).getByRole("heading", { level: 2 }).first().focus();
  await ben.keyboard.press("a");
  await ben.keyboard.press("Enter");
  await arrives(asked, { action: "accept", content: { role: "viewer", until: "2026-12-31" } });
});

test("several choices are counted, and too many are refused in words", async ({ ana, ben }) => {
  const asked = await openKind(ana, ben, "choose_regions");
  const group = form(ben).getByRole("group", { name: "Regions" });
  await expect(group).toHaveAccessibleDescription(
    "Two or three of them; each costs a tenth of the budget. Choose 2 to 3 · 0 of 4 chosen",
  );
  await expect(group.getByRole("checkbox", { checked: true })).toHaveCount(0);
  for (const box of await group.getByRole("checkbox").all()) {
    await tabTo(ben, box);
    await ben.keyboard.press("Space");
  }
  await send(ben);
  await expect(summary(ben)).toContainText("Choose at most 3");
  await checkAppearance(ben, "too many choices");
  await summary(ben).getByRole("link", { name: "Regions" }).focus();
  await ben.keyboard.press("Enter");
  await ben.keyboard.press("Space");
  await expect(group.getByRole("status")).toHaveText("Choose 2 to 3 · 3 of 4 chosen");
  await send(ben);
  await arrives(asked, { action: "accept", content: { regions: ["nordics", "uk", "us"] } });
});

test("dates, times in the person's zone, e-mail and addresses", async ({ ana, ben }) => {
  const asked = await openKind(ana, ben, "schedule");
  await tabTo(ben, form(ben).getByLabel("Day"));
  await ben.keyboard.type("11302026");
  const start = form(ben).getByLabel("Start");
  await expect(start).toHaveAccessibleDescription("In your time zone, Europe/Vienna");
  await tabTo(ben, start);
  // In this night the clocks go back, so times from two to three occur twice.
  await ben.keyboard.type("10252026");
  await ben.keyboard.press("Tab");
  await ben.keyboard.type("0230AM");
  const contact = form(ben).getByRole("textbox", { name: "Contact" });
  await expect(contact).toHaveAccessibleDescription("Suggested by the server");
  await tabTo(ben, form(ben).getByLabel("Runbook"));
  await ben.keyboard.type("example.com/run");
  await send(ben);
  await expect(summary(ben)).toContainText("The clocks show this time twice that night: choose which");
  await expect(summary(ben)).toContainText("A full address, such as https://example.com");
  await checkAppearance(ben, "dates and addresses");
  await expect(form(ben).getByRole("radio", { checked: true })).toHaveCount(0);
  await tabTo(ben, form(ben).getByRole("radio", { name: "Before the clocks change (UTC+02:00)" }));
  await ben.keyboard.press("ArrowDown");
  await expect(form(ben).getByRole("radio", { name: "After the clocks change (UTC+01:00)" })).toBeChecked();

  // Intray's own check here is weaker than the API's, whose words arrive in the same place.
  await contact.fill("ä@example.com");
  await form(ben).getByLabel("Runbook").fill("https://example.com/run");
  await send(ben);
  await expect(summary(ben)).toContainText("Contact must be an e-mail address.");
  await expect(summary(ben)).toBeFocused();
  await contact.fill("ana@example.com");
  await expect(summary(ben)).toHaveCount(0);
  await send(ben);
  await arrives(asked, {
    action: "accept",
    content: {
      day: "2026-11-30",
      start: "2026-10-25T02:30:00+01:00",
      contact: "ana@example.com",
      runbook: "https://example.com/run",
    },
  });
});

test("thirty fields are filled in from the first to the last", async ({ ana, ben }) => {
  const asked = await openKind(ana, ben, "onboard_vendor");
  await checkAppearance(ben, "thirty fields");
  await tabTo(ben, form(ben).getByRole("textbox", { name: "Text 01" }));
  const content: Record<string, unknown> = {};
  for (let at = 0; at < 30; at++) {
    const name = `f_${String(at + 1).padStart(2, "0")}`;
    if (at > 0) await ben.keyboard.press("Tab");
    const [keys, value] = [
      ["Ab", "Ab"],
      ["Ring 1\n1010", "Ring 1\n1010"],
      ["1 000", 1000],
      // In an optional group "No answer" is preselected, and arrows wrap around.
      ["ArrowDown", name !== "f_10"],
      ["ArrowDown", "small"],
      ["I", "IE"],
    ][at % 6] as [string, unknown];
    if (keys.startsWith("Arrow")) await ben.keyboard.press(keys);
    else await ben.keyboard.type(keys);
    content[name] = value;
  }
  await send(ben);
  await arrives(asked, { action: "accept", content });
});

test("a half-filled form and its comment outlive the browser, and nothing is sent", async ({
  ana,
  browser,
}) => {
  const asked = await ask(ana, "grant_access");
  const before = await openPageAs(browser, "Ben");
  await before.goto(`/inbox/${asked.requestId}`);
  await form(before).getByLabel("Note").fill("Ask Dana first");
  await form(before).getByRole("radio", { name: "Owner" }).check();
  await requestPane(before).getByRole("button", { name: "Add a comment…" }).click();
  await requestPane(before).getByLabel("Your comment").fill("Only for the audit");
  await expect(before.getByText("Draft saved")).toBeVisible();
  await form(before).getByLabel("Note").fill("Ask Dana first, then close at once");
  // Leaves before the last keys are saved as a draft; what leaves with the page is sent while the browser still runs.
  await before.goto("about:blank");
  const after = await openPageAs(browser, "Ben");
  await expect
    .poll(async () => (await readRequest(after, asked.requestId)).draft?.content.note)
    .toBe("Ask Dana first, then close at once");
  await before.context().close();
  await after.goto(`/inbox/${asked.requestId}`);
  await expect(form(after).getByLabel("Note")).toHaveValue("Ask Dana first, then close at once");
  await expect(form(after).getByRole("radio", { name: "Owner" })).toBeChecked();
  await expect(requestPane(after).getByLabel("Your comment")).toHaveValue("Only for the audit");
  await expect(form(after).getByText("Your draft of")).toBeVisible();
  await checkAppearance(after, "a draft");
  expect(await asked.receivedAnswer()).toBeUndefined();
  expect(await readRequest(after, asked.requestId)).toMatchObject({ state: "open", answer: null });

  await form(after).getByRole("button", { name: "Discard" }).click();
  await expect(form(after).getByLabel("Note")).toHaveValue("");
  await expect(form(after).getByRole("radio", { checked: true })).toHaveCount(0);
  await expect.poll(async () => (await readRequest(after, asked.requestId)).draft).toBeNull();
  await after.context().close();
});

test("of two tabs the later draft wins, and neither eats what was typed in the other", async ({
  ana,
  ben,
}) => {
  const asked = await ask(ana, "grant_access");
  await ben.goto(`/inbox/${asked.requestId}`);
  const second = await ben.context().newPage();
  await second.goto(`/inbox/${asked.requestId}`);
  await form(ben).getByLabel("Note").fill("typed first");
  await expect(form(ben).getByText("Draft saved")).toBeVisible();
  await second.bringToFront();
  await expect(form(second).getByLabel("Note")).toHaveValue("typed first", { timeout: 60_000 });
  await form(second).getByRole("radio", { name: "Editor" }).check();
  await form(second).getByLabel("Note").fill("typed second");
  const kept = async () => (await readRequest(ben, asked.requestId)).draft?.content.note;
  await expect.poll(kept).toBe("typed second");
  await ben.bringToFront();
  await expect(form(ben).getByRole("radio", { name: "Editor" })).toBeChecked({ timeout: 60_000 });
  await expect(form(ben).getByLabel("Note")).toHaveValue("typed first");
  expect(await kept()).toBe("typed second");
});

test("what asks for a secret, or can't be shown, is declined with a reason", async ({ ana, ben }) => {
  for (const kind of ["rotate_key", "map_columns"] as const) {
    const asked = await openKind(ana, ben, kind);
    await expect(requestPane(ben).getByText("Intray can’t display this form")).toBeVisible();
    await expect(requestPane(ben).getByRole("form")).toHaveCount(0);
    await checkAppearance(ben, kind);
    await ben.keyboard.press("d");
    await expect(ben.getByRole("dialog").getByRole("textbox", { name: "Reason" })).toBeFocused();
    await ben.keyboard.type("Not like this");
    await ben.keyboard.press("Control+Enter");
    await arrives(asked, { action: "decline" });
  }
});

test("a name that a library would read as a path, and one that every object has, arrive as they are", async ({
  ana,
  ben,
}) => {
  const text = (title: string) => ({ type: "string", title });
  const properties = { "a.b[0]": text("Path"), constructor: text("Builder"), "": text("Nothing") };
  const asked = await askForm(ana, "Odd names?", { type: "object", properties, required: ["constructor"] });
  await ben.goto(`/inbox/${asked.requestId}`);
  for (const title of ["Path", "Builder", "Nothing"]) await form(ben).getByLabel(title).fill(title);
  await send(ben);
  await arrives(asked, {
    action: "accept",
    content: { "a.b[0]": "Path", constructor: "Builder", "": "Nothing" },
  });
});

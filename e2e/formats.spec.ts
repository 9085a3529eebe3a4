/** Dates, times and numbers: one format on every page, as the browser asks or as the person chose. */
import type { Page } from "@playwright/test";
import { checkAppearance } from "./fixtures/appearance.ts";
import { askForm } from "./fixtures/questions.ts";
import {
  answer,
  apiOf,
  deliverySteps,
  expect,
  openRequest,
  requestPane,
  SOON,
  startInvoice,
  test,
} from "./fixtures/test.ts";

// The server's zone is another. A page that the browser renders otherwise than the server fails its test.
test.use({ locale: "de-DE", timezoneId: "Asia/Tokyo" });

const EXACT = /^\d{1,2}\. \p{L}+\.? \d{4}, \d{2}:\d{2}:\d{2} GMT\+9$/u;

/** Expects every exact time of the page, which hovering shows, in the one format. */
async function expectTimes(page: Page): Promise<void> {
  const times = page.getByRole("main").locator("time[title]");
  await expect(times.first()).toBeAttached();
  for (const title of await times.evaluateAll((all) => all.map((each) => each.getAttribute("title"))))
    expect(title).toMatch(EXACT);
}

/** Times of today, without those in folded parts. */
const clocks = (page: Page) =>
  page
    .getByRole("main")
    .locator("time")
    .filter({ hasText: /^\d{2}:\d{2}:\d{2}$/, visible: true });

test("a German browser sees German dates and numbers in list, request and history, from the first render on", async ({
  ana,
  ben,
}) => {
  const { id, taskId } = await startInvoice(ana);
  const requestId = await openRequest(ana, taskId);
  const response = await ben.goto(`/inbox/${requestId}?tab=all`);
  const html = (await response?.text())?.replace(/<script[\s\S]*?<\/script>/g, "") ?? "";
  expect(html).toContain("$1.000,00");
  expect(html).not.toContain("$1,000.00");
  const row = ben.getByRole("region", { name: "Requests" }).getByRole("link", { name: id });
  await expect(row).toContainText("$1.000,00");
  const pane = requestPane(ben);
  await expect(pane.getByRole("table").getByRole("row").nth(3)).toHaveText(
    /^Widget C\d+\. [A-Z]\S+ 20\d\d.*300,00$/,
  );
  await expect(pane.locator("tfoot")).toContainText("1.000,00");
  await expectTimes(ben);
  await checkAppearance(ben, "a request in German formats");

  await answer(ben, requestId, { value: "approve" });
  await ben.goto(`/inbox/${requestId}?tab=done`);
  await expect(deliverySteps(ben).first()).toContainText(/\d{2}:\d{2}:\d{2}$/);
  await expectTimes(ben);

  await ana.goto(`/tasks/${taskId}`);
  await expect(clocks(ana).first()).toBeVisible(SOON);
  await expectTimes(ana);
  await ana.goto("/activity?from=2026-04-03");
  await expect(ana.getByLabel("From")).toHaveAccessibleDescription("3. Apr. 2026");
  await expect(clocks(ana).first()).toBeVisible();
  await expectTimes(ana);
  await checkAppearance(ana, "the activity in German formats");
  await ana.goto("/tasks?createdAfter=2026-03-03T20:30:00.000Z");
  await expect(ana.getByText("Started after 4. März 2026, 05:30")).toBeVisible();
});

test("inputs of dates and numbers say in words what was put in", async ({ ana, ben }) => {
  const { requestId } = await askForm(ana, "When, and how much?", {
    type: "object",
    properties: {
      day: { type: "string", format: "date", title: "Day" },
      start: { type: "string", format: "date-time", title: "Start" },
      rate: { type: "number", title: "Rate" },
    },
  });
  await ben.goto(`/inbox/${requestId}`);
  const form = requestPane(ben).getByRole("form", { name: "Your answer" });
  await form.getByLabel("Day").fill("2026-04-03");
  await expect(form.getByLabel("Day")).toHaveAccessibleDescription("3. Apr. 2026");
  await form.getByLabel("Start").fill("2026-03-04T15:05");
  await expect(form.getByLabel("Start")).toHaveAccessibleDescription(
    "4. März 2026, 15:05 · In your time zone, Asia/Tokyo (UTC+09:00)",
  );
  await form.getByLabel("Rate").fill("1.500");
  await expect(form.getByLabel("Rate")).toHaveAccessibleDescription("Read as 1,5");
  await form.getByLabel("Rate").fill("1500");
  await expect(form.getByLabel("Rate")).toHaveAccessibleDescription("Read as 1.500");
  await checkAppearance(ben, "inputs in words");
});

test("what a person chose goes before what the browser asks for", async ({ ana }) => {
  await ana.goto("/settings/appearance");
  const section = ana.getByRole("region", { name: "Dates and numbers" });
  const format = section.getByRole("combobox", { name: "Format" });
  await expect(section.getByText("1.234.567,80")).toBeVisible();
  // Shown once the page's scripts run.
  await expect(section.getByText(EXACT)).toBeVisible();
  await expect(format.locator("option:checked")).toHaveText("As the browser asks (Deutsch)");
  const saved = ana.waitForResponse("**/api/v1/me/preferences");
  await format.selectOption({ label: "English (US)" });
  await expect(section.getByText("1,234,567.80")).toBeVisible();
  expect((await saved).status()).toBe(200);
  await checkAppearance(ana, "dates and numbers");
  await ana.reload();
  await expect(section.getByText(/^\w{3} \d{1,2}, \d{4}, \d{1,2}:\d{2}:\d{2}\s[AP]M GMT\+9$/)).toBeVisible();
  await apiOf(ana).write("PATCH", "/me/preferences", { locale: null });
});

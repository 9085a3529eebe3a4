/** Time: an admin sets working hours, and a request's card says by when, what happens by itself, and what has. */
import type { SavedCalendar } from "../lib/policy/calendar/calendar-schema.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { savePolicy } from "./fixtures/policy.ts";
import {
  apiOf,
  expect,
  newInvoiceId,
  openRequest,
  readRequest,
  requestPane,
  SOON,
  startInvoice,
  test,
} from "./fixtures/test.ts";

/** Other files share this Intray. */
test.afterEach(async ({ ana }) => {
  await savePolicy(ana, { rules: [] });
  const { version } = await apiOf(ana).get<SavedCalendar>("/calendar");
  const headers = { origin: process.env.E2E_URL ?? "", "if-match": String(version) };
  const saved = await ana.request.fetch("/api/v1/calendar", {
    method: "PUT",
    data: { calendar: null },
    headers,
  });
  expect(saved.status(), await saved.text()).toBe(200);
});

test("an admin sets working hours, and is told which field is wrong", { tag: "@journey" }, async ({
  ana,
}) => {
  await ana.goto("/settings/calendar");
  await ana.getByRole("button", { name: "Set working hours" }).click();
  await ana.getByLabel("Time zone").selectOption("Europe/Berlin");
  await ana.getByLabel("Monday").fill("17:00-09:00");
  await ana.getByLabel("Holidays").fill("2026-12-25 Christmas Day\n2026-02-30 Never");
  await ana.getByRole("button", { name: "Save calendar" }).click();
  await expect(ana.getByText("It has to end after it begins")).toBeVisible();
  await expect(ana.getByText(/“2026-02-30”: Use a date/)).toBeVisible();
  await checkAppearance(ana, "calendar, wrong");
  await ana.getByLabel("Monday").fill("09:00-12:00, 13:00-17:00");
  await ana.getByLabel("Holidays").fill("2026-12-25 Christmas Day");
  await ana.getByRole("button", { name: "Save calendar" }).click();
  await expect(ana.getByText(/changed it/)).toBeVisible();
  await checkAppearance(ana, "calendar, saved");
  await ana.reload();
  await expect(ana.getByLabel("Monday")).toHaveValue("09:00-12:00, 13:00-17:00");
  await ana.getByRole("button", { name: "Use no calendar" }).click();
  await ana.getByRole("button", { name: "Save calendar" }).click();
  await expect(ana.getByText("All time is working time.", { exact: true })).toBeVisible();
  await ana.goto("/activity");
  await expect(ana.getByText("Ana removed the working calendar").first()).toBeVisible();
});

test("an admin takes holidays from a file, sees each before it is saved, and what was left out", async ({
  ana,
}) => {
  const year = new Date().getUTCFullYear() + 1;
  const event = (...lines: string[]) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"];
  const text = [
    "BEGIN:VCALENDAR",
    ...event("SUMMARY:Christmas Day", `DTSTART;VALUE=DATE:${year}1225`, `DTEND;VALUE=DATE:${year}1226`),
    ...event("SUMMARY:Between the years", `DTSTART;VALUE=DATE:${year}1228`, `DTEND;VALUE=DATE:${year}1231`),
    ...event("SUMMARY:Over", "DTSTART;VALUE=DATE:20200101"),
    ...event("SUMMARY:Party", `DTSTART:${year}1218T180000Z`),
    "END:VCALENDAR",
  ].join("\r\n");
  const choose = (name: string, content: string) =>
    ana
      .getByLabel("Calendar file")
      .setInputFiles({ name, mimeType: "text/calendar", buffer: Buffer.from(content) });
  await ana.goto("/settings/calendar");
  await ana.getByRole("button", { name: "Set working hours" }).click();
  await ana.getByLabel("Holidays").fill(`${year}-12-25 Christmas`);
  await choose("list.csv", "date,name");
  await expect(ana.getByText("This is no calendar file (.ics)")).toBeVisible();
  await choose("holidays.ics", text);
  const found = ana.getByRole("region", { name: "4 holidays in holidays.ics" });
  await expect(
    found.getByRole("checkbox", { name: `${year}-12-25 Christmas Day · already a holiday` }),
  ).toBeDisabled();
  await found.getByRole("checkbox", { name: `${year}-12-29 Between the years` }).uncheck();
  await expect(found.getByText("1 day before today left out.")).toBeVisible();
  await found.getByText("1 event left out").click();
  await expect(found.getByText("Party: It has a time of day")).toBeVisible();
  await checkAppearance(ana, "calendar, holidays of a file");
  await found.getByRole("button", { name: "Add 2 holidays" }).click();
  await expect(ana.getByLabel("Holidays")).toHaveValue(
    `${year}-12-25 Christmas\n${year}-12-28 Between the years\n${year}-12-30 Between the years`,
  );
  await ana.getByRole("button", { name: "Save calendar" }).click();
  await expect(ana.getByText(/changed it/)).toBeVisible();
});

test("the card says by when, and who is reminded within a minute", async ({ ana, ben, ola }) => {
  const id = newInvoiceId();
  const approvers = { roles: ["approver"] };
  const stage = {
    name: "Approvers",
    approvers,
    remind: ["1m!"],
    escalate: { after: "2d", to: { roles: ["owner"] } },
  };
  const expire = JSON.parse('{ "after": "30d", "then": "cancel" }') as object;
  const when = `task.label.contains("${id}")`;
  await savePolicy(ana, { rules: [{ name: "In time", when, stages: [stage], due: "1m!", expire }] });
  const { taskId } = await startInvoice(ola, { id });
  const requestId = await openRequest(ola, taskId);
  await ben.goto(`/inbox/${requestId}?tab=all&q=${id}`);
  const votes = requestPane(ben).getByRole("region", { name: "Votes" });
  await expect(votes.getByText(/Due in/)).toBeVisible(SOON);
  await expect(votes.getByText(/Reminder in/)).toBeVisible();
  await expect(votes.getByText(/Unless decided, the task is cancelled in/)).toBeVisible();
  await expect(votes.getByText("Overdue")).toBeVisible({ timeout: 90_000 });
  await expect(votes.getByText(/Reminded .*Ben/)).toBeVisible({ timeout: 30_000 });
  await expect(votes.getByText(/More people are asked in/)).toBeVisible();
  await checkAppearance(ben, "card, overdue");
  await ben.goto("/inbox?overdue=true");
  await expect(ben.getByText("Overdue", { exact: true }).first()).toBeVisible();
  expect((await readRequest(ben, requestId)).approval?.stages[0]?.reminded).toHaveLength(1);
  // What is due is on top, and the overview says of its rule that it is overdue.
  await ben.goto("/inbox?tab=all");
  await ben.getByRole("button", { name: "Sort and layout" }).click();
  await ben.getByRole("menuitemradio", { name: "Due soonest" }).click();
  await expect(ben).toHaveURL(/order=due/);
  await ola.goto("/overview");
  const rules = ola.getByRole("region", { name: "Decisions by rule" });
  await expect(rules.getByRole("row", { name: /^In time 1 0/ })).toBeVisible(SOON);
  await checkAppearance(ola, "overview, decisions by rule");
  await rules.getByRole("link", { name: /^[0-9]+ overdue/ }).click();
  await expect(ola).toHaveURL(/overdue=true/);
});

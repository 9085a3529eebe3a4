import { expect, test } from "vitest";
import { withRecentDueDates } from "./sample-invoice.ts";

const invoice = {
  lines: ["2024-06-30", "2027-02-28", "2024-07-05"].map((day) => ({ due_date: `${day}T00:00:00Z` })),
};
const due = (today: string) =>
  withRecentDueDates(invoice, Date.parse(today)).lines.map((line) => line.due_date.slice(0, 10));

test("what has passed was due yesterday, what is to come stays", () => {
  expect(due("2026-11-27T12:00:00Z")).toEqual(["2026-11-26", "2027-02-28", "2026-11-26"]);
});

test("one line is always to come, whenever the sample is read", () => {
  expect(due("2027-03-01T12:00:00Z")).toEqual(["2027-02-28", "2027-05-30", "2027-02-28"]);
  expect(due("2035-01-01T12:00:00Z")).toEqual(["2034-12-31", "2035-04-01", "2034-12-31"]);
});

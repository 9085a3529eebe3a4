import { expect, test } from "vitest";
import { snoozeTimes, timeOf } from "./snooze-dialog.tsx";

const said = (now: Date) =>
  snoozeTimes(now).map(({ words, at }) => [
    words,
    at.getDay(),
    `${at.getHours()}:${String(at.getMinutes()).padStart(2, "0")}`,
  ]);

test.each<[string, Date, (string | number)[][]]>([
  [
    "on a Wednesday",
    new Date(2026, 10, 25, 14, 30),
    [
      ["In 1 hour", 3, "15:30"],
      ["In 4 hours", 3, "18:30"],
      ["Tomorrow morning", 4, "9:00"],
      ["Monday morning", 1, "9:00"],
    ],
  ],
  [
    "on a Sunday, when tomorrow is Monday",
    new Date(2026, 10, 29, 8, 0),
    [
      ["In 1 hour", 0, "9:00"],
      ["In 4 hours", 0, "12:00"],
      ["Tomorrow morning", 1, "9:00"],
    ],
  ],
  [
    "on a Monday, which means the next one",
    new Date(2026, 10, 30, 10, 0),
    [
      ["In 1 hour", 1, "11:00"],
      ["In 4 hours", 1, "14:00"],
      ["Tomorrow morning", 2, "9:00"],
      ["Monday morning", 1, "9:00"],
    ],
  ],
])("%s", (_, now, expected) => {
  expect(said(now)).toEqual(expected);
  for (const { at } of snoozeTimes(now)) expect(at.getTime()).toBeGreaterThan(now.getTime());
});

test("a field without a time says none", () => {
  expect(timeOf("")).toBeNull();
  expect(timeOf("soon")).toBeNull();
  expect(timeOf("2026-11-25T14:30")).toEqual(new Date(2026, 10, 25, 14, 30));
});

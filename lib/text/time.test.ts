import { describe, expect, test } from "vitest";
import { exactDuration, formatAge, formatDuration } from "./duration.ts";
import { formatAgo, formatAhead, formatPast, isDateOnly, isDateText, isZoned, momentOf } from "./time.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");

describe("durations", () => {
  test.each([
    [400, "0.4 s"],
    [48_000, "48 s"],
    [300_000, "5 min"],
    [3_600_000, "1 h"],
    [7_800_000, "2 h 10 min"],
    [428_400_000, "4 d 23 h"],
    [90 * 86_400_000 + 3_600_000, "90 d"],
    [-5, "0.0 s"],
  ])("%d ms is %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
  test.each([
    [500, "0.5 s"],
    [20_000, "20 s"],
    [60_000, "1 min"],
    [110_000, "1 min 50 s"],
    [180_000, "3 min"],
    [210_000, "3 min 30 s"],
    [90_250, "1 min 30.25 s"],
  ])("%d ms are exactly %s", (ms, text) => {
    expect(exactDuration(ms)).toBe(text);
  });
  test("an age is its largest unit", () => {
    expect([999, 61_000, 200_000_000].map(formatAge)).toEqual(["0 s", "1 min", "2 d"]);
  });
});

describe("times", () => {
  test("are told from now", () => {
    expect(formatAgo("2026-11-21T11:56:00Z", NOW)).toBe("4 min ago");
    expect(formatAgo("2026-11-21T12:00:30Z", NOW)).toBe("just now");
  });
  test.each([
    ["2024-06-30", true],
    ["2024-06-30T00:00:00Z", true],
    ["2024-06-30T00:00:00.000+00:00", true],
    ["2024-06-30T00:00:00+02:00", false],
    ["2024-06-30T08:00:00Z", false],
  ])("%s is a date without a time: %s", (text, alone) => {
    expect(isDateOnly(text)).toBe(alone);
  });
  test.each([
    ["2027-02-28T00:00:00Z", "in 3 months"],
    ["2026-11-26", "in 5 days"],
    ["2026-11-29", "in 8 days"],
    ["2026-11-22", "in 1 day"],
    ["2026-11-21", null],
    ["2026-12-20", "in 4 weeks"],
    ["2029-11-21", "in 3 years"],
    ["2026-11-22T13:00:00Z", "in 1 day"],
    ["2024-06-30", null],
  ])("%s lies %s", (text, words) => {
    expect(formatAhead(text, NOW)).toBe(words);
  });
  test.each([
    ["2026-11-16", "5 days overdue"],
    ["2026-10-01", "7 weeks overdue"],
    ["2026-06-01", "6 months overdue"],
    ["2024-06-30", "2 years overdue"],
    ["2026-11-21", null],
    ["2026-11-22", null],
  ])("%s was due, and is %s", (text, words) => {
    expect(formatPast(text, NOW, "overdue")).toBe(words);
  });
  test.each([
    ["2024-06-30", true],
    ["2024-02-29T08:00:00+02:00", true],
    ["2024-06-30T08:00", true],
    ["0000-06-15", false],
    ["0026-11-30", false],
    ["0001-01-01T00:00+14:00", false],
    ["9999-12-31T23:00-12:00", false],
    ["2024-13-45", false],
    ["2026-02-30", false],
    ["2026-02-29T00:00:00Z", false],
    ["2026-04-31T23:00:00-11:00", false],
    ["2026-04-30T24:00:00Z", false],
    ["4812", false],
    ["June", false],
  ])("%s is a date: %s", (text, isDate) => {
    expect(isDateText(text)).toBe(isDate);
  });
  test("a time without a zone is no moment: it is compared as if it were UTC, in every zone", () => {
    expect(isZoned("2026-11-20T13:00:00")).toBe(false);
    expect(["2026-11-20T13:00Z", "2026-11-20T13:00:00-0500"].map(isZoned)).toEqual([true, true]);
    expect(momentOf("2026-11-20T13:00:00")).toBe(Date.parse("2026-11-20T13:00:00Z"));
    expect(momentOf("2026-11-20")).toBe(Date.parse("2026-11-20T00:00:00Z"));
    expect(momentOf("2026-11-20T13:00:00+02:00")).toBe(Date.parse("2026-11-20T11:00:00Z"));
  });
});

import { describe, expect, test } from "vitest";
import { officeHours } from "../../policy/calendar/calendar-words.ts";
import { dayIn, isWorkingDay, nextDue } from "./digest-times.ts";

describe("a digest is next due", () => {
  test.each<[string, { hour: number; zone: string }, string, string | null, string]>([
    ["later today", { hour: 8, zone: "Europe/Vienna" }, "2026-12-01T06:00Z", null, "2026-12-01T07:00Z"],
    ["tomorrow at the hour itself", { hour: 8, zone: "UTC" }, "2026-12-01T08:00Z", null, "2026-12-02T08:00Z"],
    [
      "tomorrow, where today's has gone out",
      { hour: 18, zone: "UTC" },
      "2026-12-01T09:00Z",
      "2026-12-01",
      "2026-12-02T18:00Z",
    ],
    [
      "by the day of the zone, not of UTC",
      { hour: 8, zone: "Pacific/Auckland" },
      "2026-12-01T20:00Z",
      "2026-12-01",
      "2026-12-02T19:00Z",
    ],
    [
      "after a move to the west, on a day without one",
      { hour: 8, zone: "Pacific/Honolulu" },
      "2026-12-01T20:00Z",
      "2026-12-02",
      "2026-12-03T18:00Z",
    ],
    [
      "an hour later where the clocks skip it",
      { hour: 2, zone: "Europe/Vienna" },
      "2026-03-28T12:00Z",
      null,
      "2026-03-29T01:00Z",
    ],
    [
      "at the hour again on the day after",
      { hour: 2, zone: "Europe/Vienna" },
      "2026-03-29T01:00Z",
      "2026-03-29",
      "2026-03-30T00:00Z",
    ],
    [
      "at the first of two such hours",
      { hour: 2, zone: "Europe/Vienna" },
      "2026-10-24T12:00Z",
      null,
      "2026-10-25T00:00Z",
    ],
    [
      "not at the second of them",
      { hour: 2, zone: "Europe/Vienna" },
      "2026-10-25T00:00:01Z",
      "2026-10-25",
      "2026-10-26T01:00Z",
    ],
    [
      "not at the second of them, also if the first sent nothing",
      { hour: 2, zone: "Europe/Vienna" },
      "2026-10-25T00:00:01Z",
      null,
      "2026-10-26T01:00Z",
    ],
    [
      "on the next day that the zone has",
      { hour: 9, zone: "Pacific/Apia" },
      "2011-12-29T20:00Z",
      "2011-12-29",
      "2011-12-30T19:00Z",
    ],
    [
      "at midnight where midnight is skipped: at one",
      { hour: 0, zone: "America/Santiago" },
      "2026-09-05T12:00Z",
      null,
      "2026-09-06T04:00Z",
    ],
  ])("%s", (_, at, now, lastDay, expected) => {
    expect(nextDue(at, new Date(now), lastDay)).toEqual(new Date(expected));
  });

  test("once on each day of two years, in zones with every kind of clock change", () => {
    for (const zone of [
      "Europe/Vienna",
      "Australia/Lord_Howe",
      "America/Santiago",
      "Africa/Casablanca",
      "Pacific/Apia",
    ])
      for (const hour of [0, 2, 23]) {
        let now = new Date("2011-01-01T00:00Z");
        let lastDay: string | null = null;
        const days = new Set<string>();
        for (let count = 0; count < 730; count++) {
          now = nextDue({ hour, zone }, now, lastDay);
          lastDay = dayIn(zone, now);
          days.add(lastDay);
        }
        expect(days.size).toBe(730);
        // Apia left out one day of 2011.
        const took = Math.round((now.getTime() - Date.parse("2011-01-01T00:00Z")) / 86_400_000);
        expect(Math.abs(took - 730)).toBeLessThanOrEqual(1);
      }
  });
});

test.each([
  ["a Tuesday", "2026-12-01", true],
  ["a Saturday", "2026-12-05", false],
  ["a holiday", "2026-12-08", false],
])("%s is a working day of the organization or is none", (_, day, expected) => {
  const calendar = { ...officeHours("Europe/Vienna"), holidays: [{ date: "2026-12-08", name: "Holiday" }] };
  expect(isWorkingDay(calendar, day)).toBe(expected);
  expect(isWorkingDay(null, day)).toBe(day !== "2026-12-05");
});

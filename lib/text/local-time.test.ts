import { describe, expect, test } from "vitest";
import { instantsOf, keptOffsetAt, offsetAt, offsetOf, wallOf } from "./local-time.ts";

describe("a wall time names", () => {
  test.each<[string, string, string, string[]]>([
    ["one instant in winter", "2026-11-21T14:00", "Europe/Vienna", ["2026-11-21T14:00:00+01:00"]],
    ["one in summer", "2026-07-01T14:00", "Europe/Vienna", ["2026-07-01T14:00:00+02:00"]],
    ["one with seconds", "2026-07-01T14:00:05", "Asia/Kolkata", ["2026-07-01T14:00:05+05:30"]],
    ["one west of Greenwich", "2026-11-21T14:00", "America/St_Johns", ["2026-11-21T14:00:00-03:30"]],
    ["one in UTC", "2026-11-21T14:00", "UTC", ["2026-11-21T14:00:00+00:00"]],
    ["none that the clocks skip", "2026-03-29T02:30", "Europe/Vienna", []],
    ["one just before the gap", "2026-03-29T01:59", "Europe/Vienna", ["2026-03-29T01:59:00+01:00"]],
    ["one just after the gap", "2026-03-29T03:00", "Europe/Vienna", ["2026-03-29T03:00:00+02:00"]],
    [
      "two that the clocks show twice, the earlier first",
      "2026-10-25T02:30",
      "Europe/Vienna",
      ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"],
    ],
    [
      "two where half an hour is shown twice",
      "2026-04-05T01:45",
      "Australia/Lord_Howe",
      ["2026-04-05T01:45:00+11:00", "2026-04-05T01:45:00+10:30"],
    ],
    ["none on a day that a zone left out", "2011-12-30T12:00", "Pacific/Apia", []],
    ["none without a time", "2026-11-21", "UTC", []],
    ["none on a day that is not there", "2026-02-30T10:00", "UTC", []],
  ])("%s", (_, wall, zone, expected) => {
    expect(instantsOf(wall, zone)).toEqual(expected);
  });
});

test.each([
  ["2026-11-21T13:00:00Z", "Europe/Vienna", "2026-11-21T14:00"],
  ["2026-11-21T13:00:07Z", "Europe/Vienna", "2026-11-21T14:00:07"],
  ["2026-10-25T02:30:00+01:00", "Europe/Vienna", "2026-10-25T02:30"],
  ["2026-10-25T02:30", "Europe/Vienna", "2026-10-25T02:30"],
  ["soonZ", "Europe/Vienna", ""],
])("%s shows in %s as %s", (instant, zone, expected) => {
  expect(wallOf(instant, zone)).toBe(expected);
});

test("an offset is named by its distance from UTC", () => {
  expect(["Z", "+00:00", "+05:30"].map((offset) => offsetOf(`2026-11-21T13:00:00${offset}`))).toEqual([
    "UTC",
    "UTC",
    "UTC+05:30",
  ]);
});

test("the offset that is kept by week is the zone's own, also around changes of its clocks", () => {
  const hour = 3_600_000;
  for (const zone of ["Europe/Vienna", "America/St_Johns", "Africa/Casablanca", "Australia/Lord_Howe"])
    for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2028, 0, 1); at += 5 * hour + 60_000)
      expect([zone, at, keptOffsetAt(at, zone)]).toEqual([zone, at, offsetAt(at, zone)]);
  const change = Date.UTC(2026, 9, 25, 1);
  expect([change - 1, change].map((at) => keptOffsetAt(at, "Europe/Vienna"))).toEqual([120, 60]);
});

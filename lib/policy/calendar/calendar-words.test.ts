import { expect, test } from "vitest";
import { calendarSchema } from "./calendar-schema.ts";
import {
  calendarChanges,
  holidaysText,
  hoursText,
  officeHours,
  readHolidays,
  readHours,
} from "./calendar-words.ts";

test("hours are read as they are written, loosely", () => {
  const spans = [
    { from: "09:00", to: "12:00" },
    { from: "13:00", to: "17:00" },
  ];
  expect(hoursText(spans)).toBe("09:00-12:00, 13:00-17:00");
  for (const text of [hoursText(spans), "9:00 – 12:00;13:00 to 17:00", " 9:00-12:00,13:00-17:00, "])
    expect(readHours(text)).toEqual(spans);
  expect(readHours("")).toEqual([]);
  for (const text of ["nine", "9-17", "09:00", "09:00-17:00 and more"]) expect(readHours(text)).toBeNull();
});

test("holidays are a line each", () => {
  const holidays = [{ date: "2026-12-25", name: "Christmas Day" }];
  expect(readHolidays(`\n  ${holidaysText(holidays)}  \n`)).toEqual(holidays);
  expect(readHolidays("2026-12-25")).toEqual([{ date: "2026-12-25", name: "" }]);
});

test("what there is to begin with is a calendar", () => {
  expect(calendarSchema.parse(officeHours("Europe/Berlin"))).toEqual(officeHours("Europe/Berlin"));
});

test("what the history says of a change", () => {
  const { zone, days } = officeHours("UTC");
  expect(
    calendarChanges({ version: 1, from: null, to: { zone, days: { mon: days.mon }, holidays: 2 } }),
  ).toBe("UTC: Monday 09:00-17:00; 2 holidays");
  const changes = {
    zone: { from: "UTC", to: "Asia/Tokyo" },
    days: [{ day: "fri", from: days.fri, to: [] }],
    added: [{ date: "2026-12-25", name: "Christmas Day" }],
    removed: [],
  };
  expect(calendarChanges(changes)).toBe(
    "Time zone: UTC → Asia/Tokyo\nFriday: 09:00-17:00 → closed\nAdded: 2026-12-25 Christmas Day",
  );
  // Of another version.
  expect(calendarChanges({ days: "?", added: [1] })).toBe("");
});

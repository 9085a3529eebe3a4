/** Holidays from iCalendar files, as calendar programs and strangers write them. */

import { describe, expect, test } from "vitest";
import fc from "../../../test/random/seeded.ts";
import { calendarSchema } from "./calendar-schema.ts";
import { MOST_BYTES, readHolidayFile } from "./holiday-file.ts";

/** A Thursday. */
const TODAY = "2026-11-26";
const file = (...events: string[][]) =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    ...events.flatMap((lines) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"]),
    "END:VCALENDAR",
    "",
  ].join("\r\n");
const read = (...events: string[][]) => readHolidayFile(file(...events), TODAY)!;
const days = (...events: string[][]) => read(...events).holidays.map(({ date, name }) => `${date} ${name}`);
const why = (...lines: string[]) => read(lines).leftOut.map((each) => each.why);

describe("events of whole days", () => {
  test("become holidays: the end is the day after the last one", () => {
    expect(
      days(
        ["SUMMARY:Christmas Day", "DTSTART;VALUE=DATE:20261225", "DTEND;VALUE=DATE:20261226"],
        ["SUMMARY:Between the years", "DTSTART;VALUE=DATE:20261228", "DTEND;VALUE=DATE:20261231"],
        ["SUMMARY:New Year", "DTSTART;VALUE=DATE:20270101"],
        ["SUMMARY:Two", "DTSTART;VALUE=DATE:20270201", "DURATION:P2D"],
        ["SUMMARY:A week", "DTSTART;VALUE=DATE:20270301", "DURATION:P1W"],
      ),
    ).toEqual([
      "2026-12-25 Christmas Day",
      "2026-12-28 Between the years",
      "2026-12-29 Between the years",
      "2026-12-30 Between the years",
      "2027-01-01 New Year",
      "2027-02-01 Two",
      "2027-02-02 Two",
      ...[1, 2, 3, 4, 5, 6, 7].map((day) => `2027-03-0${day} A week`),
    ]);
  });

  test("are read as programs write them: folded, escaped, with alarms, other components and marks at the begin", () => {
    const text = [
      "\uFEFFBEGIN:VCALENDAR",
      'X-WR-CALNAME;LANGUAGE="de:at":Feiertage',
      "BEGIN:VTIMEZONE",
      "BEGIN:STANDARD",
      "DTSTART:19701025T030000",
      "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU",
      "END:STANDARD",
      "END:VTIMEZONE",
      "BEGIN:VEVENT",
      'summary;LANGUAGE="x:y":Tag der\\, deutschen\\nEin',
      " heit \u202e",
      "DTSTART;VALUE=DATE:2027",
      "\t1003",
      "BEGIN:VALARM",
      "SUMMARY:Alarm",
      "DTSTART:20270101",
      "END:VALARM",
      "TRANSP:TRANSPARENT",
      "END:VEVENT",
      "BEGIN:VTODO",
      "SUMMARY:Not an event",
      "DTSTART;VALUE=DATE:20270105",
      "END:VTODO",
      "END:VCALENDAR",
    ].join("\n");
    expect(readHolidayFile(text, TODAY)).toEqual({
      holidays: [{ date: "2027-10-03", name: "Tag der, deutschen Einheit" }],
      leftOut: [],
      moreLeftOut: 0,
      past: 0,
    });
  });

  test("that are on the same day are one holiday, and those before today are counted", () => {
    const { holidays, past } = read(
      ["SUMMARY:One", "DTSTART;VALUE=DATE:20261225"],
      ["SUMMARY:Other", "DTSTART;VALUE=DATE:20261225"],
      ["SUMMARY:One", "DTSTART;VALUE=DATE:20261225"],
      ["SUMMARY:Over", "DTSTART;VALUE=DATE:20261124", "DTEND;VALUE=DATE:20261128"],
    );
    expect(holidays).toEqual([
      { date: "2026-11-26", name: "Over" },
      { date: "2026-11-27", name: "Over" },
      { date: "2026-12-25", name: "One, Other" },
    ]);
    expect(past).toBe(2);
  });
});

describe("what repeats each year is read for three years", () => {
  test.each<[string, string[], string[]]>([
    [
      "on a date",
      ["DTSTART;VALUE=DATE:19901225", "RRULE:FREQ=YEARLY"],
      ["2026-12-25", "2027-12-25", "2028-12-25"],
    ],
    [
      "on the 29th of February, where there is one",
      ["DTSTART;VALUE=DATE:20240229", "RRULE:FREQ=YEARLY"],
      ["2028-02-29"],
    ],
    [
      "on the nth weekday of a month: today is one",
      ["DTSTART;VALUE=DATE:20001123", "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH"],
      ["2026-11-26", "2027-11-25", "2028-11-23", "2029-11-22"],
    ],
    [
      "on the last weekday of a month",
      ["DTSTART;VALUE=DATE:20000529", "RRULE:FREQ=YEARLY;BYDAY=-1MO;BYMONTH=5"],
      ["2027-05-31", "2028-05-29", "2029-05-28"],
    ],
    [
      "on a weekday within days",
      ["DTSTART;VALUE=DATE:20001102", "RRULE:FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=2,3,4,5,6,7,8;BYDAY=TU"],
      ["2027-11-02", "2028-11-07", "2029-11-06"],
    ],
    [
      "on a day of several months",
      ["DTSTART;VALUE=DATE:20270101", "RRULE:FREQ=YEARLY;BYMONTH=1,2;BYMONTHDAY=1;COUNT=3"],
      ["2027-01-01", "2027-02-01", "2028-01-01"],
    ],
    [
      "on a day that a month does not have, and one that another has",
      ["DTSTART;VALUE=DATE:20270331", "RRULE:FREQ=YEARLY;BYMONTH=3,4;BYMONTHDAY=31"],
      ["2027-03-31", "2028-03-31", "2029-03-31"],
    ],
    ["every other year", ["DTSTART;VALUE=DATE:20251225", "RRULE:FREQ=YEARLY;INTERVAL=2"], ["2027-12-25"]],
    ["so often", ["DTSTART;VALUE=DATE:20241225", "RRULE:FREQ=YEARLY;COUNT=4"], ["2026-12-25", "2027-12-25"]],
    [
      "until then",
      ["DTSTART;VALUE=DATE:20241225", "RRULE:FREQ=YEARLY;UNTIL=20271225T000000Z"],
      ["2026-12-25", "2027-12-25"],
    ],
    [
      "but for one",
      ["DTSTART;VALUE=DATE:20201225", "RRULE:FREQ=YEARLY", "EXDATE;VALUE=DATE:20271225"],
      ["2026-12-25", "2028-12-25"],
    ],
    [
      "on two days",
      ["DTSTART;VALUE=DATE:20201225", "DTEND;VALUE=DATE:20201227", "RRULE:FREQ=YEARLY;COUNT=7"],
      ["2026-12-25", "2026-12-26"],
    ],
  ])("%s", (_name, lines, expected) => {
    expect(read(lines).holidays.map(({ date }) => date)).toEqual(expected);
  });
});

describe("what is left out is named", () => {
  const day = "DTSTART;VALUE=DATE:20261225";
  test.each<[string, string[], string]>([
    ["with a time", ["DTSTART:20261225T090000Z"], "time of day"],
    ["without a date", [], "no date"],
    ["with a date that is none", ["DTSTART;VALUE=DATE:20260230"], "no date"],
    ["cancelled", [day, "STATUS:CANCELLED"], "cancelled"],
    ["that is longer than a summer", [day, "DTEND;VALUE=DATE:20270601"], "longer than 62 days"],
    ["with an end that is a time", [day, "DTEND:20261226T100000"], "end can’t be read"],
    ["with a duration in hours", [day, "DURATION:PT24H"], "end can’t be read"],
    ["of a series, moved", [day, "RECURRENCE-ID;VALUE=DATE:20261224"], "one day of a series"],
    ["each week", [day, "RRULE:FREQ=WEEKLY"], "repeats in a way"],
    [
      "each year on a month's last day",
      [day, "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1"],
      "repeats in a way",
    ],
    ["with dates beside the rule", [day, "RDATE;VALUE=DATE:20270101"], "repeats in a way"],
    ["in another century", ["DTSTART;VALUE=DATE:21261225"], "10 years ahead"],
  ])("%s", (_name, lines, expected) => {
    expect(why("SUMMARY:x", ...lines)).toEqual([expect.stringContaining(expected)]);
    expect(read(["SUMMARY:x", ...lines]).holidays).toEqual([]);
  });

  test("and what is no calendar is none", () => {
    for (const text of [
      "",
      "date,name\n2026-12-25,Christmas",
      "BEGIN:VCARD\nEND:VCARD",
      file(["DTSTART;VALUE=DATE:20261225", "RRULE:FREQ=YEARLY;BYMONTH=13"]),
      "\u0000".repeat(100),
    ])
      expect(readHolidayFile(text, TODAY)).toBeNull();
  });
});

describe("a hostile file", () => {
  const event = (lines: string[]) => ["BEGIN:VEVENT", "SUMMARY:x", ...lines, "END:VEVENT"].join("\n");
  const whole = (inner: string) => `BEGIN:VCALENDAR\n${inner}`.slice(0, MOST_BYTES);
  const many = (lines: string[]) => {
    const one = `${event(lines)}\n`;
    return `BEGIN:VCALENDAR\n${one.repeat((MOST_BYTES - 40) / one.length)}END:VCALENDAR\n`;
  };
  test.each<[string, () => string]>([
    ["of one endless line", () => whole(`SUMMARY:${"x".repeat(MOST_BYTES)}`)],
    ["that folds one line for ever", () => whole(`SUMMARY:x\n${" x\n".repeat(MOST_BYTES / 3)}`)],
    ["of quotes", () => whole('X;A="'.repeat(MOST_BYTES / 5))],
    ["of colons", () => whole(":\n".repeat(MOST_BYTES / 2))],
    ["of components in components", () => whole("BEGIN:VEVENT\n".repeat(MOST_BYTES / 13))],
    ["of ends", () => whole("END:VEVENT\n".repeat(MOST_BYTES / 11))],
    ["of events without number", () => many(["DTSTART:20261225"])],
    [
      "of events that never are",
      () => many(["DTSTART:19000101", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=9"]),
    ],
    [
      "of events that take long to find out that they never are",
      () => many(["DTSTART;VALUE=DATE:20261225", "RRULE:FREQ=YEARLY;BYDAY=MO;BYMONTHDAY=30;BYMONTH=2"]),
    ],
    [
      "of events that are each day",
      () =>
        many([
          "DTSTART:19000101",
          `RRULE:FREQ=YEARLY;COUNT=999999;BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12;BYMONTHDAY=${Array.from({ length: 31 }, (_, n) => n + 1).join(",")}`,
          "DURATION:P60D",
        ]),
    ],
    ["of long names", () => many([`SUMMARY:${"😀".repeat(900)}`, "DTSTART:20261225"])],
    ["of exceptions", () => many(["DTSTART:20261225", `EXDATE:${"20261225,".repeat(200)}`])],
  ])("%s ends, and gives back no more than a calendar may have", (_name, make) => {
    const found = readHolidayFile(make(), TODAY);
    if (!found) return;
    expect(found.holidays.length).toBeLessThanOrEqual(1_000);
    expect(found.leftOut.length).toBeLessThanOrEqual(50);
    const hours = { mon: [{ from: "09:00", to: "17:00" }] };
    expect(
      calendarSchema.safeParse({ zone: "UTC", days: hours, holidays: found.holidays }).error,
    ).toBeUndefined();
  });

  test("of any lines gives back what a calendar may have, each day once, none before today", () => {
    const line = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.constantFrom(
        "BEGIN:VEVENT",
        "END:VEVENT",
        "DTSTART:20261225",
        "DTSTART;VALUE=DATE:20270230",
        "DTEND:20261224",
        "DTEND:20270105",
        "DURATION:P0D",
        "RRULE:FREQ=YEARLY",
        "RRULE:FREQ=YEARLY;INTERVAL=0",
        "RRULE:FREQ=YEARLY;BYMONTH=2;BYDAY=5SU",
        "EXDATE:20261225",
        "SUMMARY:\\n\\,\u202e",
      ),
      fc.string({ unit: "binary", maxLength: 40 }).map((text) => `SUMMARY:${text}`),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
        const found = readHolidayFile(["BEGIN:VCALENDAR", ...lines].join("\r\n"), TODAY);
        const holidays = found?.holidays ?? [];
        const hours = { mon: [{ from: "09:00", to: "17:00" }] };
        const parsed = calendarSchema.safeParse({ zone: "UTC", days: hours, holidays });
        expect(parsed.error).toBeUndefined();
        // In order, and as they are shown and typed: on one line each.
        expect(parsed.data!.holidays).toEqual(holidays);
        for (const { date, name } of holidays) {
          expect(date >= TODAY).toBe(true);
          expect(name).not.toMatch(/[\p{C}\n]/u);
        }
      }),
      { numRuns: 500 },
    );
  });
});

import { describe, expect, test } from "vitest";
import fc from "../../../test/random/seeded.ts";
import { addByMinutes } from "../../../test/working-minutes.ts";
import { type Calendar, calendarSchema, WEEKDAYS } from "./calendar-schema.ts";
import { addWorkingTime, FURTHEST_MS, putOff, workingTimeBetween } from "./working-time.ts";

const office = [{ from: "09:00", to: "17:00" }];
const make = (days: Partial<Calendar["days"]>, holidays: string[] = [], zone = "Europe/Berlin"): Calendar =>
  calendarSchema.parse({ zone, days, holidays: holidays.map((date) => ({ date, name: "Holiday" })) });
const week = { mon: office, tue: office, wed: office, thu: office, fri: office };
/** 2026-12-25 is a Friday. */
const BERLIN = make(week, ["2026-12-25", "2026-12-28"]);
const LUNCH = make(
  Object.fromEntries(
    WEEKDAYS.map((day) => [
      day,
      [
        { from: "09:00", to: "12:00" },
        { from: "13:00", to: "17:00" },
      ],
    ]),
  ),
);
const NIGHTS = make(
  Object.fromEntries(
    WEEKDAYS.map((day) => [
      day,
      [
        { from: "00:00", to: "06:00" },
        { from: "22:00", to: "24:00" },
      ],
    ]),
  ),
);
const add = (calendar: Calendar | null, from: string, duration: string) =>
  addWorkingTime(calendar, new Date(from), duration).toISOString().replace(":00.000Z", "Z");

describe("working time", () => {
  test.each<[string, Calendar, string, string, string]>([
    ["within a day", BERLIN, "2026-11-26T09:00Z", "4h", "2026-11-26T13:00Z"],
    ["ends with the day, not with the next morning", BERLIN, "2026-11-26T08:00Z", "8h", "2026-11-26T16:00Z"],
    ["goes on in the morning", BERLIN, "2026-11-26T15:00Z", "4h", "2026-11-27T11:00Z"],
    ["leaves the weekend out", BERLIN, "2026-11-27T15:00Z", "4h", "2026-11-30T11:00Z"],
    [
      "begins on Monday when it is asked on a Saturday",
      BERLIN,
      "2026-11-28T10:00Z",
      "30m",
      "2026-11-30T08:30Z",
    ],
    [
      "a day is the same place of the next working day",
      BERLIN,
      "2026-11-27T13:30Z",
      "1d",
      "2026-11-30T13:30Z",
    ],
    ["a day before work begins is the next morning", BERLIN, "2026-11-26T05:00Z", "1d", "2026-11-27T08:00Z"],
    [
      "a day after work has ended is the morning after the next",
      BERLIN,
      "2026-11-26T16:00Z",
      "1d",
      "2026-11-30T08:00Z",
    ],
    ["holidays are left out", BERLIN, "2026-12-24T09:00Z", "1d", "2026-12-29T09:00Z"],
    ["holidays are left out of hours", BERLIN, "2026-12-24T15:30Z", "1h", "2026-12-29T08:30Z"],
    ["a week is the same weekday", BERLIN, "2026-11-26T10:00Z", "2w", "2026-12-10T10:00Z"],
    ["a week later is a holiday", BERLIN, "2026-12-21T10:00Z", "1w", "2026-12-29T08:00Z"],
    ["lunch is left out", LUNCH, "2026-11-26T10:00Z", "2h", "2026-11-26T13:00Z"],
    [
      "a day with another lunch hour keeps the work before it",
      LUNCH,
      "2026-11-26T12:30Z",
      "1d",
      "2026-11-27T12:30Z",
    ],
    ["a night over midnight is two spans", NIGHTS, "2026-11-26T21:00Z", "3h", "2026-11-27T00:00Z"],
    ["by the clock with an exclamation mark", BERLIN, "2026-11-27T15:00Z", "4h!", "2026-11-27T19:00Z"],
    ["another zone", make(week, [], "America/New_York"), "2026-11-26T09:00Z", "1h", "2026-11-26T15:00Z"],
    [
      "a zone without full hours",
      make(week, [], "Asia/Kathmandu"),
      "2026-11-26T00:00Z",
      "1h",
      "2026-11-26T04:15Z",
    ],
  ])("%s", (_name, calendar, from, duration, to) => {
    expect(add(calendar, from, duration)).toBe(to);
  });

  test("is all time without a calendar", () => {
    expect(add(null, "2026-11-28T10:00Z", "3d")).toBe("2026-12-01T10:00Z");
    expect(add(null, "2026-11-28T10:00Z", "90m!")).toBe("2026-11-28T11:30Z");
    expect(add(null, "2026-11-28T10:00Z", "2w")).toBe("2026-12-12T10:00Z");
  });

  // In Berlin the clocks skip 02:00 to 03:00 on 2026-03-29, and show it twice on 2026-10-25.
  test.each<[string, Calendar["days"]["mon"], string, string, string]>([
    [
      "a day over the change is the same time of the clocks",
      office,
      "2026-03-28T09:00Z",
      "1d",
      "2026-03-29T08:00Z",
    ],
    ["and back", office, "2026-10-24T08:00Z", "1d", "2026-10-25T09:00Z"],
    [
      "an hour that is skipped is no work",
      [{ from: "01:00", to: "04:00" }],
      "2026-03-29T00:00Z",
      "2h",
      "2026-03-29T02:00Z",
    ],
    [
      "a span that begins in it begins after it",
      [{ from: "02:30", to: "04:00" }],
      "2026-03-29T00:00Z",
      "30m",
      "2026-03-29T01:30Z",
    ],
    [
      "a span within it is left out",
      [{ from: "02:10", to: "02:50" }],
      "2026-03-29T00:00Z",
      "10m",
      "2026-03-30T00:20Z",
    ],
    [
      "an hour that is shown twice is work twice",
      [{ from: "01:00", to: "04:00" }],
      "2026-10-24T23:00Z",
      "4h",
      "2026-10-25T03:00Z",
    ],
    [
      "what ends in it ends with its first time",
      [{ from: "01:00", to: "02:30" }],
      "2026-10-24T23:00Z",
      "90m",
      "2026-10-25T00:30Z",
    ],
  ])("%s", (_name, spans, from, duration, to) => {
    expect(add(make(Object.fromEntries(WEEKDAYS.map((day) => [day, spans]))), from, duration)).toBe(to);
  });

  test("is bounded, whatever the calendar and the duration", () => {
    const rare = make({ mon: [{ from: "09:00", to: "09:01" }] });
    const from = new Date("2026-11-26T09:00Z");
    const furthest = new Date(from.getTime() + FURTHEST_MS);
    for (const duration of ["9999h", "9999d", "9999w", "9999w!"])
      expect(addWorkingTime(rare, from, duration)).toEqual(furthest);
    expect(addWorkingTime(null, from, "9999w")).toEqual(furthest);
  });
});

describe("a calendar", () => {
  const issues = (given: object) =>
    calendarSchema.safeParse(given).error?.issues.map(({ path, message }) => [path.join("."), message]);
  test.each<[string, object, string]>([
    ["in which nobody ever works", { zone: "Europe/Berlin", days: {} }, "days"],
    ["of an unknown zone", { zone: "Europe/Atlantis", days: week }, "zone"],
    ["of an offset", { zone: "+02:00", days: week }, "zone"],
    [
      "whose times overlap",
      { zone: "UTC", days: { mon: [...office, { from: "16:00", to: "18:00" }] } },
      "days.mon",
    ],
    [
      "whose time ends before it begins",
      { zone: "UTC", days: { mon: [{ from: "22:00", to: "06:00" }] } },
      "days.mon.0.to",
    ],
    [
      "of a day that is not there",
      { zone: "UTC", days: week, holidays: [{ date: "2026-02-30", name: "x" }] },
      "holidays.0.date",
    ],
    [
      "of a holiday twice",
      {
        zone: "UTC",
        days: week,
        holidays: [
          { date: "2026-12-25", name: "x" },
          { date: "2026-12-25", name: "y" },
        ],
      },
      "holidays.1.date",
    ],
    ["of a weekday that is none", { zone: "UTC", days: { ...week, day: office } }, "days"],
  ])("%s is refused", (_name, given, field) => {
    expect(issues(given)?.map(([path]) => path)).toEqual([field]);
  });

  test("is kept in order", () => {
    const later = { from: "13:00", to: "17:00" };
    const sorted = make({ mon: [later, { from: "08:00", to: "12:00" }] }, ["2027-01-01", "2026-12-25"]);
    expect(sorted.days.mon[1]).toEqual(later);
    expect(sorted.holidays.map(({ date }) => date)).toEqual(["2026-12-25", "2027-01-01"]);
  });
});

describe("for any calendar and time", () => {
  const minute = fc.integer({ min: 0, max: 24 * 60 });
  const text = (value: number) =>
    `${String(Math.floor(value / 60)).padStart(2, "0")}:${String(value % 60).padStart(2, "0")}`;
  const hours = fc.uniqueArray(minute, { maxLength: 6 }).map((given) => {
    const times = given.toSorted((one, other) => one - other);
    return Array.from({ length: Math.floor(times.length / 2) }, (_, at) => ({
      from: text(times[at * 2]!),
      to: text(times[at * 2 + 1]!),
    }));
  });
  const calendars = fc
    .record({
      zone: fc.constantFrom(
        "Europe/Berlin",
        "America/New_York",
        "Australia/Lord_Howe",
        "Asia/Kathmandu",
        "Pacific/Apia",
        "UTC",
      ),
      days: fc.record(Object.fromEntries(WEEKDAYS.map((day) => [day, hours]))),
      holidays: fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 20 }).map((days) =>
        days.map((day) => ({
          date: new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
          name: "Holiday",
        })),
      ),
    })
    .map((given) => calendarSchema.safeParse(given).data)
    .filter((calendar) => calendar !== undefined);
  const moments = fc
    .integer({ min: Date.UTC(2026, 0, 1) / 60_000, max: Date.UTC(2026, 11, 31) / 60_000 })
    .map((at) => new Date(at * 60_000));
  const count = fc.integer({ min: 1, max: 90 });
  const duration = fc
    .tuple(count, fc.constantFrom("m", "h", "d", "w"), fc.constantFrom("", "!"))
    .map((parts) => parts.join(""));

  test("time only goes on, and what begins later ends no sooner", () => {
    fc.assert(
      fc.property(calendars, moments, moments, duration, (calendar, one, other, each) => {
        const [early, late] = [one, other].toSorted((a, b) => a.getTime() - b.getTime()) as [Date, Date];
        const ends = [early, late].map((from) => addWorkingTime(calendar, from, each).getTime());
        expect(ends[0]!).toBeGreaterThan(early.getTime());
        expect(ends[1]!).toBeGreaterThanOrEqual(ends[0]!);
      }),
      { numRuns: 300 },
    );
  });

  test("hours add up", () => {
    fc.assert(
      fc.property(calendars, moments, count, count, (calendar, from, one, other) => {
        const twice = addWorkingTime(calendar, addWorkingTime(calendar, from, `${one}m`), `${other}m`);
        const once = addWorkingTime(calendar, from, `${one + other}m`);
        // What is bounded is bounded twice.
        if (once.getTime() - from.getTime() < FURTHEST_MS) expect(twice).toEqual(once);
      }),
      { numRuns: 300 },
    );
  });

  /** Each zone's days around which its clocks change. */
  const changes: [string, string][] = [
    ["Europe/Berlin", "2026-03-29"],
    ["Europe/Berlin", "2026-10-25"],
    ["America/New_York", "2026-03-08"],
    ["America/New_York", "2026-11-01"],
    ["Australia/Lord_Howe", "2026-04-05"],
    ["Australia/Lord_Howe", "2026-10-04"],
    ["Asia/Kathmandu", "2026-06-01"],
  ];
  const around = fc
    .record({
      calendar: calendars,
      change: fc.constantFrom(...changes),
      minutes: fc.integer({ min: -6 * 1_440, max: 2 * 1_440 }),
      holidays: fc.uniqueArray(fc.integer({ min: -3, max: 10 }), { maxLength: 4 }),
      duration: fc.oneof(
        fc.integer({ min: 1, max: 2_000 }).map((count) => `${count}m`),
        fc.integer({ min: 1, max: 40 }).map((count) => `${count}h`),
        fc.integer({ min: 1, max: 7 }).map((count) => `${count}d`),
        fc.integer({ min: 1, max: 2 }).map((count) => `${count}w`),
      ),
    })
    .map(({ calendar, change: [zone, date], minutes, holidays, duration }) => {
      const day = Date.parse(`${date}T00:00Z`);
      const dates = holidays.map((at) => new Date(day + at * 86_400_000).toISOString().slice(0, 10));
      return {
        calendar: { ...calendar, zone, holidays: dates.map((each) => ({ date: each, name: "Holiday" })) },
        from: new Date(day + minutes * 60_000),
        duration,
      };
    })
    // Counted minute by minute, an hour a week takes a while.
    .filter(({ calendar }) => WEEKDAYS.filter((each) => calendar.days[each].length > 0).length >= 3);

  test("it is what counting minutes says, also where the clocks change", () => {
    fc.assert(
      fc.property(around, ({ calendar, from, duration }) => {
        expect(addWorkingTime(calendar, from, duration)).toEqual(addByMinutes(calendar, from, duration));
      }),
      { numRuns: 300 },
    );
  });

  test("the working time between two moments is what was added, and none outside of work", () => {
    fc.assert(
      fc.property(around, ({ calendar, from, duration }) => {
        const to = addWorkingTime(calendar, from, duration);
        const between = workingTimeBetween(calendar, from, to);
        if (/[mh]$/.test(duration)) {
          const [, count, unit] = /^(\d+)([mh])$/.exec(duration)!;
          expect(between).toBe(Number(count) * (unit === "h" ? 3_600_000 : 60_000));
        }
        const middle = new Date((from.getTime() + to.getTime()) / 2);
        expect(workingTimeBetween(calendar, from, middle) + workingTimeBetween(calendar, middle, to)).toBe(
          between,
        );
        expect(workingTimeBetween(calendar, to, from)).toBe(0);
        expect(workingTimeBetween(null, from, to)).toBe(to.getTime() - from.getTime());
      }),
      { numRuns: 300 },
    );
  });

  test("more is no sooner, and a calendar makes nothing sooner", () => {
    fc.assert(
      fc.property(
        calendars,
        moments,
        count,
        fc.constantFrom("m", "h", "d", "w"),
        (calendar, from, many, unit) => {
          const at = addWorkingTime(calendar, from, `${many}${unit}`).getTime();
          expect(addWorkingTime(calendar, from, `${many + 1}${unit}`).getTime()).toBeGreaterThanOrEqual(at);
          if (unit === "m" || unit === "h")
            expect(at).toBeGreaterThanOrEqual(addWorkingTime(null, from, `${many}${unit}`).getTime());
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("what is put off", () => {
  const HOUR_MS = 3_600_000;
  const between = (calendar: Calendar | null, from: string, to: string, duration = "4h") =>
    workingTimeBetween(calendar, new Date(from), new Date(to), duration) / HOUR_MS;

  test.each<[string, Calendar | null, string, string, string, number]>([
    ["by the clock without a calendar", null, "2026-11-26T12:00Z", "2026-11-27T12:00Z", "4h", 24],
    ["by the clock where the time is", BERLIN, "2026-11-26T12:00Z", "2026-11-27T12:00Z", "4h!", 24],
    ["within a day", BERLIN, "2026-11-26T09:00Z", "2026-11-26T11:30Z", "4h", 2.5],
    ["over a night", BERLIN, "2026-11-26T15:00Z", "2026-11-27T09:00Z", "1d", 2],
    ["over a weekend", BERLIN, "2026-11-27T15:00Z", "2026-11-30T09:00Z", "4h", 2],
    ["of a weekend", BERLIN, "2026-11-28T09:00Z", "2026-11-29T09:00Z", "4h", 0],
    ["over holidays", BERLIN, "2026-12-24T15:00Z", "2026-12-29T09:00Z", "4h", 2],
    ["of no time", BERLIN, "2026-11-26T09:00Z", "2026-11-26T09:00Z", "4h", 0],
  ])("the time that passed, %s", (_, calendar, from, to, duration, hours) => {
    expect(between(calendar, from, to, duration)).toBe(hours);
  });

  test.each<[string, Calendar | null, string, string, number, string]>([
    ["within the day", BERLIN, "2026-11-26T08:00Z", "4h", 2, "2026-11-26T14:00:00.000Z"],
    ["into the next day", BERLIN, "2026-11-26T08:00Z", "4h", 6, "2026-11-27T10:00:00.000Z"],
    ["over a weekend", BERLIN, "2026-11-27T08:00Z", "8h", 1, "2026-11-30T09:00:00.000Z"],
    ["a day, by hours", BERLIN, "2026-11-26T10:00Z", "1d", 2, "2026-11-27T12:00:00.000Z"],
    ["by the clock", BERLIN, "2026-11-27T12:00Z", "4h!", 24, "2026-11-28T16:00:00.000Z"],
    ["without a calendar", null, "2026-11-27T12:00Z", "4h", 24, "2026-11-28T16:00:00.000Z"],
    ["by nothing", BERLIN, "2026-11-26T08:00Z", "8h", 0, "2026-11-26T16:00:00.000Z"],
  ])("is due later: %s", (_, calendar, from, duration, hours, due) => {
    expect(putOff(calendar, new Date(from), duration, hours * HOUR_MS).toISOString()).toBe(due);
  });

  test("no further than 10 years", () => {
    const from = new Date("2026-11-26T08:00Z");
    for (const calendar of [null, BERLIN])
      expect(putOff(calendar, from, "4h", 20 * 366 * 24 * HOUR_MS).getTime()).toBe(
        from.getTime() + FURTHEST_MS,
      );
  });
});

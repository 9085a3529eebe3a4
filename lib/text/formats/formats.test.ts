import { describe, expect, test, vi } from "vitest";
import { RIGHT_TO_LEFT, visibleText } from "../foreign/hidden.ts";
import { formatsOf } from "./formats.ts";
import { LOCALES, localeOf } from "./locales.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const ZONE = "Europe/Berlin";
/** Newer editions of Unicode's data write narrow and no-break spaces where older ones write plain ones. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, " ");

describe.each([
  {
    locale: "en-GB",
    time: "09:05",
    exact: "3 Mar 2026, 09:05:09 CET",
    clocks: ["13:00:00", "yesterday 09:05", "3 Mar, 09:05", "3 Mar 2025, 09:05"],
    days: ["today", "yesterday", "on 3 Mar", "on 3 Mar 2025"],
    date: "3 Apr 2026",
    withTime: "3 Apr 2026, 10:05 CEST",
    numbers: ["1,204", "0.5", "-1,234,567.80", "-$1,000.00", "8,600.50 EUR"],
  },
  {
    locale: "en-US",
    time: "9:05 AM",
    exact: "Mar 3, 2026, 9:05:09 AM GMT+1",
    clocks: ["1:00:00 PM", "yesterday 9:05 AM", "Mar 3, 9:05 AM", "Mar 3, 2025, 9:05 AM"],
    days: ["today", "yesterday", "on Mar 3", "on Mar 3, 2025"],
    date: "Apr 3, 2026",
    withTime: "Apr 3, 2026, 10:05 AM GMT+2",
    numbers: ["1,204", "0.5", "-1,234,567.80", "-$1,000.00", "8,600.50 EUR"],
  },
  {
    locale: "de-DE",
    time: "09:05",
    exact: "3. März 2026, 09:05:09 MEZ",
    clocks: ["13:00:00", "yesterday 09:05", "3. März, 09:05", "3. März 2025, 09:05"],
    days: ["today", "yesterday", "on 3. März", "on 3. März 2025"],
    date: "3. Apr. 2026",
    withTime: "3. Apr. 2026, 10:05 MESZ",
    numbers: ["1.204", "0,5", "-1.234.567,80", "-$1.000,00", "8.600,50 EUR"],
  },
  {
    // Digits stay Latin. Words from right to left would turn the figures around them.
    locale: "ar-EG",
    time: "09:05",
    exact: "3 Mar 2026, 09:05:09 CET",
    clocks: ["13:00:00", "yesterday 09:05", "3 Mar, 09:05", "3 Mar 2025, 09:05"],
    days: ["today", "yesterday", "on 3 Mar", "on 3 Mar 2025"],
    date: "3 Apr 2026",
    withTime: "3 Apr 2026, 10:05 CEST",
    numbers: ["1,204", "0.5", "-1,234,567.80", "-$1,000.00", "8,600.50 EUR"],
  },
])("in $locale", ({ locale, time, exact, clocks, days, date, withTime, numbers }) => {
  const formats = formatsOf(locale, ZONE);
  const last = [
    "2026-11-21T12:00:00Z",
    "2026-11-20T08:05:09Z",
    "2026-03-03T08:05:09Z",
    "2025-03-03T08:05:09Z",
  ];

  test("times are written as people there write them", () => {
    expect(plain(formats.time("2026-03-03T08:05:09Z"))).toBe(time);
    expect(plain(formats.exact("2026-03-03T08:05:09Z"))).toBe(exact);
    expect(last.map((at) => plain(formats.clock(at, NOW)))).toEqual(clocks);
    expect(last.map((at) => plain(formats.dayInWords(at, NOW)))).toEqual(days);
  });

  test("dates have the month in words, and are one day in every zone", () => {
    expect(formats.date("2026-04-03")).toBe(date);
    expect(formats.date("2026-04-03T00:00:00Z")).toBe(date);
    expect(formatsOf(locale, "Pacific/Honolulu").date("2026-04-03")).toBe(date);
    expect(plain(formats.date("2026-04-03T08:05:00Z"))).toBe(withTime);
    // Sent without a zone: the same figures in every zone, and no zone beside them.
    const unzoned = plain(formats.date("2026-04-03T08:05:00"));
    expect(plain(formatsOf(locale, "Pacific/Honolulu").date("2026-04-03T08:05:00"))).toBe(unzoned);
    expect(unzoned).toMatch(/\b0?8.05\b/);
    expect(unzoned).not.toMatch(/UTC|GMT|CES?T|HST/);
  });

  test("numbers have the separators used there", () => {
    const { number, money, amount } = formats;
    expect(
      [
        number(1204),
        number(0.5),
        money(-1234567.8),
        amount({ value: -1000, currency: "$" }),
        amount({ value: 8600.5, currency: "EUR" }),
      ].map(plain),
    ).toEqual(numbers);
  });
});

test("no locale on offer writes a month as a figure that could be a day, nor other digits", () => {
  for (const locale of Object.keys(LOCALES)) {
    const { date, dateTime, exact, money } = formatsOf(locale, ZONE);
    const at = "2026-03-04T12:00:00Z";
    expect(date("2026-03-04"), locale).toMatch(/\p{L}/u);
    for (const written of [date("2026-03-04"), dateTime(at), exact(at), money(-1234.5)])
      expect(written.replace(/[0-9]/g, ""), locale).not.toMatch(/\p{Nd}/u);
    expect(date("2026-03-04"), locale).toContain("2026");
  }
});

test("no locale on offer writes what pages mark as hidden, nor what turns figures around", () => {
  for (const locale of Object.keys(LOCALES)) {
    const { date, exact, dayAndTime, time, number, money, amount } = formatsOf(locale, "Asia/Tokyo");
    const at = "2026-03-04T12:00:00Z";
    const amounts = [number(-1204.5), money(-1234.5), amount({ value: -1000, currency: "$" })];
    for (const written of [date(at), exact(at), dayAndTime(at), time(at), ...amounts]) {
      expect(visibleText(written), locale).toBe(written);
      expect(written, locale).not.toMatch(RIGHT_TO_LEFT);
    }
  }
});

test("other calendars are left aside: what servers send is compared year by year", () => {
  for (const locale of ["th-TH", "fa-IR", "ar-SA"])
    expect(formatsOf(locale).date("2026-03-04")).toContain("2026");
});

test("money has at least two decimals, and loses none", () => {
  const { money, amount } = formatsOf("en-GB");
  expect([1000, 8600.5, 0.125].map(money)).toEqual(["1,000.00", "8,600.50", "0.125"]);
  expect(amount({ value: 1000, currency: null })).toBe("1,000.00");
  expect(amount({ value: -12.5, currency: "€" })).toBe("-€12.50");
});

test("averages have a decimal while they are small", () => {
  expect([0, 0.44, 4, 9.96, 12.6, 1204].map(formatsOf("de-DE").count)).toEqual([
    "0",
    "0,4",
    "4",
    "10",
    "13",
    "1.204",
  ]);
});

describe("where the clocks change", () => {
  const { clock, dayInWords, time } = formatsOf("en-GB", ZONE);
  test.each([
    // 29 March 2026 has 23 hours, 25 October 25.
    ["the evening before a short day", "2026-03-28T22:30:00Z", "2026-03-29T22:10:00Z", "28 Mar, 23:30"],
    ["a short day", "2026-03-28T23:30:00Z", "2026-03-29T22:10:00Z", "yesterday 00:30"],
    ["a long day's beginning", "2026-10-24T22:10:00Z", "2026-10-25T23:30:00Z", "yesterday 00:10"],
    ["a long day's end", "2026-10-25T22:50:00Z", "2026-10-25T23:30:00Z", "yesterday 23:50"],
  ])("%s is told by days, not by hours", (_, at, now, words) => {
    expect(clock(at, Date.parse(now))).toBe(words);
    expect(dayInWords(at, Date.parse(now))).toBe(words.startsWith("yes") ? "yesterday" : "on 28 Mar");
  });

  test("both passes of an hour are shown as the clock showed them", () => {
    expect(["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"].map(time)).toEqual(["02:30", "02:30"]);
    expect(formatsOf("en-GB", ZONE).exact("2026-10-25T00:30:00Z")).toContain("CEST");
    expect(formatsOf("en-GB", ZONE).exact("2026-10-25T01:30:00Z")).toContain("CET");
  });
});

test("writing the times and numbers of many rows creates no formats anew", () => {
  const made = [vi.spyOn(Intl, "DateTimeFormat"), vi.spyOn(Intl, "NumberFormat")];
  const at = "2025-11-12T11:00:00Z";
  const writeAll = () => {
    const { clock, dayInWords, amount, number, count, ...others } = formatsOf("sv-SE", ZONE);
    const { money, ...ofDates } = others;
    for (const write of Object.values(ofDates)) write(at);
    for (const each of [at, "2026-11-20T11:00:00Z", "2026-11-21T11:00:00Z", "2026-11-02T11:00:00Z"])
      for (const write of [clock, dayInWords]) write(each, NOW);
    for (const write of [number, money, count]) write(1204.5);
    amount({ value: 1, currency: null });
  };
  const counts = () => made.map(({ mock }) => mock.calls.length);
  writeAll();
  const before = counts();
  writeAll();
  expect(counts()).toEqual(before);
  expect(before.every((count) => count > 0 && count < 14)).toBe(true);
  vi.restoreAllMocks();
});

test.each([
  [null, "en-GB"],
  ["", "en-GB"],
  ["*", "en-GB"],
  ["nonsense; drop table", "en-GB"],
  ["de-DE,de;q=0.9,en;q=0.8", "de-DE"],
  ["de", "de"],
  ["fr;q=0.3, es;q=0.9", "es"],
  ["de;q=0, en-US", "en-US"],
  ["qqq, pt-br;q=0.5", "pt-BR"],
  ["en-DE", "en-DE"],
  ["zh-Hant-HK", "zh-Hant-HK"],
])("the header %s asks for %s", (header, locale) => {
  expect(localeOf(header)).toBe(locale);
});

test("a header of a thousand languages is read in part, and tags that nobody knows make no locales", () => {
  expect(localeOf(`${"xx,".repeat(1000)}de`)).toBe("en-GB");
  const made = new Set(
    Array.from({ length: 26 }, (_, at) => localeOf(`en-A${String.fromCharCode(65 + at)}`)),
  );
  expect(made.size).toBeLessThan(10);
});

/**
 * Reads holidays from an iCalendar file (RFC 5545, by ical.js): its events of whole days. Pure, client-safe. The file is anybody's:
 * how much of it is read is bounded, and what is not read is named.
 */
import ICAL from "ical.js";
import type { Holiday } from "./calendar-schema.ts";

/** Bytes of a file. A country's holidays of ten years have some 50,000. */
export const MOST_BYTES = 500_000;
const MOST_EVENTS = 2_000;
/** Longer events are no holidays: school holidays of a summer have some 50 days. */
const MOST_DAYS = 62;
/** Days that are given back, and names of what was left out. */
const MOST_HOLIDAYS = 1_000;
const MOST_LEFT_OUT = 50;
/** Turns that all events together may repeat, so that no file keeps a browser busy. */
const MOST_TURNS = 10_000;
/** How far events are read that repeat, and others. */
const YEARS_REPEATED = 3;
const YEARS_AHEAD = 10;
const LONGEST_NAME = 100;
const DAY_MS = 86_400_000;

export interface HolidayFile {
  /** By date, each once. */
  holidays: Holiday[];
  /** Events, by name, and why none of their days is among the holidays. */
  leftOut: { name: string; why: string }[];
  /** Further ones that are not named. */
  moreLeftOut: number;
  /** Days before today. */
  past: number;
}

/** Null: the text is no calendar. `today`: a date such as `2026-12-25`; what was before it is left out. */
export function readHolidayFile(text: string, today: string): HolidayFile | null {
  const events = eventsOf(text);
  if (events === null) return null;
  const from = dayOf(today);
  const budget = { turns: MOST_TURNS };
  const names = new Map<number, string[]>();
  const leftOut: HolidayFile["leftOut"] = [];
  let [past, unnamed] = [0, 0];
  for (const [at, event] of events.entries()) {
    const name = nameOf(event);
    const read = at < MOST_EVENTS ? readDays(event, from, budget) : "The file has too many events";
    if (typeof read === "string") {
      if (leftOut.length < MOST_LEFT_OUT) leftOut.push({ name, why: read });
      else unnamed++;
      continue;
    }
    for (const day of read) {
      if (day < from) {
        past++;
        continue;
      }
      const known = names.get(day);
      if (!known && names.size < MOST_HOLIDAYS) names.set(day, [name]);
      else if (known && !known.includes(name) && known.length < 3) known.push(name);
      else if (!known) unnamed++;
    }
  }
  const holidays = [...names]
    .sort(([one], [other]) => one - other)
    .map(([day, its]) => ({ date: dateOf(day), name: its.join(", ").slice(0, LONGEST_NAME).trim() }));
  return { holidays, leftOut, moreLeftOut: unnamed, past };
}

/** Dates of programs that do not say that they are none with a time. */
const UNSAID_DATE = /^(DTSTART|DTEND|EXDATE):(?=\d{8}(,\d{8})*\r?$)/gim;

/** The events of the file. Null: it is no calendar. */
function eventsOf(text: string): ICAL.Component[] | null {
  if (text.length > MOST_BYTES || !/^\uFEFF?BEGIN:VCALENDAR\r?\n/i.test(text)) return null;
  try {
    const read: unknown[] = ICAL.parse(text.replace("\uFEFF", "").replace(UNSAID_DATE, "$1;VALUE=DATE:"));
    // Several calendars in a file are a list of them.
    const calendars = typeof read[0] === "string" ? [read] : (read as unknown[][]);
    return calendars.flatMap((jcal) => new ICAL.Component(jcal).getAllSubcomponents("vevent"));
  } catch {
    // The library has many errors for a text that is no calendar.
    return null;
  }
}

function nameOf(event: ICAL.Component): string {
  const text = String(event.getFirstPropertyValue("summary") ?? "")
    .replace(/\s+/g, " ")
    // What is not seen, and turns text around.
    .replace(/\p{C}/gu, "")
    .trim();
  return [...text].slice(0, LONGEST_NAME).join("").trim().slice(0, LONGEST_NAME) || "Holiday";
}

/** The days of an event, counted from 1970, or why they are left out. */
function readDays(event: ICAL.Component, today: number, budget: { turns: number }): number[] | string {
  try {
    return daysOf(event, today, budget);
  } catch {
    // Values are parsed where they are asked for: one that can't be is the event's, and not the file's.
    return "It can’t be read";
  }
}

function daysOf(event: ICAL.Component, today: number, budget: { turns: number }): number[] | string {
  if (event.getFirstPropertyValue("status") === "CANCELLED") return "It is cancelled";
  if (event.hasProperty("recurrence-id")) return "It changes one day of a series: check this day yourself";
  const begin = event.getFirstProperty("dtstart");
  if (!begin) return "It has no date";
  if (begin.type !== "date") return "It has a time of day";
  const start = dayIn(begin.getFirstValue());
  // The library reads a 30th of February as the 2nd of March.
  if (start === null || dateOf(start) !== begin.toJSON()[3]) return "It has no date";
  const length = lengthOf(event, start);
  if (length === null) return "Its end can’t be read";
  if (length > MOST_DAYS) return `It is longer than ${MOST_DAYS} days`;
  const begins = beginsOf(event, start, today, budget);
  if (typeof begins === "string") return begins;
  const exceptions = new Set(
    event.getAllProperties("exdate").flatMap((each) => each.getValues().map((value) => dayIn(value))),
  );
  const days = begins
    .filter((day) => !exceptions.has(day))
    .flatMap((day) => Array.from({ length }, (_, n) => day + n));
  const latest = today + YEARS_AHEAD * 366;
  const near = days.filter((day) => day <= latest);
  return near.length === 0 && days.length > 0 ? `It is more than ${YEARS_AHEAD} years ahead` : near;
}

/** DTEND is the day after the last one. */
function lengthOf(event: ICAL.Component, start: number): number | null {
  if (event.hasProperty("dtend")) {
    const after = dayIn(event.getFirstPropertyValue("dtend"));
    return after === null ? null : Math.max(1, after - start);
  }
  const duration = event.getFirstPropertyValue("duration");
  if (duration === null) return 1;
  if (!(duration instanceof ICAL.Duration)) return null;
  const days = duration.toSeconds() / (DAY_MS / 1_000);
  const { hours, minutes, seconds } = duration;
  return hours || minutes || seconds ? null : Math.max(1, days);
}

const UNREAD = "It repeats in a way that Intray does not read";

/** The days on which an event begins, those that repeat for three years from now on, or why they can't be told. */
function beginsOf(
  event: ICAL.Component,
  start: number,
  today: number,
  budget: { turns: number },
): number[] | string {
  const rule = event.getFirstPropertyValue("rrule");
  if (event.hasProperty("rdate")) return UNREAD;
  if (rule === null) return [start];
  if (budget.turns <= 0) return "The file has too much that repeats";
  if (!(rule instanceof ICAL.Recur) || rule.freq !== "YEARLY") return UNREAD;
  if (!isRead(rule)) return UNREAD;
  // The library has the 1st of March for a 29th of February that is not there, or a 30th.
  const [months, dates] = [rule.getComponent("BYMONTH"), rule.getComponent("BYMONTHDAY")];
  const isOfDate = Object.keys(rule.parts).length === 0;
  const isMeant = (day: number) => {
    const [, month, date] = dateOf(day).split("-").map(Number);
    if (isOfDate) return dateOf(day).slice(5) === dateOf(start).slice(5);
    return (
      (months.length === 0 || months.map(Number).includes(month!)) &&
      (dates.length === 0 || dates.map(Number).includes(date!))
    );
  };
  const latest = ICAL.Time.fromDateString(dateOf(today));
  latest.year += YEARS_REPEATED;
  // Else the library looks for a day that never comes until the year 20000.
  if (!rule.until || rule.until.compare(latest) > 0) rule.until = latest;
  const before = budget.turns;
  const days: number[] = [];
  try {
    const turns = rule.iterator(ICAL.Time.fromDateString(dateOf(start)));
    for (let next = turns.next(); next && next.compare(latest) <= 0; next = turns.next()) {
      if (--budget.turns < 0) return "The file has too much that repeats";
      const day = dayOf(next.toString().slice(0, 10));
      if (day >= today - MOST_DAYS && isMeant(day)) days.push(day);
    }
  } catch {
    // Rules that contradict themselves: they never come.
  }
  if (budget.turns < before) return days;
  // To find that out took the library a look at every year.
  budget.turns -= MOST_TURNS / 5;
  return UNREAD;
}

/**
 * Rules of dates, of weekdays in months (`4TH`), and of weekdays among dates. Of weeks, of days of the year and of days from a month's
 * end the library gives other days than the standard does.
 */
function isRead({ parts }: ICAL.Recur): boolean {
  const values = (part: string) => ((parts as Record<string, unknown[]>)[part] ?? []).map(String);
  const [dates, weekdays] = [values("BYMONTHDAY"), values("BYDAY")];
  const isKnown = Object.keys(parts).every((part) => ["BYMONTH", "BYMONTHDAY", "BYDAY"].includes(part));
  const isInMonth = values("BYMONTH").length > 0 || dates.length + weekdays.length === 0;
  const isOnce = weekdays.every((day) =>
    (dates.length === 0 ? /^[+-]?[1-5][A-Z]{2}$/ : /^[A-Z]{2}$/).test(day),
  );
  return isKnown && isInMonth && isOnce && dates.every((date) => Number(date) > 0);
}

/** Counted from 1970; null: it is no day, as it has a time, or never comes. */
function dayIn(value: unknown): number | null {
  if (!(value instanceof ICAL.Time) || !value.isDate) return null;
  const day = dayOf(value.toString());
  return Number.isNaN(day) ? null : day;
}

function dayOf(date: string): number {
  return Date.parse(`${date}T00:00Z`) / DAY_MS;
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

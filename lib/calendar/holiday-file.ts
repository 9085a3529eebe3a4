/**
 * Reads holidays from an iCalendar file (RFC 5545): its events of whole days. Pure, client-safe. The file is anybody's: each step is
 * bounded, and what is not read is named.
 */
import type { Holiday } from "./schema.ts";

/** Bytes of a file. A country's holidays of ten years have some 50,000. */
export const MOST_BYTES = 2_000_000;
const MOST_LINES = 100_000;
/** Characters of a line, put together again. The rest is dropped: no date, and no name that is shown, is that long. */
const LONGEST_LINE = 2_000;
const MOST_EVENTS = 5_000;
/** Longer events are no holidays: school holidays of a summer have some 50 days. */
const MOST_DAYS = 62;
/** Days that are given back, and names of what was left out. */
const MOST_HOLIDAYS = 1_000;
const MOST_LEFT_OUT = 50;
/** Months that are looked at for all events that repeat, so that no file keeps a browser busy. */
const MOST_MONTHS = 50_000;
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
  const budget = { months: MOST_MONTHS };
  const names = new Map<number, string[]>();
  const leftOut: HolidayFile["leftOut"] = [];
  let [past, unnamed] = [0, 0];
  for (const [at, event] of events.entries()) {
    const name = nameOf(event.summary);
    const read = at < MOST_EVENTS ? daysOf(event, from, budget) : "The file has too many events";
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

interface Event {
  summary: string;
  start: string | null;
  end: string | null;
  duration: string | null;
  rule: string | null;
  exceptions: string[];
  /** What is not read of an event that has it. */
  isCancelled: boolean;
  isOneOfSeries: boolean;
  hasExtraDates: boolean;
}

/** The events of the file, without those within them, such as alarms. Null: it is no calendar. */
function eventsOf(text: string): Event[] | null {
  const within: string[] = [];
  const events: Event[] = [];
  let isCalendar = false;
  for (const line of unfolded(text)) {
    const property = propertyOf(line);
    if (!property) continue;
    const { name, value } = property;
    if (name === "BEGIN") {
      const component = value.trim().toUpperCase().slice(0, 50);
      isCalendar ||= component === "VCALENDAR";
      within.push(component);
      if (component === "VEVENT" && within.length === 2) events.push(emptyEvent());
      // Components within components within …: no calendar.
      if (within.length > 10) return null;
    } else if (name === "END") within.pop();
    else if (within.length === 2 && within[1] === "VEVENT") take(events.at(-1)!, name, value);
    if (events.length > MOST_EVENTS * 2) break;
  }
  return isCalendar ? events : null;
}

function emptyEvent(): Event {
  const none = { start: null, end: null, duration: null, rule: null };
  const flags = { isCancelled: false, isOneOfSeries: false, hasExtraDates: false };
  return { summary: "", ...none, exceptions: [], ...flags };
}

function take(event: Event, name: string, value: string): void {
  if (name === "SUMMARY") event.summary = value;
  else if (name === "DTSTART") event.start = value;
  else if (name === "DTEND") event.end = value;
  else if (name === "DURATION") event.duration = value.trim();
  else if (name === "RRULE") event.rule = value.trim();
  else if (name === "EXDATE") event.exceptions.push(...value.split(","));
  else if (name === "STATUS") event.isCancelled = value.trim().toUpperCase() === "CANCELLED";
  else if (name === "RECURRENCE-ID") event.isOneOfSeries = true;
  else if (name === "RDATE") event.hasExtraDates = true;
}

/** The file's lines, those that go on in the next put together. */
function* unfolded(text: string): Generator<string> {
  let current: string | null = null;
  let lines = 0;
  for (let at = 0; at <= text.length && lines < MOST_LINES; lines++) {
    const found = text.indexOf("\n", at);
    const end = found === -1 ? text.length : found;
    // No further than a line is read: one that is as long as the file is not copied.
    const line = text.slice(at, Math.min(end, at + LONGEST_LINE)).replace(/\r$/, "");
    at = end + 1;
    if (current !== null && /^[ \t]/.test(line)) {
      if (current.length < LONGEST_LINE) current += line.slice(1);
      continue;
    }
    if (current !== null) yield current;
    current = lines === 0 ? line.replace(/^\uFEFF/, "") : line;
  }
  if (current !== null) yield current;
}

/** `NAME;PARAMETER="a:b":value`, without its parameters: a date is told from a time by its value. Null: it is none. */
function propertyOf(line: string): { name: string; value: string } | null {
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted;
    if (line[at] !== ":" || isQuoted) continue;
    const [name = ""] = line.slice(0, at).split(";");
    return { name: name.toUpperCase(), value: line.slice(at + 1) };
  }
  return null;
}

function nameOf(summary: string): string {
  const text = summary
    .replace(/\\([nN,;\\])/g, (_, escaped: string) => (escaped.toLowerCase() === "n" ? " " : escaped))
    .replace(/\s+/g, " ")
    // What is not seen, and turns text around.
    .replace(/\p{C}/gu, "")
    .trim();
  return [...text].slice(0, LONGEST_NAME).join("").trim().slice(0, LONGEST_NAME) || "Holiday";
}

/** The days of an event, counted from 1970, or why they are left out. */
function daysOf(event: Event, today: number, budget: { months: number }): number[] | string {
  if (event.isCancelled) return "It is cancelled";
  if (event.isOneOfSeries) return "It changes one day of a series: look at that day yourself";
  const start = event.start && dayIn(event.start);
  if (start === null || start === "") return event.start ? "It has a time of day" : "It has no date";
  const length = lengthOf(event, start);
  if (length === null) return "Its end can't be read";
  if (length > MOST_DAYS) return `It is longer than ${MOST_DAYS} days`;
  if (event.hasExtraDates) return "It repeats in a way that Intray does not read";
  const begins = event.rule === null ? [start] : repeated(event.rule, start, today, budget);
  if (typeof begins === "string") return begins;
  const exceptions = new Set(event.exceptions.flatMap((text) => dayIn(text.slice(0, 8)) ?? []));
  const days = begins
    .filter((day) => !exceptions.has(day))
    .flatMap((day) => Array.from({ length }, (_, n) => day + n));
  const latest = today + YEARS_AHEAD * 366;
  const near = days.filter((day) => day <= latest);
  return near.length === 0 && days.length > 0 ? `It is more than ${YEARS_AHEAD} years ahead` : near;
}

/** DTEND is the day after the last one. */
function lengthOf({ end, duration }: Event, start: number): number | null {
  if (end) {
    const after = dayIn(end);
    return after === null ? null : Math.max(1, after - start);
  }
  if (duration === null) return 1;
  const [, weeks, days] = /^\+?P(?:(\d{1,3})W|(\d{1,4})D)$/.exec(duration.toUpperCase()) ?? [];
  if (weeks) return Number(weeks) * 7;
  return days ? Math.max(1, Number(days)) : null;
}

const WEEKDAYS = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];
const UNREAD = "It repeats in a way that Intray does not read";

/** The days on which a yearly event begins, from this year on for three years, or why they can't be told. */
function repeated(rule: string, start: number, today: number, budget: { months: number }): number[] | string {
  const read = ruleOf(rule);
  if (!read) return UNREAD;
  const { interval, count, until, months, monthDays, weekdays } = read;
  const first = new Date(start * DAY_MS);
  const firstYear = first.getUTCFullYear();
  // Before that no holiday of today began, and what is counted has to be counted from its begin.
  if (firstYear < 1900) return UNREAD;
  const lastYear = new Date(today * DAY_MS).getUTCFullYear() + YEARS_REPEATED;
  const latest = Math.min(until ?? Number.POSITIVE_INFINITY, yearsAfter(today, YEARS_REPEATED));
  const days: number[] = [];
  let seen = 0;
  const dates = monthDays ?? (weekdays ? null : [first.getUTCDate()]);
  // What is not counted needs no year before the last one.
  const skipped = count < Number.POSITIVE_INFINITY ? 0 : lastYear - YEARS_REPEATED - 1 - firstYear;
  const begin = firstYear + interval * Math.ceil(Math.max(0, skipped) / interval);
  for (let year = begin; year <= lastYear; year += interval)
    for (const month of months ?? [first.getUTCMonth() + 1]) {
      if (--budget.months < 0) return "The file has too much that repeats";
      for (const day of inMonth(year, month, dates, weekdays)) {
        if (day < start || day > latest || seen >= count) continue;
        seen++;
        if (day >= today - MOST_DAYS) days.push(day);
      }
    }
  return days;
}

interface Rule {
  interval: number;
  count: number;
  until: number | null;
  months: number[] | null;
  monthDays: number[] | null;
  weekdays: { nth: number | null; weekday: number }[] | null;
}

/** A yearly rule of days of months, or of weekdays in months; null: any other. */
function ruleOf(text: string): Rule | null {
  const parts = new Map<string, string>();
  for (const part of text.toUpperCase().split(";").slice(0, 20)) {
    const [name = "", value = ""] = part.split("=");
    parts.set(name.trim(), value.trim());
  }
  const known = ["FREQ", "INTERVAL", "COUNT", "UNTIL", "BYMONTH", "BYMONTHDAY", "BYDAY", "WKST", ""];
  if (parts.get("FREQ") !== "YEARLY" || [...parts.keys()].some((name) => !known.includes(name))) return null;
  const numbers = (name: string, least: number, most: number) => {
    const given = parts.get(name);
    if (given === undefined) return null;
    const list = [...new Set(given.split(",").map(Number))].sort((one, other) => one - other);
    const isRead = list.every(
      (each) => Number.isInteger(each) && each !== 0 && each >= least && each <= most,
    );
    return isRead ? list : undefined;
  };
  const interval = numbers("INTERVAL", 1, 1_000);
  const count = numbers("COUNT", 1, 1_000_000);
  const months = numbers("BYMONTH", 1, 12);
  const monthDays = numbers("BYMONTHDAY", -31, 31);
  const weekdays = weekdaysOf(parts.get("BYDAY"));
  const end = parts.get("UNTIL");
  const until = end === undefined ? null : (dayIn(end.slice(0, 8)) ?? undefined);
  if ([interval, count, months, monthDays, weekdays, until].includes(undefined)) return null;
  // Days without a month are days of each month, and weekdays without one of the year.
  if (!months && (monthDays || weekdays)) return null;
  // A weekday is the nth of its month, or that within days of the month.
  if (weekdays?.some(({ nth }) => (nth === null) === (monthDays === null))) return null;
  return {
    interval: interval?.[0] ?? 1,
    count: count?.[0] ?? Number.POSITIVE_INFINITY,
    until: until ?? null,
    months: months ?? null,
    monthDays: monthDays ?? null,
    weekdays: weekdays ?? null,
  };
}

/** `4TH,-1MO`; undefined: it can't be read. */
function weekdaysOf(text: string | undefined): Rule["weekdays"] | undefined {
  if (text === undefined) return null;
  const list: NonNullable<Rule["weekdays"]> = [];
  for (const part of text.split(",").slice(0, 20)) {
    const [, nth, name = ""] = /^([+-]?[1-5])?([A-Z]{2})$/.exec(part.trim()) ?? [];
    const weekday = WEEKDAYS.indexOf(name);
    if (weekday === -1) return undefined;
    list.push({ nth: nth ? Number(nth) : null, weekday });
  }
  return list;
}

/** The days of a month that are meant, in their order. */
function inMonth(
  year: number,
  month: number,
  monthDays: number[] | null,
  weekdays: Rule["weekdays"],
): number[] {
  const first = Date.UTC(year, month - 1, 1) / DAY_MS;
  const length = Date.UTC(year, month, 1) / DAY_MS - first;
  const isMeant = (date: number) => {
    const weekday = new Date((first + date - 1) * DAY_MS).getUTCDay();
    if (monthDays && !monthDays.some((each) => date === (each > 0 ? each : length + 1 + each))) return false;
    if (!weekdays) return true;
    const [nth, fromEnd] = [Math.ceil(date / 7), -Math.ceil((length + 1 - date) / 7)];
    return weekdays.some((each) => each.weekday === weekday && [null, nth, fromEnd].includes(each.nth));
  };
  return Array.from({ length }, (_, at) => at + 1)
    .filter(isMeant)
    .map((date) => first + date - 1);
}

function yearsAfter(day: number, years: number): number {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear() + years, date.getUTCMonth(), date.getUTCDate()) / DAY_MS;
}

/** `20261225`, counted from 1970; null: it is none, or has a time. */
function dayIn(text: string): number | null {
  const [, year, month, date] = /^(\d{4})(\d{2})(\d{2})$/.exec(text.trim()) ?? [];
  if (!year || Number(year) < 1000) return null;
  const day = Date.UTC(Number(year), Number(month) - 1, Number(date)) / DAY_MS;
  return dateOf(day) === `${year}-${month}-${date}` ? day : null;
}

function dayOf(date: string): number {
  return Date.parse(`${date}T00:00Z`) / DAY_MS;
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Words for working calendars, in the history and in the form. */

import { plural, shorten } from "../../text/labels.ts";
import type { Calendar, Holiday, Span, Weekday } from "./calendar-schema.ts";

export const DAY_NAMES: Record<Weekday, string> = {
  mon: "Monday",
  tue: "Tuesday",
  wed: "Wednesday",
  thu: "Thursday",
  fri: "Friday",
  sat: "Saturday",
  sun: "Sunday",
};
/** Not the schema's: the history's words come without it. */
const WEEKDAYS = Object.keys(DAY_NAMES) as Weekday[];

/** `09:00-12:00, 13:00-17:00`; empty: nobody works. */
export function hoursText(spans: Span[]): string {
  return spans.map(({ from, to }) => `${from}-${to}`).join(", ");
}

/** Reads what `hoursText` writes, loosely; the schema judges the times. Null: it can't be read. */
export function readHours(text: string): Span[] | null {
  const parts = text.split(/[,;]/).flatMap((part) => part.trim() || []);
  const spans = parts.map((part) => /^(\d{1,2}):(\d{2})\s*(?:-|–|to)\s*(\d{1,2}):(\d{2})$/.exec(part));
  if (spans.includes(null)) return null;
  return spans.map((found) => {
    const [, hour = "", minute = "", toHour = "", toMinute = ""] = found ?? [];
    return { from: `${hour.padStart(2, "0")}:${minute}`, to: `${toHour.padStart(2, "0")}:${toMinute}` };
  });
}

/** A holiday a line: `2026-12-25 Christmas Day`. */
export function holidaysText(holidays: Holiday[]): string {
  return holidays.map(({ date, name }) => `${date} ${name}`).join("\n");
}

/** Reads what `holidaysText` writes; the schema judges the dates. */
export function readHolidays(text: string): Holiday[] {
  const lines = text.split("\n").flatMap((line) => line.trim() || []);
  return lines.map((line) => {
    const [date = "", ...words] = line.split(/\s+/);
    return { date, name: words.join(" ") };
  });
}

type Fields = Record<string, unknown>;

/** What a line of the history says of a change of the calendar. The line's data may be of another version. */
export function calendarChanges(data: Fields): string {
  const zone = isFields(data.zone) ? [`Time zone: ${String(data.zone.from)} → ${String(data.zone.to)}`] : [];
  const days = listOf(data.days).map(({ day, from, to }) => `${dayName(day)}: ${hours(from)} → ${hours(to)}`);
  const whole = isFields(data.to) ? [wholeInWords(data.to)] : [];
  return [
    ...whole,
    ...zone,
    ...days,
    ...holidays("Added", data.added),
    ...holidays("Removed", data.removed),
  ].join("\n");
}

function wholeInWords({ zone, days, holidays: count }: Fields): string {
  const given = isFields(days) ? days : {};
  const open = WEEKDAYS.filter((day) => hours(given[day]) !== CLOSED);
  const list = open.map((day) => `${DAY_NAMES[day]} ${hours(given[day])}`).join("; ");
  return `${String(zone)}: ${list}; ${plural(Number(count) || 0, "holiday")}`;
}

const CLOSED = "closed";

function hours(value: unknown): string {
  return hoursText(listOf(value) as unknown as Span[]) || CLOSED;
}

function holidays(verb: string, value: unknown): string[] {
  const list = listOf(value).map(({ date, name }) => `${String(date)} ${String(name)}`);
  return list.length === 0 ? [] : [`${verb}: ${shorten(list.join(", "), 500)}`];
}

function dayName(day: unknown): string {
  return DAY_NAMES[day as Weekday] ?? String(day);
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Monday to Friday from 9 to 5, to begin with. */
export function officeHours(zone: string): Calendar {
  const spans = [{ from: "09:00", to: "17:00" }];
  const day = (name: Weekday) => (name === "sat" || name === "sun" ? [] : spans);
  const days = Object.fromEntries(WEEKDAYS.map((name) => [name, day(name)])) as Calendar["days"];
  return { zone, days, holidays: [] };
}

/** Ages and distances in time, in English words. Dates as a person's locale has them: see formats.ts. */
import { formatAge } from "./duration.ts";
import { plural } from "./labels.ts";

/** Formats an age: `4 min ago`. The caller passes `now`, so that all ages on screen tick together. */
export function formatAgo(at: string, now: number): string {
  const ms = now - Date.parse(at);
  return ms < 5_000 ? "just now" : `${formatAge(ms)} ago`;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Returns true if text is an ISO 8601 date that a calendar has, with or without a time, from the year 1000 to 9999: an earlier one
 * is written like one of this century ("Nov 30, 26").
 */
export function isDateText(text: string): boolean {
  if (!DATE.test(text) && !DATE_TIME.test(text)) return false;
  if (text < "1000-01-02" || text >= "9999-12-31") return false;
  // `Date` reads 30 February as 2 March, and 24:00 as the next day.
  const day = new Date(`${text.slice(0, 10)}T00:00Z`);
  return (
    !Number.isNaN(day.getTime() + Date.parse(text)) &&
    day.getUTCDate() === Number(text.slice(8, 10)) &&
    !text.includes("T24")
  );
}

/** Whether a date with a time says of which zone. */
export function isZoned(text: string): boolean {
  return /(Z|[+-]\d{2}:?\d{2})$/.test(text.slice(10));
}

/**
 * Returns the moment of a date text. A time without a zone counts as UTC, as a date without a time does: the zone
 * of whoever reads it is not what was sent.
 */
export function momentOf(text: string): number {
  return Date.parse(text.length === 10 || isZoned(text) ? text : `${text}Z`);
}

/** Whether an ISO 8601 date has no time, or midnight UTC, which servers send for a date without a time. */
export function isDateOnly(text: string): boolean {
  return DATE.test(text) || /T00:00(:00(\.0+)?)?(Z|\+00:?00)$/.test(text);
}

/** Formats `in 3 months` for a date at least a day ahead, else returns null. A date without a time counts by the calendar. */
export function formatAhead(text: string, now: number): string | null {
  const exact = (momentOf(text) - now) / 86_400_000;
  const days = isDateOnly(text) ? Math.ceil(exact) : exact;
  return days >= 1 ? `in ${distance(days)}` : null;
}

/** Formats `5 days overdue` or `5 days ago` for a date at least a day in the past, else returns null. */
export function formatPast(text: string, now: number, word: "overdue" | "ago"): string | null {
  const days = Math.floor((now - momentOf(text)) / 86_400_000);
  return days >= 1 ? `${distance(days)} ${word}` : null;
}

function distance(days: number): string {
  if (days < 14) return plural(Math.round(days), "day");
  if (days < 60) return plural(Math.round(days / 7), "week");
  if (days < 700) return plural(Math.round(days / 30.44), "month");
  return plural(Math.round(days / 365.25), "year");
}

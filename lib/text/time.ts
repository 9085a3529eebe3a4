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

/** Returns true if text is an ISO 8601 date, with or without a time. */
export function isDateText(text: string): boolean {
  return (DATE.test(text) || DATE_TIME.test(text)) && !Number.isNaN(Date.parse(text));
}

/** Whether an ISO 8601 date has no time, or midnight UTC, which servers send for a date without a time. */
export function isDateOnly(text: string): boolean {
  return DATE.test(text) || /T00:00(:00(\.0+)?)?(Z|\+00:?00)$/.test(text);
}

/** Formats `in 3 months` for a date at least a day ahead, else returns null. */
export function formatAhead(text: string, now: number): string | null {
  const days = (Date.parse(text) - now) / 86_400_000;
  return days >= 1 ? `in ${distance(days)}` : null;
}

/** Formats `5 days overdue` or `5 days ago` for a date at least a day in the past, else returns null. */
export function formatPast(text: string, now: number, word: "overdue" | "ago"): string | null {
  const days = Math.floor((now - Date.parse(text)) / 86_400_000);
  return days >= 1 ? `${distance(days)} ${word}` : null;
}

function distance(days: number): string {
  if (days < 14) return plural(Math.round(days), "day");
  if (days < 60) return plural(Math.round(days / 7), "week");
  if (days < 700) return plural(Math.round(days / 30.44), "month");
  return plural(Math.round(days / 365.25), "year");
}

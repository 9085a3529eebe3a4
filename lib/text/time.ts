import { formatAge } from "./duration.ts";

const DAY_PARTS = { day: "numeric", month: "short" } as const;
const DATE_PARTS = { ...DAY_PARTS, year: "numeric" } as const;
const MINUTE_PARTS = { hour: "2-digit", minute: "2-digit" } as const;
const EXACT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });
const DAY = new Intl.DateTimeFormat("en-GB", DAY_PARTS);
const DAY_OF_YEAR = new Intl.DateTimeFormat("en-GB", DATE_PARTS);
/** UTC, because a date without a time must not shift with the reader's zone. */
const DAY_EVERYWHERE = new Intl.DateTimeFormat("en-GB", { ...DATE_PARTS, timeZone: "UTC" });
const DAY_AND_TIME = new Intl.DateTimeFormat("en-GB", {
  ...DATE_PARTS,
  ...MINUTE_PARTS,
  timeZoneName: "short",
});
const MINUTES = new Intl.DateTimeFormat("en-GB", MINUTE_PARTS);
const SECONDS = new Intl.DateTimeFormat("en-GB", { ...MINUTE_PARTS, second: "2-digit" });
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/** Formats an age: `4 min ago`. The caller passes `now`, so that all ages on screen tick together. */
export function formatAgo(at: string, now: number): string {
  const ms = now - Date.parse(at);
  return ms < 5_000 ? "just now" : `${formatAge(ms)} ago`;
}

/** Formats the full instant in the viewer's zone, for hover titles. */
export function formatExact(at: string): string {
  return EXACT.format(new Date(at));
}

/** Formats a timeline's time: `16:02:11` today, `yesterday 16:02`, `19 Nov 12:40`, `19 Nov 2025 12:40`. */
export function formatClock(at: string, now: number): string {
  const date = new Date(at);
  const today = new Date(now);
  if (date.toDateString() === today.toDateString()) return SECONDS.format(date);
  const yesterday = new Date(today);
  yesterday.setDate(today.getDate() - 1);
  if (date.toDateString() === yesterday.toDateString()) return `yesterday ${MINUTES.format(date)}`;
  return `${dayOf(date, today)} ${MINUTES.format(date)}`;
}

/** Formats the time alone: `16:02:11`, for lists under day headings. */
export function formatTimeOfDay(at: string): string {
  return SECONDS.format(new Date(at));
}

/** Formats a day for a sentence: `today`, `yesterday`, `on 12 Nov`, `on 12 Nov 2025`. */
export function formatDay(at: string, now: number): string {
  const date = new Date(at);
  const today = new Date(now);
  const days = Math.round((startOfDay(today) - startOfDay(date)) / 86_400_000);
  if (days === 0) return "today";
  if (days === 1) return "yesterday";
  return `on ${dayOf(date, today)}`;
}

/** Formats a day, with the year unless it is the current one. */
function dayOf(date: Date, today: Date): string {
  return (date.getFullYear() === today.getFullYear() ? DAY : DAY_OF_YEAR).format(date);
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** Returns true if text is an ISO 8601 date, with or without a time. */
export function isDateText(text: string): boolean {
  return (DATE.test(text) || DATE_TIME.test(text)) && !Number.isNaN(Date.parse(text));
}

/** Formats `30 Jun 2024`, with time and zone if the text has a time other than midnight UTC. */
export function formatDate(text: string): string {
  const date = new Date(text);
  const dateOnly = DATE.test(text) || /T00:00(:00(\.0+)?)?(Z|\+00:?00)$/.test(text);
  return (dateOnly ? DAY_EVERYWHERE : DAY_AND_TIME).format(date);
}

/** Formats `in 3 months` for a date at least a day ahead, else returns null. */
export function formatAhead(text: string, now: number): string | null {
  const days = (Date.parse(text) - now) / 86_400_000;
  return days >= 1 ? relative(days, 1) : null;
}

/** Formats `5 days overdue` or `5 days ago` for a date at least a day in the past, else returns null. */
export function formatPast(text: string, now: number, word: "overdue" | "ago"): string | null {
  const days = Math.floor((now - Date.parse(text)) / 86_400_000);
  return days >= 1 ? relative(days, -1).replace(/ago$/, word) : null;
}

function relative(days: number, sign: 1 | -1): string {
  const say = (length: number, unit: Intl.RelativeTimeFormatUnit) =>
    RELATIVE.format(sign * Math.round(days / length), unit);
  if (days < 14) return say(1, "day");
  if (days < 60) return say(7, "week");
  return days < 700 ? say(30.44, "month") : say(365.25, "year");
}

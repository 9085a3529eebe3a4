/**
 * Working time as its definition says it, minute by minute: slow, and by no way that lib/policy/calendar/working-time.ts goes. Of a
 * calendar: the minutes of a day in which somebody works, by the zone's wall clock.
 */
import { type Calendar, WEEKDAYS } from "../lib/policy/calendar/calendar-schema.ts";

const MINUTE = 60_000;
const DAY = 1_440;

/** The moment that a duration such as `4h` or `3d` leads to. In whole minutes. */
export function addByMinutes(calendar: Calendar, from: Date, duration: string): Date {
  const [, digits, unit] = /^(\d+)([mhdw])$/.exec(duration)!;
  const count = Number(digits);
  let at = from.getTime() / MINUTE;
  const isWorking = (minute: number) => {
    const day = wallOf(calendar.zone, minute).day;
    // A span may begin before midnight of another offset: the days beside it are asked too.
    return [day - 1, day, day + 1].some((each) => isOf(minutesOf(calendar, each), minute));
  };
  while (!isWorking(at)) at++;
  if (unit === "m" || unit === "h") {
    for (let left = count * (unit === "h" ? 60 : 1); left > 0; at++) if (isWorking(at)) left--;
    return new Date(at * MINUTE);
  }
  const start = wallOf(calendar.zone, at).day;
  const worked = minutesOf(calendar, start).filter((minute) => minute < at).length;
  let day = unit === "w" ? start + 7 * count : start;
  if (unit === "d") for (let left = count; left > 0; ) if (minutesOf(calendar, ++day).length > 0) left--;
  if (unit === "w" && minutesOf(calendar, day).length === 0) {
    while (minutesOf(calendar, day).length === 0) day++;
    return new Date(minutesOf(calendar, day)[0]! * MINUTE);
  }
  const minutes = minutesOf(calendar, day);
  // After so many minutes of work, or at the day's end.
  const place = worked === 0 ? minutes[0]! : minutes[Math.min(worked, minutes.length) - 1]! + 1;
  return new Date(place * MINUTE);
}

/** Whether a minute is among these, which are in order. */
function isOf(minutes: number[], minute: number): boolean {
  if (minutes.length === 0 || minute < minutes[0]! || minute > minutes.at(-1)!) return false;
  return minutes.includes(minute);
}

const known = new WeakMap<Calendar, Map<number, number[]>>();

/** The minutes, since 1970 UTC, of a day, which is counted from 1970 in the zone. */
function minutesOf(calendar: Calendar, day: number): number[] {
  const days = known.get(calendar) ?? new Map<number, number[]>();
  known.set(calendar, days);
  let minutes = days.get(day);
  if (!minutes) {
    const date = new Date(day * DAY * MINUTE);
    const isHoliday = calendar.holidays.some((holiday) => holiday.date === date.toISOString().slice(0, 10));
    const spans = isHoliday ? [] : calendar.days[WEEKDAYS[(date.getUTCDay() + 6) % 7]!];
    minutes = spans.flatMap(({ from, to }) => {
      const [begin, end] = [firstAt(calendar.zone, day, from), firstAt(calendar.zone, day, to)];
      return Array.from({ length: Math.max(0, end - begin) }, (_, n) => begin + n);
    });
    days.set(day, minutes);
  }
  return minutes;
}

/** The first minute at which the zone's clocks show this time of the day, or, as they skip it, a later one. */
function firstAt(zone: string, day: number, time: string): number {
  const [hour, minute] = time.split(":").map(Number) as [number, number];
  const wanted = day * DAY + hour * 60 + minute;
  let at = wanted - 15 * 60;
  while (wallOf(zone, at).minute < wanted) at++;
  return at;
}

/** By zone and quarter of an hour. */
const offsets = new Map<string, Map<number, number>>();
const formats = new Map<string, Intl.DateTimeFormat>();

/** What the zone's clocks show at a minute since 1970 UTC, in days and minutes as if they were UTC's. */
function wallOf(zone: string, at: number): { day: number; minute: number } {
  // Clocks change at quarters of hours at the soonest.
  const quarter = Math.floor(at / 15);
  const known = offsets.get(zone) ?? new Map<number, number>();
  offsets.set(zone, known);
  let offset = known.get(quarter);
  if (offset === undefined) {
    const parts = Object.fromEntries(
      formatOf(zone)
        .formatToParts(new Date(quarter * 15 * MINUTE))
        .map(({ type, value }) => [type, Number(value)]),
    ) as Record<string, number>;
    const shown = Date.UTC(parts.year!, parts.month! - 1, parts.day!, parts.hour!, parts.minute!) / MINUTE;
    offset = shown - quarter * 15;
    known.set(quarter, offset);
  }
  return { day: Math.floor((at + offset) / DAY), minute: at + offset };
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const part = "2-digit";
  const made =
    formats.get(zone) ??
    new Intl.DateTimeFormat("en-GB", {
      ...{ timeZone: zone, hourCycle: "h23", year: "numeric" },
      ...{ month: part, day: part, hour: part, minute: part },
    });
  formats.set(zone, made);
  return made;
}

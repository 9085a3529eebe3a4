/**
 * When daily digests are due. Pure. A day is one of the zone's calendar, such as `2026-12-01`, and has one digest at most, also
 * where the clocks change.
 */
import { type Calendar, WEEKDAYS } from "../../policy/calendar/calendar-schema.ts";
import { instantsOf, wallOf } from "../../text/local-time.ts";

const DAY_MS = 86_400_000;

/** The day of a moment in the zone. */
export function dayIn(zone: string, at: Date): string {
  return wallOf(at.toISOString(), zone).slice(0, 10);
}

/** The first moment after `from` at which the zone's clocks show the hour, on a day after `lastDay`. */
export function nextDue(
  { hour, zone }: { hour: number; zone: string },
  from: Date,
  lastDay: string | null,
): Date {
  for (let day = dayIn(zone, from); ; day = dayAfter(day)) {
    if (lastDay !== null && day <= lastDay) continue;
    const due = momentOf(day, hour, zone);
    if (due && due > from) return due;
  }
}

/** An hour that the clocks skip is the next one of the day; one that they show twice is the first. Null: the zone has no such day. */
function momentOf(day: string, hour: number, zone: string): Date | null {
  for (let each = hour; each < 24; each++) {
    const [first] = instantsOf(`${day}T${String(each).padStart(2, "0")}:00`, zone);
    if (first) return new Date(first);
  }
  return null;
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00Z`) + DAY_MS).toISOString().slice(0, 10);
}

/** Without a calendar the working days are Monday to Friday. */
export function isWorkingDay(calendar: Calendar | null, day: string): boolean {
  const weekday = WEEKDAYS[(new Date(`${day}T00:00Z`).getUTCDay() + 6) % 7]!;
  if (calendar === null) return weekday !== "sat" && weekday !== "sun";
  return calendar.days[weekday].length > 0 && !calendar.holidays.some(({ date }) => date === day);
}

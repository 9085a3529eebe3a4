/**
 * Arithmetic in working time. Pure. An hour is an hour in which somebody works. A day leads to the same place of the next working
 * day, or to its end where that is shorter. A week leads to the same day of a later week, or to the next working day after it.
 */
import { keptOffsetAt } from "../../text/local-time.ts";
import { type Calendar, WEEKDAYS } from "./calendar-schema.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const UNITS: Record<string, number> = { m: MINUTE_MS, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };

/** No time is further away, so that a calendar of an hour a week can't make a search endless: 10 years. */
export const FURTHEST_MS = 3_653 * DAY_MS;

/** Moves on by a duration such as `4h`, `3d`, or `3d!`, which is by the clock. Without a calendar all time is working time. */
export function addWorkingTime(calendar: Calendar | null, from: Date, duration: string): Date {
  const [, digits, unit = "", clock] = /^(\d+)([wdhm])(!?)$/.exec(duration) ?? [];
  const size = UNITS[unit];
  if (size === undefined) throw new Error(`${duration} is no duration`);
  const count = Number(digits);
  const start = from.getTime();
  const latest = start + FURTHEST_MS;
  const at =
    calendar === null || clock
      ? start + count * size
      : moveOn(calendar, start, { count, unit, size }, latest);
  return new Date(Math.min(at ?? latest, latest));
}

/** As `addWorkingTime`, and `ms` later: in working time, or by the clock as the duration is. */
export function putOff(calendar: Calendar | null, from: Date, duration: string, ms: number): Date {
  const due = addWorkingTime(calendar, from, duration).getTime();
  if (ms === 0) return new Date(due);
  const latest = from.getTime() + FURTHEST_MS;
  if (calendar === null || duration.endsWith("!")) return new Date(Math.min(due + ms, latest));
  const start = firstWorking(calendar, due, latest);
  return new Date((start && afterWork(calendar, start, ms, latest)) ?? latest);
}

/** How long people worked between two times, in ms, at most that of `FURTHEST_MS`; by the clock without a calendar, and for a duration that is. */
export function workingTimeBetween(calendar: Calendar | null, from: Date, to: Date, duration = ""): number {
  const [begin, end] = [from.getTime(), Math.min(to.getTime(), from.getTime() + FURTHEST_MS)];
  if (calendar === null || duration.endsWith("!")) return Math.max(0, end - begin);
  let worked = 0;
  const [first, last] = [dayOf(begin, calendar.zone), dayOf(end, calendar.zone)];
  for (let day = first; day <= last; day++) {
    const block = day > first + 1 && day + BLOCK_DAYS < last ? blockFrom(calendar, day) : null;
    if (block) {
      worked += block.ms;
      day += BLOCK_DAYS - 1;
      continue;
    }
    worked += lengthOf(
      spansOf(calendar, day).map((span) => ({
        from: Math.max(span.from, begin),
        to: Math.min(span.to, end),
      })),
    );
  }
  return worked;
}

/** Null: it is after `latest`. */
function moveOn(
  calendar: Calendar,
  from: number,
  { count, unit, size }: { count: number; unit: string; size: number },
  latest: number,
): number | null {
  const start = firstWorking(calendar, from, latest);
  if (start === null) return null;
  if (unit === "m" || unit === "h") return afterWork(calendar, start, count * size, latest);
  const worked = lengthOf(
    spansOf(calendar, start.day).map(({ from: a, to }) => ({ from: a, to: Math.min(to, start.at) })),
  );
  const day = unit === "d" ? workingDayAfter(calendar, start.day, count, latest) : start.day + 7 * count;
  if (day === null) return null;
  const spans = spansOf(calendar, day);
  if (spans.length > 0) return placeIn(spans, worked);
  // A week later is a holiday, or a day whose hours the clocks skip.
  const next = workingDayAfter(calendar, day, 1, latest);
  return next === null ? null : placeIn(spansOf(calendar, next), 0);
}

interface Place {
  day: number;
  at: number;
}

/** A span of instants. */
interface Worked {
  from: number;
  to: number;
}

/** The first moment from `at` on after which somebody works. */
function firstWorking(calendar: Calendar, at: number, latest: number): Place | null {
  for (let day = dayOf(at, calendar.zone); day * DAY_MS <= latest + DAY_MS; day++) {
    if (blockFrom(calendar, day)?.days === 0) {
      day += BLOCK_DAYS - 1;
      continue;
    }
    const span = spansOf(calendar, day).find(({ to }) => to > at);
    if (span) return { day, at: Math.max(at, span.from) };
  }
  return null;
}

function afterWork(calendar: Calendar, start: Place, ms: number, latest: number): number | null {
  let left = ms;
  for (let { day } = start; day * DAY_MS <= latest + DAY_MS; day++) {
    // A day beside the first may begin before `start.at`, where clocks change at midnight.
    const block = day > start.day + 1 ? blockFrom(calendar, day) : null;
    if (block && block.ms < left) {
      left -= block.ms;
      day += BLOCK_DAYS - 1;
      continue;
    }
    for (const { from, to } of spansOf(calendar, day)) {
      const begin = Math.max(from, start.at);
      if (begin >= to) continue;
      if (left <= to - begin) return begin + left;
      left -= to - begin;
    }
  }
  return null;
}

function workingDayAfter(calendar: Calendar, from: number, count: number, latest: number): number | null {
  let left = count;
  for (let day = from + 1; day * DAY_MS <= latest + DAY_MS; day++) {
    const block = blockFrom(calendar, day);
    if (block && block.days < left) {
      left -= block.days;
      day += BLOCK_DAYS - 1;
      continue;
    }
    if (spansOf(calendar, day).length > 0 && --left === 0) return day;
  }
  return null;
}

/** The moment after so much work of a day, or its end. */
function placeIn(spans: Worked[], worked: number): number {
  let left = worked;
  for (const { from, to } of spans) {
    if (left <= to - from) return from + left;
    left -= to - from;
  }
  return spans.at(-1)!.to;
}

function lengthOf(spans: Worked[]): number {
  return spans.reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0);
}

/** Days that are added up once: a search over ten years looks at few of them one by one. */
const BLOCK_DAYS = 64;

interface Known {
  /** Of the days of a week, from Monday on: when people work, in ms of the wall clock. */
  week: Worked[][];
  /** As days are, counted from 1970. */
  holidays: Set<number>;
  days: Map<number, Worked[]>;
  /** Work of whole blocks, and how many of their days have any. */
  blocks: Map<number, { ms: number; days: number }>;
}

/** What was looked at, by calendar. */
const known = new WeakMap<Calendar, Known>();

function knownOf(calendar: Calendar): Known {
  const seen = known.get(calendar);
  if (seen) return seen;
  const wall = (time: string) => {
    const [hour, minute] = time.split(":").map(Number) as [number, number];
    return (hour * 60 + minute) * MINUTE_MS;
  };
  const made: Known = {
    week: WEEKDAYS.map((day) =>
      calendar.days[day].map(({ from, to }) => ({ from: wall(from), to: wall(to) })),
    ),
    holidays: new Set(calendar.holidays.map(({ date }) => Date.parse(`${date}T00:00Z`) / DAY_MS)),
    days: new Map(),
    blocks: new Map(),
  };
  known.set(calendar, made);
  return made;
}

/** The block that begins with this day; null: none does. */
function blockFrom(calendar: Calendar, day: number): { ms: number; days: number } | null {
  if (day % BLOCK_DAYS !== 0) return null;
  const { blocks } = knownOf(calendar);
  const found = blocks.get(day);
  if (found) return found;
  const block = { ms: 0, days: 0 };
  for (let each = day; each < day + BLOCK_DAYS; each++) {
    const spans = spansOf(calendar, each);
    block.ms += lengthOf(spans);
    block.days += spans.length > 0 ? 1 : 0;
  }
  blocks.set(day, block);
  return block;
}

/** When somebody works on a day, counted from 1970-01-01 in the calendar's zone. Spans that the clocks skip are left out. */
function spansOf(calendar: Calendar, day: number): Worked[] {
  const { week, holidays, days } = knownOf(calendar);
  const found = days.get(day);
  if (found) return found;
  // 1970 began with a Thursday.
  const hours = holidays.has(day) ? [] : week[(((day + 3) % 7) + 7) % 7]!;
  const offset = hours.length === 0 ? null : steadyOffset(day, calendar.zone);
  const at = (time: number) => {
    const wall = day * DAY_MS + time;
    return offset === null ? instantOf(wall, calendar.zone) : wall - offset * MINUTE_MS;
  };
  const spans = hours
    .map(({ from, to }) => ({ from: at(from), to: at(to) }))
    .filter(({ from, to }) => from < to);
  days.set(day, spans);
  return spans;
}

/** The zone's offset on a day, in minutes; null if its clocks may change around it. */
function steadyOffset(day: number, zone: string): number | null {
  const [before, after] = [keptOffsetAt((day - 1) * DAY_MS, zone), keptOffsetAt((day + 2) * DAY_MS, zone)];
  return before === after ? before : null;
}

function dayOf(at: number, zone: string): number {
  return Math.floor((at + keptOffsetAt(at, zone) * MINUTE_MS) / DAY_MS);
}

/**
 * When the zone's clocks first show a wall time, which is given as if it were UTC, or the moment at which they skip it. So the end
 * of a span is the begin of one that follows it, and nothing is counted twice.
 */
function instantOf(wall: number, zone: string): number {
  const offsets = [keptOffsetAt(wall - DAY_MS, zone), keptOffsetAt(wall + DAY_MS, zone)];
  const shown = offsets
    .map((offset) => wall - offset * MINUTE_MS)
    .filter((at) => at + keptOffsetAt(at, zone) * MINUTE_MS === wall);
  if (shown.length > 0) return Math.min(...shown);
  // The clocks are before the wall time at `low`, and after it at `high`.
  let [low, high] = [wall - Math.max(...offsets) * MINUTE_MS, wall - Math.min(...offsets) * MINUTE_MS];
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / MINUTE_MS / 2) * MINUTE_MS;
    if (middle + keptOffsetAt(middle, zone) * MINUTE_MS < wall) low = middle;
    else high = middle;
  }
  return high;
}

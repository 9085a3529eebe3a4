/** Converts between wall times and RFC 3339. At a clock change, a wall time may name no instant or two. */

/** Returns the viewer's zone. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const WALL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/;
const ZONED = /(Z|[+-]\d{2}:\d{2})$/i;
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

/**
 * Returns wall time `2026-10-25T02:30` as RFC 3339 times with the zone's offset: none if the clocks skip that
 * time, two (the earlier first) if they show that time twice. Returns none for invalid wall times.
 */
export function instantsOf(wall: string, zone: string): string[] {
  if (!WALL.test(wall)) return [];
  const asUtc = Date.parse(`${wall}Z`);
  // Date.parse reads a 30th of February as a day in March.
  if (Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(wall.slice(0, 16))) return [];
  const offsets = new Set([offsetAt(asUtc - DAY, zone), offsetAt(asUtc + DAY, zone)]);
  const found = [...offsets].filter((offset) => offsetAt(asUtc - offset * MINUTE, zone) === offset);
  const text = /T\d{2}:\d{2}$/.test(wall) ? `${wall}:00` : wall;
  return found.sort((a, b) => b - a).map((offset) => `${text}${offsetText(offset)}`);
}

/** Returns an instant as the zone's wall time for a field: `2026-11-21T14:00`, without zero seconds. */
export function wallOf(instant: string, zone: string): string {
  if (!ZONED.test(instant)) return instant;
  const at = Date.parse(instant);
  if (Number.isNaN(at)) return "";
  const shown = new Date(at + offsetAt(at, zone) * MINUTE).toISOString().slice(0, 19);
  return shown.endsWith(":00") ? shown.slice(0, 16) : shown;
}

/** Returns the offset of an RFC 3339 time, e.g. `UTC+02:00`. */
export function offsetOf(instant: string): string {
  const offset = ZONED.exec(instant)?.[0] ?? "";
  return `UTC${/^(z|[+-]00:00)$/i.test(offset) ? "" : offset}`;
}

/** Returns the zone's offset at an instant, in minutes east of UTC. */
export function offsetAt(at: number, zone: string): number {
  const parts = offsetFormat(zone).formatToParts(at);
  const [, sign, hours, minutes] = /([+-])(\d{2}):(\d{2})/.exec(partOf(parts)) ?? [];
  return sign ? (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) : 0;
}

const WEEK = 7 * DAY;
/** Weeks of a zone are 50 KB for ten years. */
const MOST_ZONES = 100;
const MOST_WEEKS = 2_000;
/** A week of a zone: its offset before and after `change`. No zone changes its clocks twice in a week. */
interface Week {
  before: number;
  after: number;
  change: number;
}
const zones = new Map<string, Map<number, Week>>();

/** As `offsetAt`, for many instants of few zones: what it found out is kept by week. */
export function keptOffsetAt(at: number, zone: string): number {
  let weeks = zones.get(zone);
  if (!weeks) {
    if (zones.size >= MOST_ZONES) zones.clear();
    weeks = new Map();
    zones.set(zone, weeks);
  }
  const number = Math.floor(at / WEEK);
  let week = weeks.get(number);
  if (!week) {
    if (weeks.size >= MOST_WEEKS) weeks.clear();
    week = weekOf(number, zone);
    weeks.set(number, week);
  }
  return at < week.change ? week.before : week.after;
}

function weekOf(number: number, zone: string): Week {
  let [low, high] = [number * WEEK, (number + 1) * WEEK];
  const [before, after] = [offsetAt(low, zone), offsetAt(high, zone)];
  if (before === after) return { before, after, change: low };
  while (high - low > MINUTE) {
    const middle = low + Math.floor((high - low) / MINUTE / 2) * MINUTE;
    if (offsetAt(middle, zone) === before) low = middle;
    else high = middle;
  }
  return { before, after, change: high };
}

/** Each takes 30 KB. */
const MOST_FORMATS = 300;
const offsetFormats = new Map<string, Intl.DateTimeFormat>();

/** Cached per zone, since creating a format takes far longer than using one. */
function offsetFormat(zone: string): Intl.DateTimeFormat {
  const known = offsetFormats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
  // A zone may be written in any case, so that there is no end of names.
  if (offsetFormats.size >= MOST_FORMATS) offsetFormats.clear();
  offsetFormats.set(zone, made);
  return made;
}

const partOf = (parts: Intl.DateTimeFormatPart[]) =>
  parts.find((part) => part.type === "timeZoneName")?.value ?? "";

/** Returns minutes east of UTC as RFC 3339 has them: `+02:00`. */
export function offsetText(minutes: number): string {
  const pad = (value: number) => String(value).padStart(2, "0");
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}

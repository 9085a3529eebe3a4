const UNITS: [string, number][] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
];

/** Formats ms in at most two units: `2 d 4 h`, `1 h 12 min`, `5 min`, `48 s`, `0.4 s`. */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, ms);
  if (whole < 1_000) return `${(Math.floor(whole / 100) / 10).toFixed(1)} s`;
  const index = UNITS.findIndex(([, size]) => whole >= size);
  const [unit, size] = UNITS[index]!;
  const first = `${Math.floor(whole / size)} ${unit}`;
  // Seconds beside minutes, and hours beside a month, are noise.
  if (index >= 2 || whole >= 30 * UNITS[0]![1]) return first;
  const [nextUnit, nextSize] = UNITS[index + 1]!;
  const rest = Math.floor((whole % size) / nextSize);
  return rest === 0 ? first : `${first} ${rest} ${nextUnit}`;
}

/** How much longer: `121 more days`, `5 h 12 min more`. */
export function moreTime(ms: number): string {
  const days = Math.floor(ms / UNITS[0]![1]);
  return days > 1 ? `${days} more days` : `${formatDuration(ms)} more`;
}

/** Formats ms without leaving anything out, for settings of some minutes: `1 min 50 s`, `3 min`, `20 s`, `1.5 s`. */
export function exactDuration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const seconds = (ms % 60_000) / 1_000;
  if (minutes === 0) return `${seconds} s`;
  return seconds === 0 ? `${minutes} min` : `${minutes} min ${seconds} s`;
}

/** Formats ms in the largest unit alone, for columns of ages: `5 min`, `2 d`. */
export function formatAge(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? UNITS[3]!;
  return `${Math.max(0, Math.floor(ms / size))} ${unit}`;
}

/** Returns `a minute` for exactly one minute, else the formatted duration. */
export function aboutHowLong(ms: number): string {
  return ms === 60_000 ? "a minute" : formatDuration(ms);
}

/** Times until which a request is put off, as people say them. Pure. */

export interface SnoozeTime {
  words: string;
  at: Date;
}

/** The hour at which a morning begins. */
const MORNING = 9;

/** The choices at a moment, where the person is: hours from now, tomorrow morning, and the morning of next Monday. */
export function snoozeTimes(now: Date): SnoozeTime[] {
  const inHours = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
  const inDays = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING);
  // From Monday on, the Monday of next week.
  const toMonday = (8 - now.getDay()) % 7 || 7;
  return [
    { words: "In 1 hour", at: inHours(1) },
    { words: "In 4 hours", at: inHours(4) },
    { words: "Tomorrow morning", at: inDays(1) },
    ...(toMonday === 1 ? [] : [{ words: "Monday morning", at: inDays(toMonday) }]),
  ];
}

/** What a `datetime-local` field says, or null for no time. */
export function timeOf(typed: string): Date | null {
  const at = new Date(typed);
  return typed === "" || Number.isNaN(at.getTime()) ? null : at;
}

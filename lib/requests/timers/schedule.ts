/** Which timers a request has. Pure. */
import type { Calendar } from "../../policy/calendar/calendar-schema.ts";
import { putOff } from "../../policy/calendar/working-time.ts";
import type { Approval } from "../../policy/judge.ts";

export type TimerKind = "remind" | "escalate" | "expire";

/** A timer that is due `after` its start, in working time. */
export interface Timer {
  kind: TimerKind;
  /** Counted from 0; null: it is about the whole request. */
  stage: number | null;
  after: string;
  /** ISO 8601. */
  from: string;
}

/** When a timer is due that was paused for `pausedMs` of its time. `expire` waits for what an undo left people. */
export function dueOf(
  calendar: Calendar | null,
  { kind, after, from, pausedMs = 0 }: Pick<Timer, "kind" | "after" | "from"> & { pausedMs?: number },
  { putOffTo }: Pick<Approval, "putOffTo">,
): Date {
  const at = putOff(calendar, new Date(from), after, pausedMs);
  if (kind !== "expire" || putOffTo === null) return at;
  return new Date(Math.max(at.getTime(), Date.parse(putOffTo)));
}

/** The timers of the stage that is open and of the whole. None once its time is over, and none of a request of an earlier version. */
export function timersOf({ stages, open, expire, askedAt, lapsedAt }: Approval): Timer[] {
  if (lapsedAt !== null) return [];
  const { stage, since } = open;
  const current = stages[stage]!;
  const ofStage = (kind: TimerKind, times: string[]) =>
    since === null ? [] : times.map((after) => ({ kind, stage, after, from: since }));
  return [
    ...ofStage("remind", current.remind),
    ...ofStage(
      "escalate",
      current.escalations.map(({ after }) => after),
    ),
    ...(expire && askedAt !== null
      ? [{ kind: "expire" as const, stage: null, after: expire.after, from: askedAt }]
      : []),
  ];
}

/** Whether it matters when a stage of the request opens. */
export function hasStageTimes({ stages }: Pick<Approval, "stages">): boolean {
  return stages.some(({ remind, escalations }) => remind.length + escalations.length > 0);
}

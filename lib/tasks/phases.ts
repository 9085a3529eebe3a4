import type { EventType } from "../history/events/event-schema.ts";
import type { TaskPhase } from "./task-schema.ts";

/** An event of a task without its payload, which retention may have dropped; the type suffices. */
export interface PhaseEvent {
  type: string;
  at: Date;
  inputRequestId: string | null;
}

/** The phases of a task's life, derived from its history. */
export function phasesOf(
  events: PhaseEvent[],
  life: { createdAt: Date; finishedAt: Date | null },
  /** Earlier events are missing. */
  cut = false,
): TaskPhase[] {
  const standing: Standing = { called: cut, unsettled: false, asked: new Set(), answered: new Set() };
  const end = life.finishedAt?.getTime() ?? Number.POSITIVE_INFINITY;
  const starts: { phase: TaskPhase["phase"]; from: number }[] = [
    { phase: cut ? "earlier" : "queued", from: life.createdAt.getTime() },
  ];
  for (const event of events) {
    MOVES[event.type as MovingType]?.(standing, event.inputRequestId ?? "");
    const last = starts.at(-1)!;
    // Events of one transaction may not be in the order of their times.
    const from = Math.max(last.from, event.at.getTime());
    if (from >= end) break;
    const phase = phaseOf(standing);
    if (phase === last.phase) continue;
    if (from > last.from) starts.push({ phase, from });
    else {
      last.phase = phase;
      if (starts.at(-2)?.phase === phase) starts.pop();
    }
  }
  return starts.map(({ phase, from }, index) => ({
    phase,
    from: new Date(from).toISOString(),
    to: isoOrNull(starts[index + 1]?.from ?? end),
  }));
}

interface Standing {
  /** The server was called. */
  called: boolean;
  /** A person has to settle the outcome of the call. */
  unsettled: boolean;
  /** The requests that wait for a person. */
  asked: Set<string>;
  /** The requests whose answer is on its way. */
  answered: Set<string>;
}

function phaseOf({ called, unsettled, asked, answered }: Standing): TaskPhase["phase"] {
  if (unsettled || asked.size > 0) return "waiting";
  if (answered.size > 0) return "delivering";
  return called ? "working" : "queued";
}

type Move = (standing: Standing, inputRequestId: string) => void;

const called: Move = (standing) => Object.assign(standing, { called: true, unsettled: false });
const asked: Move = (standing, id) => {
  standing.asked.add(id);
  standing.answered.delete(id);
};
const answered: Move = (standing, id) => {
  standing.asked.delete(id);
  standing.answered.add(id);
};
const settled: Move = (standing, id) => {
  standing.asked.delete(id);
  standing.answered.delete(id);
};

const MOVES = {
  "task.starting": called,
  "task.started": called,
  "task.adopted": called,
  "task.asking": called,
  "task.start_settled": called,
  "task.not_started": (standing) => Object.assign(standing, { called: false }),
  "task.start_unknown": (standing) => Object.assign(standing, { unsettled: true }),
  "request.opened": asked,
  "request.replaced": asked,
  "request.reopened": asked,
  "request.withdrawn": settled,
  "request.expired": settled,
  "request.undeliverable": settled,
  "answer.recorded": answered,
  "answer.undone": asked,
  "delivery.confirmed": settled,
  // The server took the answer and keeps asking: a person has to look.
  "delivery.flagged": asked,
  "delivery.resend": answered,
} satisfies Partial<Record<EventType, Move>>;
type MovingType = keyof typeof MOVES;

export const PHASE_EVENTS = Object.keys(MOVES) as MovingType[];

function isoOrNull(time: number): string | null {
  return Number.isFinite(time) ? new Date(time).toISOString() : null;
}

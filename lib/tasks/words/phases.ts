/** The phases of a task's time, ready to be drawn and to be read. */

import { formatDuration } from "../../text/duration.ts";
import type { TaskPhase } from "../task-schema.ts";

export type Phase = TaskPhase["phase"];

export const PHASE_WORDS: Record<Phase, string> = {
  queued: "queued",
  working: "working",
  waiting: "waiting for a person",
  delivering: "delivering",
  earlier: "earlier",
};

export interface Stretch {
  phase: Phase;
  from: string;
  ms: number;
  /** The phase goes on. */
  live: boolean;
}

/** Most phases drawn; narrower ones could not be told apart. */
const MOST_DRAWN = 24;
/** The least share of the width, so that even a moment is visible; smaller if many phases are drawn. */
const LEAST_SHARE = 0.06;

export function stretchesOf(phases: TaskPhase[], now: number): Stretch[] {
  return phases.map(({ phase, from, to }) => ({
    phase,
    from,
    ms: Math.max(0, (to === null ? now : Date.parse(to)) - Date.parse(from)),
    live: to === null,
  }));
}

/**
 * The stretches to draw, and their share of the width, out of 1. Of many, the longest are kept and the others
 * merged into the one before.
 */
export function drawn(stretches: Stretch[]): (Stretch & { share: number })[] {
  const kept = joined(stretches);
  const total = kept.reduce((sum, { ms }) => sum + ms, 0);
  const least = Math.min(LEAST_SHARE, 0.5 / kept.length);
  return kept.map((stretch) => ({
    ...stretch,
    share: total === 0 ? 1 / kept.length : least + ((1 - least * kept.length) * stretch.ms) / total,
  }));
}

function joined(stretches: Stretch[]): Stretch[] {
  if (stretches.length <= MOST_DRAWN) return stretches;
  const long = new Set([...stretches].sort((a, b) => b.ms - a.ms).slice(0, MOST_DRAWN - 2));
  const kept: Stretch[] = [];
  for (const [index, stretch] of stretches.entries()) {
    const before = kept.at(-1);
    const stands = index === 0 || index === stretches.length - 1 || long.has(stretch);
    if (before && (!stands || before.phase === stretch.phase))
      kept[kept.length - 1] = { ...before, ms: before.ms + stretch.ms, live: stretch.live };
    else kept.push(stretch);
  }
  return kept;
}

/** `waiting for a person 1 d 3 h`. */
export function stretchWords({ phase, ms }: Pick<Stretch, "phase" | "ms">): string {
  return `${PHASE_WORDS[phase]} ${formatDuration(ms)}`;
}

/** The total time of each phase, in order of first appearance. */
export function totals(stretches: Stretch[]): { phase: Phase; ms: number }[] {
  const sums = new Map<Phase, number>();
  for (const { phase, ms } of stretches) sums.set(phase, (sums.get(phase) ?? 0) + ms);
  return [...sums].map(([phase, ms]) => ({ phase, ms }));
}

/** Whether a server takes so long that its tasks are looked at more rarely than they should be. */
import type { Late } from "../../servers/schema.ts";
import { LATE_BY, NOTABLE_BY, POLLS_TO_JUDGE_BY, SLOW_ANSWER_MS } from "../tunables.ts";

/** How long the last polls took, in ms. */
export class AnswerTimes {
  #last: number[] = [];
  #next = 0;

  note(ms: number): void {
    this.#last[this.#next] = ms;
    this.#next = (this.#next + 1) % POLLS_TO_JUDGE_BY;
  }

  /** The quickest of them: our own work adds to some, hardly ever to all. Null: there were too few. */
  get quickestMs(): number | null {
    return this.#last.length < POLLS_TO_JUDGE_BY ? null : Math.min(...this.#last);
  }

  get isSlow(): boolean {
    return (this.quickestMs ?? 0) >= SLOW_ANSWER_MS;
  }
}

/**
 * `wantedMs`: the least pause that a task should have between two polls; `leastPauseMs`: what so many tasks leave.
 * A poll is due that long after the last one has ended. Null: that is nothing to tell of.
 */
export function latenessOf(answerMs: number | null, wantedMs: number, leastPauseMs: number): Late | null {
  if (answerMs === null || answerMs < SLOW_ANSWER_MS) return null;
  const everyMs = Math.max(wantedMs, leastPauseMs) + answerMs;
  if (everyMs < wantedMs * LATE_BY) return null;
  return {
    everyMs: Math.round(everyMs),
    insteadOfMs: Math.round(wantedMs),
    answerMs: Math.round(answerMs),
  };
}

/** What people have to be told anew: a figure has changed by a half. */
export function differsNotably(before: Late | null, now: Late | null): boolean {
  if (before === null || now === null) return before !== now;
  return (["everyMs", "insteadOfMs", "answerMs"] as const).some(
    (figure) => now[figure] > before[figure] * NOTABLE_BY || now[figure] < before[figure] / NOTABLE_BY,
  );
}

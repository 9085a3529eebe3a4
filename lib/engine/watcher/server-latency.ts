/** Detects servers whose latency makes polls notably less frequent than they should be. */
import type { Late } from "../../servers/server-schema.ts";
import { LATE_BY, NOTABLE_BY, POLLS_TO_JUDGE_BY, SLOW_ANSWER_MS } from "../tunables.ts";

/** Latencies of the last polls, in ms. */
export class AnswerTimes {
  #last: number[] = [];
  #next = 0;

  note(ms: number): void {
    this.#last[this.#next] = ms;
    this.#next = (this.#next + 1) % POLLS_TO_JUDGE_BY;
  }

  /**
   * The quickest of the last polls, which our own work rarely slows all at once; null after too few polls.
   */
  get quickestMs(): number | null {
    return this.#last.length < POLLS_TO_JUDGE_BY ? null : Math.min(...this.#last);
  }

  get isSlow(): boolean {
    return (this.quickestMs ?? 0) >= SLOW_ANSWER_MS;
  }
}

/**
 * Returns how late the polls are, or null if not notably. `wantedMs` is the shortest pause any task should
 * have between polls, `leastPauseMs` the pause that the number of tasks enforces; both start at the end of a
 * poll.
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

/** Returns whether people need an update: lateness began or ended, or a figure changed by `NOTABLE_BY`. */
export function differsNotably(before: Late | null, now: Late | null): boolean {
  if (before === null || now === null) return before !== now;
  return (["everyMs", "insteadOfMs", "answerMs"] as const).some(
    (figure) => now[figure] > before[figure] * NOTABLE_BY || now[figure] < before[figure] / NOTABLE_BY,
  );
}

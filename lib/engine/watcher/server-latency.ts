/** Detects servers whose latency makes polls notably less frequent than they should be. */
import type { Late } from "../../servers/server-schema.ts";
import { isRunning } from "../../tasks/task-status.ts";
import {
  JUDGE_LATE_MS,
  LATE_BY,
  NOTABLE_BY,
  POLLS_TO_JUDGE_BY,
  SLOW_ANSWER_MS,
  SLOW_POLL_MS,
} from "../tunables.ts";
import { pollDelay } from "./poll-schedule.ts";
import type { TaskIndex } from "./task-index.ts";

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

interface Judged {
  link: {
    readonly answers: AnswerTimes;
    /** People were told that the polls are late. */
    readonly isLate: boolean;
    reportLateness(late: Late | null): Promise<void>;
  };
  taskIndex: TaskIndex;
  leastPauseMs(): number;
  own(work: Promise<unknown>): void;
}

/** Records the latency of a connection's polls, and reports when it makes them late. */
export class LatenessJudge {
  #deps: Judged;
  #judgedLateAt = 0;

  constructor(deps: Judged) {
    this.#deps = deps;
  }

  /** Records a poll's latency, and now and then judges whether a slow server delays polls. */
  note(ms: number): void {
    const { answers, isLate } = this.#deps.link;
    answers.note(ms);
    if (!isLate && !answers.isSlow) return;
    const now = performance.now();
    if (now < this.#judgedLateAt + JUDGE_LATE_MS) return;
    this.#judgedLateAt = now;
    let wantedMs = SLOW_POLL_MS;
    for (const { work, unchangedPolls } of this.#deps.taskIndex)
      if (isRunning(work.state)) wantedMs = Math.min(wantedMs, pollDelay({ ...work, unchangedPolls }));
    const late = latenessOf(answers.quickestMs, wantedMs, this.#deps.leastPauseMs());
    this.#deps.own(this.#deps.link.reportLateness(late));
  }
}

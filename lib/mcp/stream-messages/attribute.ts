/** Finds the task that asked a question on a session's stream: pure, from the row of the message and the session's tasks. */

import { questionHash } from "../forms/question-hash.ts";
import { ANNOUNCED_MS, ANNOUNCED_QUESTIONS } from "../limits.ts";
import type { Question } from "../peer.ts";

/** A task that could live at the server in the session when the message came, watched or not. */
export interface SessionTask {
  id: string;
  /** Its call is under way, or nobody knows what became of it: the server's id of it is not known yet. */
  isStarting: boolean;
}

export interface AskedOn {
  /** The task whose own call or `tasks/result` the stream was; null: the session's standalone stream. */
  streamTaskId: string | null;
  /** Names a task of the server's. `taskId`: ours, where that is known. */
  named: { taskId: string | null } | null;
}

/**
 * The task, or those that it may be of: a guess could show a question to people whom it is no business of. No candidate: it
 * names a task that Intray does not know.
 */
export function attribute(
  message: AskedOn,
  tasks: SessionTask[],
): { taskId: string } | { candidates: string[] } {
  const { named, streamTaskId } = message;
  if (named?.taskId) return { taskId: named.taskId };
  const starting = tasks.filter(({ isStarting }) => isStarting);
  if (named) {
    // A task of which nobody knows yet: one that is being started here.
    const own = starting.filter(({ id }) => id === streamTaskId);
    return toVerdict(streamTaskId === null ? starting : own);
  }
  if (streamTaskId !== null) return { taskId: streamTaskId };
  // One that has asked already may ask again, and one that is of no interest to us any more may ask as well.
  return toVerdict(tasks);
}

function toVerdict(tasks: SessionTask[]): { taskId: string } | { candidates: string[] } {
  const [only] = tasks;
  return only && tasks.length === 1 ? { taskId: only.id } : { candidates: tasks.map(({ id }) => id) };
}

/**
 * The questions that a session's server has announced, each with the task that it is of, and has not put yet: FastMCP 3 says in
 * a status notification whose question follows, and names no task in the question itself.
 */
export class Announced {
  #pending: { handle: string; words: string; at: number }[] = [];

  note(handle: string, question: Question, now: number): void {
    this.#pending = [...this.#live(now), { handle, words: wordsHash(question), at: now }].slice(
      -ANNOUNCED_QUESTIONS,
    );
  }

  /** Returns the server's ids of the tasks whose question this may be; none if it was not announced. */
  take(question: Question, now: number): string[] {
    if (this.#pending.length === 0) return [];
    const words = wordsHash(question);
    const announced = this.#live(now).filter((one) => one.words === words);
    const handles = [...new Set(announced.map(({ handle }) => handle))];
    if (handles.length === 1) this.#pending = this.#pending.filter((one) => one !== announced[0]);
    return handles;
  }

  #live(now: number) {
    return this.#pending.filter(({ at }) => now - at < ANNOUNCED_MS);
  }
}

/** Returns a hash of the question, regardless of the task. */
export function wordsHash(question: Question): string {
  return questionHash({ taskId: "", ...question });
}

/** What polls since the message have shown of a task. */
export interface Candidate {
  id: string;
  /** `waiting` in at least one poll, `working` in all of them; null if it was not polled. */
  seen: "waiting" | "working" | null;
  /** By the last one it waits, and nothing that it asked is known. */
  waitsUnasked: boolean;
  /** It is an open call without a task on the channel on which the question came. No poll can say that it waits. */
  isCall: boolean;
}

/**
 * The one that the server's own word leaves: it waits for an answer, or is a call, and all others have only worked. One that waited,
 * or has ended meanwhile, may have asked.
 */
export function attributeByStatus(candidates: Candidate[]): string | null {
  const [only, ...more] = candidates.filter(({ seen }) => seen !== "working");
  if (!only || more.length > 0) return null;
  return only.isCall || (only.seen === "waiting" && only.waitsUnasked) ? only.id : null;
}

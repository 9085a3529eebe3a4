/** Decides what a poll's reply changes. Pure: apply-poll.ts writes, lib/requests/deliveries judges answers. */

import { isSameQuestion, keptTask, type RequestWork, type TaskWork } from "../../lifecycle/engine-task.ts";
import { OPEN_QUESTIONS } from "../../mcp/limits.ts";
import type { Question, RemoteTask } from "../../mcp/peer.ts";
import { answerFits } from "../../requests/answers/answer-content.ts";
import {
  type AnswerCall,
  judgeDelivery,
  type Observation,
  type Verdict,
} from "../../requests/deliveries/judge-delivery.ts";
import { reachOf } from "../../requests/deliveries/reach.ts";
import { judgeRewording } from "../../requests/request-status.ts";

export interface Plan {
  /** State, message, ttl or interval differ from the stored ones. */
  status: boolean;
  /** Questions to store: new ones, and changed ones under a known key. */
  capture: { question: Question; key: string }[];
  /** Verdicts on requests and their answers that need a write. */
  verdicts: { request: RequestWork; verdict: Verdict }[];
  /**
   * Ids of requests whose question is missing and needs a second look; their answers are not sent meanwhile.
   */
  missing: string[];
}

/** State of a task that only the watcher's memory has. */
export interface Memory {
  /** Polls since an answer was found in `sending`. */
  pollsInSending: number;
  /** Time since the rows were read, in ms. */
  elapsedMs: number;
  /**
   * Returns how long a request's question has been missing, in ms; 0 if the last poll showed the question.
   */
  missingForMs(requestId: string): number;
  /**
   * 2025-11-25: another question's answer was just settled by something other than a poll, so the task may
   * still be reacting to that answer.
   */
  hadOthers: boolean;
  /** 2026-07-28: which kind of tool call the answer is; undefined if it is none. */
  callOf(request: RequestWork): AnswerCall | undefined;
}

/** Returns the server's status as text, to tell later whether the task moved on. */
export function statusOf(remote: Pick<RemoteTask, "status" | "statusMessage">): string {
  return `${remote.status} ${withoutTimes(remote.statusMessage) ?? ""}`;
}

/** As `statusOf`, before the answer under `key` is sent. For a question that has rounds: its round. */
export function statusBefore(remote: RemoteTask, key: string | null): string {
  return askedUnder(remote, key)?.round ?? statusOf(remote);
}

/** The question that a poll shows under a key. `key` has the form in which it is stored. */
export function askedUnder({ questions }: RemoteTask, key: string | null): Question | undefined {
  return questions.find(({ address }) => address.kind === "key" && address.key === key);
}

/**
 * Judges a 2026-07-28 poll, which lists all open questions by key. `hashOf` hashes a question of this task. If
 * the reported status is unknown, only the questions in the report count: a missing question proves nothing then.
 */
export function judgeKeyed(
  work: TaskWork,
  remote: RemoteTask,
  hashOf: (question: Question) => string,
  memory: Memory,
): Plan {
  const plan = emptyPlan(work, remote);
  const byKey = new Map(work.requests.map((request) => [request.key, request]));
  const asked = new Set<string>();
  for (const question of remote.questions) {
    if (question.address.kind !== "key") continue;
    const key = question.address.key;
    asked.add(key);
    const request = byKey.get(key);
    if (request && isSameQuestion(work, hashOf(question), request)) {
      const { pollsInSending: polls } = memory;
      const verdict = decide(plan, request, { kind: "asked", polls, call: memory.callOf(request) });
      // Its answer must not be sent again, so a person is asked again.
      if (verdict === "undeliverable") plan.capture.push({ question, key });
    } else if (request && isAcceptedIn(question, request)) {
      // The facts have changed since the answer was given, so Intray never sends the answer again by itself.
      decide(plan, request, { kind: "asked", polls: memory.pollsInSending, call: "once" });
    } else if (work.cancelRequested) continue;
    else if (request) judgeChange(plan, work, request, { question, key }, memory);
    // More questions are captured when these are answered, because every poll lists all open questions.
    else if (!work.full && work.requests.length + plan.capture.length < OPEN_QUESTIONS)
      plan.capture.push({ question, key });
  }
  for (const request of remote.isUnknown ? [] : work.requests)
    if (!asked.has(request.key))
      decide(plan, request, { kind: "gone", forMs: memory.missingForMs(request.id) });
  return plan;
}

/** Whether the request's answer was accepted, and the question is still in the round in which it was answered. */
function isAcceptedIn({ round }: Question, { delivery }: RequestWork): boolean {
  return round !== undefined && delivery?.state === "accepted" && delivery.statusBefore === round;
}

/**
 * Judges a question whose text under a known key has changed: here only whether anything is to be written. `captureQuestion()` judges
 * it again, since only its transaction can compare the stored form.
 */
function judgeChange(
  plan: Plan,
  work: TaskWork,
  request: RequestWork,
  now: { question: Question; key: string },
  { pollsInSending, elapsedMs, callOf }: Memory,
): void {
  const { delivery, mode, ageMs, rewordedAgoMs } = request;
  const mayFit = delivery?.anyWording === true && answerFits({ ...delivery, mode }, now.question);
  const verdict = judgeDelivery(delivery, {
    kind: "reworded",
    restless: rewordedAgoMs !== null,
    fits: mayFit,
    polls: pollsInSending,
    call: callOf(request),
  });
  if (verdict === "confirm" || (verdict === "replace" && delivery)) plan.capture.push(now);
  else if (verdict === "replace") {
    const aged = { ageMs: ageMs + elapsedMs, rewordedAgoMs: rewordedAgoMs && rewordedAgoMs + elapsedMs };
    if (judgeRewording({ ...request, ...aged }, work.full) !== "keep") plan.capture.push(now);
  } else {
    note(plan, request, verdict);
    // Capturing the question checks whether the form is the one that was answered.
    if (mayFit) plan.capture.push(now);
  }
}

/**
 * Judges a 2025-11-25 poll, which shows no questions. Only a changed status or message proves that an answer
 * was taken. If a task leaves `input_required` without an answer, its question is withdrawn if there is only one.
 * With several questions, the tool's status becomes working after each answer. If no poll has shown that the task
 * waits, "working" proves nothing: FastMCP 3 says in a notification that a task waits, and reports "working" all
 * along. Entering `input_required` proves nothing about an answer of unknown outcome. An unknown status proves
 * nothing about anything.
 */
export function judgeUnkeyed(work: TaskWork, remote: RemoteTask, memory: Memory): Plan {
  const plan = emptyPlan(work, remote);
  if (remote.isUnknown) return plan;
  const left = work.state === "input_required" && remote.status === "working";
  const certain = remote.status === "working" && work.requests.length === 1 && !memory.hadOthers;
  for (const request of work.requests) {
    const { delivery } = request;
    const before = delivery && reachOf(delivery) !== "nothing" && delivery.statusBefore;
    // A question that was asked as an elicitation task stays open until the server cancels it or its ttl ends,
    // whatever the asking task does. The server fetches the answer when it likes.
    const isKept = keptTask(request) !== null;
    if (isKept && typeof before !== "string") continue;
    const asked: Observation[] = isKept ? [] : [{ kind: "asked", polls: memory.pollsInSending }];
    if (typeof before === "string" ? before.split(" ")[0] !== remote.status : left)
      decide(plan, request, { kind: "moved", certain }, ...asked);
    else if (typeof before === "string" && saysOther(before, statusOf(remote)))
      decide(plan, request, { kind: "said" }, ...asked);
    // A task that works does not ask, and one that waits for other answers too would not have moved on.
    else if (
      delivery?.state !== "accepted" ||
      (remote.status === "input_required" && !waitsForOthers(work, request))
    )
      decide(plan, request, ...asked);
  }
  return plan;
}

function waitsForOthers(work: TaskWork, request: RequestWork): boolean {
  return work.requests.some((other) => other !== request && other.delivery?.state !== "accepted");
}

function saysOther(before: string, now: string): boolean {
  return before !== now && !differByNumbers(before, now);
}

export function isEmpty(plan: Plan): boolean {
  return !plan.status && plan.capture.length + plan.verdicts.length === 0;
}

/** Returns whether nothing but status, message, ttl or interval changed. */
export function isStatusOnly(plan: Plan): boolean {
  return plan.status && isEmpty({ ...plan, status: false });
}

function emptyPlan(work: TaskWork, remote: RemoteTask): Plan {
  const status =
    work.state !== remote.status ||
    withoutTimes(work.statusMessage) !== withoutTimes(remote.statusMessage) ||
    work.isUnknown !== (remote.isUnknown === true) ||
    work.ttlMs !== remote.ttlMs ||
    work.pollIntervalMs !== remote.pollIntervalMs;
  return { status, capture: [], verdicts: [], missing: [] };
}

/** Records the first verdict that is not "keep". */
function decide(plan: Plan, request: RequestWork, ...observed: Observation[]): Verdict {
  const verdicts = observed.map((each) => judgeDelivery(request.delivery, each));
  const decided = verdicts.find((verdict) => verdict !== "keep") ?? "keep";
  note(plan, request, decided);
  return decided;
}

function note(plan: Plan, request: RequestWork, verdict: Verdict): void {
  if (verdict === "look_again") plan.missing.push(request.id);
  else if (verdict !== "keep") plan.verdicts.push({ request, verdict });
}

/** Removes whatever looks like a time, so that a clock in a message is no change. */
function withoutTimes(message: string | null): string | null {
  return message?.replace(TIMES, "·") ?? null;
}

const TIMES =
  /\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?)?\s?(Z|[+-]\d\d:?\d\d)?|\d{1,2}:\d\d(:\d\d([.,]\d+)?)?(\s?[ap]\.?m\b\.?)?|\b1[0-9]{9}(\.\d+)?\b|\b1[0-9]{12}\b/gi;

/** Returns whether two messages differ only by their numbers, as those of a counter do. */
export function differByNumbers(before: string | null, after: string | null): boolean {
  const plain = (message: string | null) => message?.replace(/\d+([.,]\d+)*/g, "#");
  return before !== after && before !== null && plain(before) === plain(after);
}

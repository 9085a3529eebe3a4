/** What news of a running task calls for: pure. The writer is apply.ts. */
import { judgeStillAsked } from "../deliveries/status.ts";
import { OPEN_QUESTIONS } from "../mcp/limits.ts";
import type { Question, RemoteTask } from "../mcp/peer.ts";
import type { RequestWork, TaskWork } from "../tasks/work.ts";
import { REPEAT_AFTER_MS } from "./tunables.ts";

/** A crash left an answer in `sending`; this many polls must show its question before it is sent again. */
const POLLS_BEFORE_REPEAT = 2;

export interface Plan {
  /** State, message, ttl or interval differ from what is stored. */
  status: boolean;
  capture: { question: Question; key: string }[];
  /** Requests whose answer the server took. */
  confirm: string[];
  /** Requests that the server no longer puts. */
  retract: string[];
  stillAsked: { request: RequestWork; verdict: "wait" | "resend" | "flag" }[];
  /** Deliveries found in `sending` whose question still stands: back to pending. */
  repeat: RequestWork[];
}

/** What the server said of a task, for telling whether it moved on. */
export function statusOf(remote: Pick<RemoteTask, "status" | "statusMessage">): string {
  return `${remote.status} ${withoutTimes(remote.statusMessage) ?? ""}`;
}

/**
 * 2026-07-28: questions have keys and stand in every poll.
 * `hashOf` is the question hash of a question of this task; `pollsInSending` counts polls since a takeover.
 */
export function judgeKeyed(
  work: TaskWork,
  remote: RemoteTask,
  hashOf: (question: Question) => string,
  pollsInSending: number,
): Plan {
  const plan = emptyPlan(work, remote);
  const byKey = new Map(work.requests.map((request) => [request.key, request]));
  const asked = new Set<string>();
  for (const question of remote.questions) {
    if (question.address.kind !== "key") continue;
    const key = question.address.key;
    asked.add(key);
    const request = byKey.get(key);
    if (!request || request.questionHash !== hashOf(question)) {
      // The others come in when these are answered: they stand in every poll.
      const isFull = !request && work.requests.length + plan.capture.length >= OPEN_QUESTIONS;
      if (!work.cancelRequested && !isFull) plan.capture.push({ question, key });
    } else judgeUnmoved(plan, request, pollsInSending);
  }
  for (const request of work.requests) if (!asked.has(request.key)) judgeGone(plan, request);
  return plan;
}

/**
 * 2025-11-25: polls show no questions. A changed status or message is the only proof that an answer was taken;
 * leaving `input_required` without one takes the question back. `saidToWait`: the server has notified that the task waits,
 * before this poll began.
 */
export function judgeUnkeyed(
  work: TaskWork,
  remote: RemoteTask,
  pollsInSending: number,
  saidToWait = false,
): Plan {
  const plan = emptyPlan(work, remote);
  const left = (work.state === "input_required" || saidToWait) && remote.status === "working";
  for (const request of work.requests) {
    const { delivery } = request;
    if (delivery?.state === "accepted" || delivery?.state === "sending") {
      if (mayHaveMovedOn(delivery, remote)) plan.confirm.push(request.id);
      // A task that waits for other answers too would not have moved on.
      else if (delivery.state === "sending" || !waitsForOthers(work, request))
        judgeUnmoved(plan, request, pollsInSending);
    } else if (left) plan.retract.push(request.id);
  }
  return plan;
}

function waitsForOthers(work: TaskWork, request: RequestWork): boolean {
  return work.requests.some((other) => other !== request && other.delivery?.state !== "accepted");
}

function mayHaveMovedOn(delivery: NonNullable<RequestWork["delivery"]>, remote: RemoteTask): boolean {
  const before = delivery.statusBefore ?? "";
  if (before.split(" ")[0] !== remote.status) return true;
  // Nobody knows whether it was sent: a message that changes by itself must not pass for proof, or it is lost.
  if (delivery.state === "sending") return false;
  const now = statusOf(remote);
  return before !== now && !differByNumbers(before, now);
}

export function isEmpty(plan: Plan): boolean {
  return (
    !plan.status &&
    plan.capture.length + plan.confirm.length + plan.retract.length === 0 &&
    plan.stillAsked.length + plan.repeat.length === 0
  );
}

/** Nothing but a new message, ttl or interval. */
export function isStatusOnly(plan: Plan): boolean {
  return plan.status && isEmpty({ ...plan, status: false });
}

function emptyPlan(work: TaskWork, remote: RemoteTask): Plan {
  const status =
    work.state !== remote.status ||
    withoutTimes(work.statusMessage) !== withoutTimes(remote.statusMessage) ||
    work.ttlMs !== remote.ttlMs ||
    work.pollIntervalMs !== remote.pollIntervalMs;
  return { status, capture: [], confirm: [], retract: [], stillAsked: [], repeat: [] };
}

/** A message that is a clock says nothing new each time it is read: what looks like a time does not count. */
export function withoutTimes(message: string | null): string | null {
  return message?.replace(TIMES, "·") ?? null;
}

const TIMES =
  /\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?)?\s?(Z|[+-]\d\d:?\d\d)?|\d{1,2}:\d\d(:\d\d([.,]\d+)?)?(\s?[ap]\.?m\b\.?)?|\b1[0-9]{9}(\.\d+)?\b|\b1[0-9]{12}\b/gi;

/** Whether two messages differ by their numbers only, as those of a counter do. */
export function differByNumbers(before: string | null, after: string | null): boolean {
  const plain = (message: string | null) => message?.replace(/\d+([.,]\d+)*/g, "#");
  return before !== after && before !== null && plain(before) === plain(after);
}

function judgeUnmoved(plan: Plan, request: RequestWork, pollsInSending: number): void {
  const delivery = request.delivery;
  if (delivery?.state === "accepted" && !delivery.flagged)
    plan.stillAsked.push({ request, verdict: judgeStillAsked(delivery) });
  if (
    delivery?.state === "sending" &&
    pollsInSending >= POLLS_BEFORE_REPEAT &&
    delivery.sentAgoMs >= REPEAT_AFTER_MS
  )
    plan.repeat.push(request);
}

function judgeGone(plan: Plan, request: RequestWork): void {
  const state = request.delivery?.state;
  if (state === "accepted" || state === "sending") plan.confirm.push(request.id);
  else plan.retract.push(request.id);
}

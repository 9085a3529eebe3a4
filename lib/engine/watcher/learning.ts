/** The engine's observations of a server's traits. The pure rules are in lib/servers/traits.ts. */

import { type AskWork, isSameQuestion, keptTask, type RequestWork } from "../../lifecycle/engine-task.ts";
import { questionHash } from "../../mcp/forms/question-hash.ts";
import type { Question, RemoteTask, TaskResult } from "../../mcp/peer.ts";
import {
  isLifetimeOver,
  learnSurvival,
  learnWithdrawal,
  outlivedTtl,
  type Traits,
} from "../../servers/traits.ts";
import type { Plan } from "../task/judge-poll.ts";
import { UNASKED_LIMIT } from "../tunables.ts";
import type { WatcherContext } from "./context.ts";
import type { WatchedTask } from "./watched-task.ts";

/** Traits observed in one transaction. Learned after the commit, because a retry must not count twice. */
export class TraitUpdates {
  /** The server's traits, with these observations. */
  known: Traits;
  #seen: Traits = {};

  constructor(ctx: WatcherContext) {
    this.known = ctx.traits;
  }

  add(seen: Traits | null): void {
    this.known = { ...this.known, ...seen };
    this.#seen = { ...this.#seen, ...seen };
  }

  learn(ctx: WatcherContext): void {
    ctx.learn(this.#seen);
  }
}

/** Learns how long the server keeps questions: withdrawn ones show a lifetime, later answers disprove one. */
export function learnFromPlan(updates: TraitUpdates, task: WatchedTask, plan: Plan): void {
  if (task.work.era !== "2025-11-25") return;
  for (const { request, verdict } of plan.verdicts) {
    if (verdict === "withdraw") learnWithdrawn(updates, unansweredMs(task, request));
    if (verdict === "confirm" && !keptTask(request))
      updates.add(learnSurvival(updates.known, ageOf(task, request)));
  }
}

/**
 * Learns from a question that the server withdrew by itself, at this age in ms. Null: it put the question as an elicitation task, which
 * has no lifetime but its ttl.
 */
export function learnWithdrawn(updates: TraitUpdates, ageMs: number | null): void {
  if (ageMs !== null) updates.add(learnWithdrawal(updates.known, ageMs));
}

/** Returns how a question that the server withdrew ends: expired if its lifetime was over, else withdrawn. `ageMs` as above. */
export function endingOf({ known }: TraitUpdates, ageMs: number | null) {
  return ageMs !== null && isLifetimeOver(known, ageMs)
    ? { state: "expired" as const, reason: "question_lifetime" }
    : { state: "withdrawn" as const, reason: "retracted" };
}

/** Learns from servers that fail the task when a question times out. */
export function learnFromEnd(
  updates: TraitUpdates,
  task: WatchedTask,
  remote: RemoteTask,
  outcome: TaskResult | null,
): void {
  if (task.work.era !== "2025-11-25" || remote.status !== "failed") return;
  const open = task.work.requests.find(({ state }) => state === "open");
  const words = `${remote.statusMessage ?? ""} ${JSON.stringify(outcome ?? "")}`;
  if (open && /time[ds]?[ -]?out/i.test(words)) learnWithdrawn(updates, unansweredMs(task, open));
}

/** Learns that the server reissues questions, if an open one came again under another JSON-RPC id. */
export function learnFromQuestion(
  updates: TraitUpdates,
  task: WatchedTask,
  question: Question,
  sessionDigest: string,
): void {
  const { address } = question;
  if (address.kind !== "rpc" || updates.known.reissues) return;
  const hash = questionHash({ taskId: task.id, ...question });
  const same = task.work.requests.find((request) => isSameQuestion(task.work, hash, request));
  // A new elicitation task for the same question does not mean that the server reissues questions.
  if (same && keptTask(same)) return;
  const isThisAsk = (ask: AskWork) => ask.rpcId === address.rpcId && ask.sessionDigest === sessionDigest;
  if (same && !same.asks.some(isThisAsk)) updates.add({ reissues: true });
}

/** Learns that the server does not reissue questions, after as many requests for a pending one as end the wait for it. */
export function learnFromSilence(ctx: WatcherContext, task: WatchedTask): void {
  if (task.cold.unasked >= UNASKED_LIMIT && ctx.traits.reissues !== false) ctx.learn({ reissues: false });
}

/** Returns how long the task's ttl has been over, in ms; negative before its end, null without a ttl. */
export function ttlOverForMs({ work, loadedAt }: WatchedTask): number | null {
  return work.expiresInMs === null ? null : performance.now() - loadedAt - work.expiresInMs;
}

/** Learns that the server keeps tasks beyond their ttl. Returns true if people see a time limit to drop. */
export function learnFromOutliving(ctx: WatcherContext, task: WatchedTask): boolean {
  const { ttlMs, hasTimeLimit } = task.work;
  const overForMs = ttlOverForMs(task);
  if (ttlMs === null || overForMs === null || !outlivedTtl(ttlMs, overForMs)) return false;
  ctx.learn({ outlivesTtl: true });
  return hasTimeLimit;
}

/** Unlearns `outlivesTtl` if the server dropped the task about when its ttl ended. */
export function learnFromGone(
  ctx: WatcherContext,
  { work: { ttlMs } }: WatchedTask,
  overForMs: number,
): void {
  if (ctx.traits.outlivesTtl && ttlMs !== null && !outlivedTtl(ttlMs, overForMs))
    ctx.learn({ outlivesTtl: undefined });
}

/** The age of a question as `learnWithdrawn` and `endingOf` take it. */
export function unansweredMs(task: WatchedTask, request: RequestWork): number | null {
  return keptTask(request) ? null : ageOf(task, request);
}

function ageOf(task: WatchedTask, request: RequestWork): number {
  return request.ageMs + (performance.now() - task.loadedAt);
}

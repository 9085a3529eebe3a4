/** What the engine sees of a server's ways while it works: pure judgement is in lib/servers/traits.ts. */

import { questionHash } from "../../mcp/forms/question.ts";
import type { Question, RemoteTask, TaskResult } from "../../mcp/peer.ts";
import {
  isLifetimeOver,
  learnSurvival,
  learnWithdrawal,
  outlivedTtl,
  type Traits,
} from "../../servers/traits.ts";
import type { AskWork, RequestWork } from "../../task-lifecycle/work.ts";
import type { Plan } from "../task/judge-poll.ts";
import type { WatcherContext } from "./context.ts";
import type { WatchedTask } from "./watched-task.ts";

/** What one transaction sees of a server: learned once it is committed, since what is done again must not count twice. */
export class TraitUpdates {
  /** Of the server, these lessons included. */
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

/** Questions taken back unanswered tell how long the server waits; answers that it took, that it waits longer. */
export function learnFromPlan(updates: TraitUpdates, entry: WatchedTask, plan: Plan): void {
  if (entry.work.era !== "2025-11-25") return;
  for (const { request, verdict } of plan.verdicts) {
    if (verdict === "withdraw") learnWithdrawn(updates, entry, request);
    if (verdict === "confirm") updates.add(learnSurvival(updates.known, ageOf(entry, request)));
  }
}

/** The server gave a question up by itself. */
export function learnWithdrawn(updates: TraitUpdates, entry: WatchedTask, request: RequestWork): void {
  updates.add(learnWithdrawal(updates.known, ageOf(entry, request)));
}

/** What a question that the server took back counts as: its time was over, or it is not asked any more. */
export function endingOf({ known }: TraitUpdates, entry: WatchedTask, requestId: string) {
  const request = entry.work.requests.find(({ id }) => id === requestId);
  const isOver = request !== undefined && isLifetimeOver(known, ageOf(entry, request));
  return isOver
    ? { state: "expired" as const, reason: "question_lifetime" }
    : { state: "withdrawn" as const, reason: "retracted" };
}

/** Some servers give a question up by failing the task. */
export function learnFromEnd(
  updates: TraitUpdates,
  entry: WatchedTask,
  remote: RemoteTask,
  outcome: TaskResult | null,
): void {
  if (entry.work.era !== "2025-11-25" || remote.status !== "failed") return;
  const open = entry.work.requests.find(({ state }) => state === "open");
  const words = `${remote.statusMessage ?? ""} ${JSON.stringify(outcome ?? "")}`;
  if (open && /time[ds]?[ -]?out/i.test(words)) learnWithdrawn(updates, entry, open);
}

/** A question that is open already came once more, under another id: the server puts it again. */
export function learnFromQuestion(
  updates: TraitUpdates,
  entry: WatchedTask,
  question: Question,
  sessionDigest: string,
): void {
  const { address } = question;
  if (address.kind !== "rpc" || updates.known.reissues) return;
  const hash = questionHash({ taskId: entry.id, ...question });
  const same = entry.work.requests.find((request) => request.questionHash === hash);
  const isThisAsk = (ask: AskWork) => ask.rpcId === address.rpcId && ask.sessionDigest === sessionDigest;
  if (same && !same.asks.some(isThisAsk)) updates.add({ reissues: true });
}

/** It was asked for a question that is pending, and did not put it. */
export function learnFromSilence(ctx: WatcherContext, entry: WatchedTask): void {
  if (entry.cold.unasked >= 2 && ctx.traits.reissues !== false) ctx.learn({ reissues: false });
}

/** How long the task's ttl has been over, in ms; negative: it is not, null: the server named none. */
export function ttlOverForMs({ work, loadedAt }: WatchedTask): number | null {
  return work.expiresInMs === null ? null : performance.now() - loadedAt - work.expiresInMs;
}

/** The server still has the task, so long after it said that it might forget it. True: people have to be told no more. */
export function learnFromBeing(ctx: WatcherContext, entry: WatchedTask): boolean {
  const { ttlMs, hasTimeLimit } = entry.work;
  const overForMs = ttlOverForMs(entry);
  if (ttlMs === null || overForMs === null || !outlivedTtl(ttlMs, overForMs)) return false;
  ctx.learn({ outlivesTtl: true });
  return hasTimeLimit;
}

/** The server forgot the task about when it said that it would. */
export function learnFromGone(
  ctx: WatcherContext,
  { work: { ttlMs } }: WatchedTask,
  overForMs: number,
): void {
  if (ctx.traits.outlivesTtl && ttlMs !== null && !outlivedTtl(ttlMs, overForMs))
    ctx.learn({ outlivesTtl: undefined });
}

function ageOf(entry: WatchedTask, request: RequestWork): number {
  return request.ageMs + (performance.now() - entry.loadedAt);
}

/**
 * What a server is like, learned from what it does: pure, client-safe. The engine notes it (learn.ts), people see it
 * on the server's page and, where it matters to a decision, on the card. Absent: not known yet.
 */
import { z } from "zod";

export const traitsSchema = z.object({
  /** 2025-11-25: puts a pending question again on each `tasks/result`. False: once, and never again. */
  reissues: z.boolean().optional(),
  /** It takes questions back by itself after this long, in ms. */
  questionLifetimeMs: z.number().optional(),
  /** Ages in ms at which it took questions back, newest first; the lifetime is read from these. */
  withdrawnAtMs: z.array(z.number()).optional(),
  /** Answers `tasks/list`. */
  listsTasks: z.boolean().optional(),
  /** Tells of changes by itself: `notifications/tasks/status`, or task notifications of `subscriptions/listen`. */
  notifies: z.boolean().optional(),
  /** Names the task with its questions. False: of tasks that share a session one at a time is asked for its question. */
  namesTask: z.boolean().optional(),
  /** It was seen to keep a task although its ttl was over: what it says of that is not told to people. */
  outlivesTtl: z.boolean().optional(),
  /** It refused another session when this many were open. */
  sessionLimit: z.number().optional(),
});
export type Traits = z.infer<typeof traitsSchema>;

/** The time limit of requests in the official packages: servers built on them give a question up after it. */
const USUAL_LIFETIME_MS = 60_000;
/** Polls, clocks and networks: two ages count as one within this share. */
const TOLERANCE = 0.15;
const KEPT_AGES = 5;

/**
 * A server took an unanswered question back at this age. The usual limit is believed at once, any other when it was
 * seen twice: a single early end may have had reasons of its own.
 */
export function learnWithdrawal(known: Traits, ageMs: number): Traits {
  const ages = [Math.round(ageMs), ...(known.withdrawnAtMs ?? [])].slice(0, KEPT_AGES);
  const alike = (a: number, b: number) => Math.abs(a - b) <= TOLERANCE * Math.max(a, b);
  const believed = alike(ageMs, USUAL_LIFETIME_MS) || ages.slice(1).some((age) => alike(age, ageMs));
  const lifetime = alike(ageMs, USUAL_LIFETIME_MS) ? USUAL_LIFETIME_MS : Math.round(ageMs / 1_000) * 1_000;
  return { withdrawnAtMs: ages, ...(believed && lifetime > 0 && { questionLifetimeMs: lifetime }) };
}

/** Whether a question that was taken back at this age had lived as long as the server lets one. */
export function isLifetimeOver(known: Traits, ageMs: number): boolean {
  return known.questionLifetimeMs !== undefined && ageMs >= known.questionLifetimeMs * (1 - TOLERANCE);
}

/** Servers forget tasks now and then, not in the moment that they may. */
const TTL_GRACE_MS = 10_000;

/** A task that is there so long after its ttl was over shows that the server does not go by it; ms of the database's clock. */
export function outlivedTtl(ttlMs: number, overForMs: number): boolean {
  return overForMs > Math.max(TTL_GRACE_MS, ttlMs * TOLERANCE);
}

/** A question outlived what was believed to be its lifetime: that was wrong. Null: nothing to unlearn. */
export function learnSurvival(known: Traits, ageMs: number): Traits | null {
  const believed = known.questionLifetimeMs;
  if (believed === undefined || ageMs <= believed * (1 + TOLERANCE)) return null;
  return { questionLifetimeMs: undefined, withdrawnAtMs: [] };
}

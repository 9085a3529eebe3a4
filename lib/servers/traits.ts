/**
 * A server's traits, learned from its behavior: pure, client-safe. The engine stores them (server-writes.ts). People
 * see them on the server's page and, where relevant for a decision, on the card. An absent trait is unknown.
 */
import { z } from "zod";

export const traitsSchema = z.object({
  /** 2025-11-25: sends a pending question again on each `tasks/result`. False: only once. */
  reissues: z.boolean().optional(),
  /** Withdraws questions after this long, in ms. */
  questionLifetimeMs: z.number().optional(),
  /** Ages in ms at which questions were withdrawn, newest first. Determine `questionLifetimeMs`. */
  withdrawnAtMs: z.array(z.number()).optional(),
  /** Supports `tasks/list`. */
  listsTasks: z.boolean().optional(),
  /** Reports changes: `notifications/tasks/status`, or task notifications of `subscriptions/listen`. */
  notifies: z.boolean().optional(),
  /** Names the task in its questions. False: a session's tasks get their questions one at a time. */
  namesTask: z.boolean().optional(),
  /** Kept a task beyond its ttl, so people are not shown the ttl. */
  outlivesTtl: z.boolean().optional(),
  /**
   * 2025-11-25: gives its sessions ids and opens their standalone stream, on which it may ask for an elicitation task at any
   * time. A condition for putting its questions as tasks. False: the stream does not exist.
   */
  opensStream: z.boolean().optional(),
  /** 2025-11-25: refused a session in which Intray declared that questions may be put as tasks. */
  refusesTasks: z.boolean().optional(),
  /** 2025-11-25: has put a question as an elicitation task. */
  putsTasks: z.boolean().optional(),
  /** 2025-11-25: has asked for such a task, or its result. A server that never does leaves its answers unread. */
  fetches: z.boolean().optional(),
  /** Number of open sessions at which another one was refused. */
  sessionLimit: z.number().optional(),
});
export type Traits = z.infer<typeof traitsSchema>;

/** The request timeout of the official packages: servers built on them withdraw questions after this. */
const USUAL_LIFETIME_MS = 60_000;
/** Ages within this share count as equal, because polls, clocks and networks vary. */
const TOLERANCE = 0.15;
const KEPT_AGES = 5;

/**
 * Learns from a question withdrawn at this age. The usual lifetime is believed at once, any other after two
 * similar ages: a single withdrawal may have other reasons.
 */
export function learnWithdrawal(known: Traits, ageMs: number): Traits {
  const ages = [Math.round(ageMs), ...(known.withdrawnAtMs ?? [])].slice(0, KEPT_AGES);
  const alike = (a: number, b: number) => Math.abs(a - b) <= TOLERANCE * Math.max(a, b);
  const believed = alike(ageMs, USUAL_LIFETIME_MS) || ages.slice(1).some((age) => alike(age, ageMs));
  const lifetime = alike(ageMs, USUAL_LIFETIME_MS) ? USUAL_LIFETIME_MS : Math.round(ageMs / 1_000) * 1_000;
  return { withdrawnAtMs: ages, ...(believed && lifetime > 0 && { questionLifetimeMs: lifetime }) };
}

/** Returns true if a question withdrawn at this age had reached the known lifetime. */
export function isLifetimeOver(known: Traits, ageMs: number): boolean {
  return known.questionLifetimeMs !== undefined && ageMs >= known.questionLifetimeMs * (1 - TOLERANCE);
}

/** Returns whether a server of 2025-11-25 is told, in its next session, that it may put questions as elicitation tasks. */
export function mayPutTasks({ opensStream, refusesTasks }: Traits): boolean {
  return opensStream === true && refusesTasks !== true;
}

/** Grace period, since servers delete expired tasks with a delay. */
const TTL_GRACE_MS = 10_000;

/**
 * Returns true if a task still exists so long after its ttl that the server evidently ignores it. `overForMs`
 * by the database's clock.
 */
export function outlivedTtl(ttlMs: number, overForMs: number): boolean {
  return overForMs > Math.max(TTL_GRACE_MS, ttlMs * TOLERANCE);
}

/** Unlearns the lifetime if a question outlived it. Returns null if there is nothing to unlearn. */
export function learnSurvival(known: Traits, ageMs: number): Traits | null {
  const believed = known.questionLifetimeMs;
  if (believed === undefined || ageMs <= believed * (1 + TOLERANCE)) return null;
  return { questionLifetimeMs: undefined, withdrawnAtMs: [] };
}

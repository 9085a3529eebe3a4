/**
 * The meaning of a `server_stat` row's numbers. Pure, client-safe. Stored rows refer to classes and buckets
 * by position, so never reorder them; append new ones at the end.
 */
import { z } from "zod";

/** Reasons why the engine counts a call as failed. An error reply from the server counts as an answer. */
export const FAILURE_CLASSES = [
  "unreachable",
  "timeout",
  "unauthorized",
  "rate_limited",
  "bad_reply",
] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** Bucket i holds latencies up to 2^(i/2) ms; the last bucket holds all longer ones, above some 32 s. */
export const LATENCY_BUCKETS = 32;

/** Returns the bucket of a latency. */
export function bucketOf(ms: number): number {
  return Math.min(LATENCY_BUCKETS - 1, Math.max(0, Math.ceil(2 * Math.log2(Math.max(ms, 1)))));
}

/**
 * Returns the latency in ms that this share (0-1) of calls did not exceed, or null without calls.
 * Interpolates within a bucket by rank.
 */
export function percentile(latency: number[], share: number): number | null {
  const total = latency.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, share * total);
  let below = 0;
  for (const [bucket, count] of latency.entries()) {
    if (below + count < rank) {
      below += count;
      continue;
    }
    const [from, to] = boundsOf(bucket);
    return Math.round(from * (to / from) ** ((rank - below) / count) * 10) / 10;
  }
  return null;
}

/** Returns a bucket's bounds in ms. The first bucket begins at 0.5. */
export function boundsOf(bucket: number): [from: number, to: number] {
  return [bucket === 0 ? 0.5 : 2 ** ((bucket - 1) / 2), 2 ** (bucket / 2)];
}

export interface Counted {
  calls: number;
  failures: number[];
  latency: number[];
}

/** Summarizes counted calls for people. */
export function summaryOf({ calls, failures, latency }: Counted) {
  const failed = failures.reduce((sum, count) => sum + count, 0);
  return {
    calls,
    failed,
    successRate: calls === 0 ? null : (calls - failed) / calls,
    p50Ms: percentile(latency, 0.5),
    p90Ms: percentile(latency, 0.9),
    p99Ms: percentile(latency, 0.99),
  };
}

/** Returns the failed calls by class. */
export function failuresByClass(failures: number[]): Record<FailureClass, number> {
  return Object.fromEntries(FAILURE_CLASSES.map((name, place) => [name, failures[place] ?? 0])) as Record<
    FailureClass,
    number
  >;
}

/** `successRate` is between 0 and 1. Latencies are of answered calls, in ms. Both are null without calls. */
export const callsSchema = z.object({
  calls: z.number(),
  failed: z.number(),
  successRate: z.number().nullable(),
  p50Ms: z.number().nullable(),
  p90Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
});
export type Calls = z.infer<typeof callsSchema>;

export const RANGES = ["1h", "24h", "7d"] as const;
export type Range = (typeof RANGES)[number];
export const statsQuerySchema = z.object({ range: z.enum(RANGES).default("24h") });

/** The engine's calls to one server over time, including steps without calls. */
export const serverStatsSchema = callsSchema.extend({
  range: z.enum(RANGES),
  stepMs: z.number(),
  failures: z.record(z.enum(FAILURE_CLASSES), z.number()),
  /** Oldest first; the last step is still running. */
  steps: z.array(callsSchema.extend({ at: z.iso.datetime() })),
});
export type ServerStats = z.infer<typeof serverStatsSchema>;

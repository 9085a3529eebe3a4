/**
 * Counted calls: what the numbers of a `server_stat` row mean, and what is read from them. Pure, client-safe. A class or
 * a bucket keeps its place for ever, since rows know them by it; more may be added at the end.
 */

/** Why the engine counts a call as failed. A server that says no in words of its own has answered. */
export const FAILURE_CLASSES = [
  "unreachable",
  "timeout",
  "unauthorized",
  "rate_limited",
  "bad_reply",
] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** The bucket at place i has latencies of at most 2^(i/2) ms, the last one all that are longer: some 32 s. */
export const LATENCY_BUCKETS = 32;

/** Where a latency is counted. */
export function bucketOf(ms: number): number {
  return Math.min(LATENCY_BUCKETS - 1, Math.max(0, Math.ceil(2 * Math.log2(Math.max(ms, 1)))));
}

/**
 * The latency, in ms, that this share (0-1) of calls did not exceed: exact to its bucket, and within that by the rank.
 * Null: there was no call.
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

/** In ms; the first bucket begins where a latency is none that anybody notices. */
export function boundsOf(bucket: number): [from: number, to: number] {
  return [bucket === 0 ? 0.5 : 2 ** ((bucket - 1) / 2), 2 ** (bucket / 2)];
}

export interface Counted {
  calls: number;
  failures: number[];
  latency: number[];
}

/** What people are told of counted calls. */
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

/** Calls that failed, by class. */
export function failuresByClass(failures: number[]): Record<FailureClass, number> {
  return Object.fromEntries(FAILURE_CLASSES.map((name, place) => [name, failures[place] ?? 0])) as Record<
    FailureClass,
    number
  >;
}

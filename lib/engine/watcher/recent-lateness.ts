import { bucketOf, LATENCY_BUCKETS, percentile } from "../../servers/call-statistics/counts.ts";

/** Covers at least the last minute: the current half minute and the two before. */
const HALF_MS = 30_000;
const HALVES = 3;

/** How late steps began in the last minute, for the engine's status. Times are monotonic, in ms. */
export class RecentLateness {
  #halves: { began: number; counts: number[] }[] = [];

  note(lateMs: number, now: number): void {
    const half = this.#halves.at(-1);
    if (half && now - half.began < HALF_MS) half.counts[bucketOf(lateMs)]!++;
    else {
      const counts = new Array<number>(LATENCY_BUCKETS).fill(0);
      counts[bucketOf(lateMs)]!++;
      this.#halves = [...this.#halves, { began: now, counts }].slice(-HALVES);
    }
  }

  /** Returns the 99th percentile of lateness in ms, or null if no step began. */
  p99(now: number): number | null {
    const recent = this.#halves.filter(({ began }) => now - began < HALVES * HALF_MS);
    const sums = Array.from({ length: LATENCY_BUCKETS }, (_, place) =>
      recent.reduce((sum, { counts }) => sum + counts[place]!, 0),
    );
    return percentile(sums, 0.99);
  }
}

/** The instance of this process. */
export const recentLateness = new RecentLateness();

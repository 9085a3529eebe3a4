import { bucketOf, LATENCY_BUCKETS, percentile } from "../../servers/call-statistics/counts.ts";

/** The last minute: the half that is under way, and two that are over. */
const HALF_MS = 30_000;
const HALVES = 3;

/** How late steps began a moment ago, for people who look whether an engine keeps up. Times are monotonic, in ms. */
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

  /** What 99 of 100 were not later than; null: there were none. */
  p99(now: number): number | null {
    const recent = this.#halves.filter(({ began }) => now - began < HALVES * HALF_MS);
    const sums = Array.from({ length: LATENCY_BUCKETS }, (_, place) =>
      recent.reduce((sum, { counts }) => sum + counts[place]!, 0),
    );
    return percentile(sums, 0.99);
  }
}

/** Of this process. */
export const recentLateness = new RecentLateness();

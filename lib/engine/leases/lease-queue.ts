/** The pg-boss queue that holds the leases: one job per connection, held by at most one engine. */
import type { PgBoss } from "pg-boss";
import { BEATS_AFTER_OUTAGE_MS, SUPERVISE_EVERY_MS, UNSEEN_MS } from "../tunables.ts";

export const LEASE_QUEUE = "watch";

/**
 * pg-boss's defaults lose leases. `exclusive` allows one job per connection, queued or active. A killed
 * engine's leases expire by missing heartbeat (10 s is pg-boss's minimum) and are retried at once, without
 * limit.
 */
export const leaseQueueOptions = {
  policy: "exclusive" as const,
  heartbeatSeconds: 10,
  retryLimit: 2_147_483_647,
  retryDelay: 0,
  retryBackoff: false,
  expireInSeconds: 86_399,
  deleteAfterSeconds: 3_600,
};

export interface LeaseData {
  organizationId: string;
  connectionId: string;
}

/**
 * Expires the leases of dead engines. pg-boss alone ignores database outages: after one that outlasts a
 * lease, every lease would expire at once, those of healthy engines included. Expiry therefore waits until
 * every engine has had time to send a heartbeat.
 */
export class LeaseExpiry {
  #boss: PgBoss;
  /** When the last successful check was; monotonic, in ms. */
  #seenAt: number | null = null;
  /** Since when the database is known to be up; monotonic, in ms. */
  #thereSince = Number.POSITIVE_INFINITY;
  #supervisedAt = Number.NEGATIVE_INFINITY;

  constructor(boss: PgBoss) {
    this.#boss = boss;
  }

  /**
   * Call with every count of the leases, however seldom they come: they prove that the database is there. Supervises
   * only where a lease has expired, and now and then for the queue's own upkeep.
   */
  async run({ upMs, expired }: { upMs: number; expired: number }): Promise<void> {
    const now = performance.now();
    // A new engine has seen no outage, so the database's own start time counts.
    if (this.#seenAt === null) this.#thereSince = now - upMs;
    else if (now - this.#seenAt > UNSEEN_MS) this.#thereSince = now;
    this.#seenAt = now;
    if (now - this.#thereSince < BEATS_AFTER_OUTAGE_MS) return;
    if (expired === 0 && now - this.#supervisedAt < SUPERVISE_EVERY_MS) return;
    await this.#boss.supervise(LEASE_QUEUE);
    this.#supervisedAt = now;
  }
}

import type { PgBoss } from "pg-boss";
import { BEATS_AFTER_OUTAGE_MS, SUPERVISE_EVERY_MS, UNSEEN_MS } from "../tunables.ts";
import { LEASE_QUEUE } from "./lease-queue.ts";
import type { Condition } from "./lease-rows.ts";

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
  async run({ upMs, expired }: Condition): Promise<void> {
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

import type { PgBoss } from "pg-boss";
import { BEATS_AFTER_OUTAGE_MS, UNSEEN_MS } from "../tunables.ts";
import { LEASE_QUEUE } from "./lease-queue.ts";
import { databaseTime } from "./lease-rows.ts";

/**
 * Lets the leases of engines that are gone run out, which pg-boss would do by itself, but without regard to outages:
 * when the database was away for longer than a lease lives without heartbeats, all of them have run out at the moment
 * it is back, those of engines that are well too. So this waits until every engine's heartbeats could come back.
 */
export class LeaseExpiry {
  #boss: PgBoss;
  /** Of the last look that came back; monotonic. */
  #seenAt: number | null = null;
  /** Since when the database was there, as far as anybody knows; monotonic. */
  #thereSince = Number.POSITIVE_INFINITY;

  constructor(boss: PgBoss) {
    this.#boss = boss;
  }

  async run(): Promise<void> {
    const { upMs } = await databaseTime(this.#boss);
    const now = performance.now();
    // Who has just begun has seen no outage, and goes by the database's own start.
    if (this.#seenAt === null) this.#thereSince = now - upMs;
    else if (now - this.#seenAt > UNSEEN_MS) this.#thereSince = now;
    this.#seenAt = now;
    if (now - this.#thereSince >= BEATS_AFTER_OUTAGE_MS) await this.#boss.supervise(LEASE_QUEUE);
  }
}

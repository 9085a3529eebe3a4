/** The leases of one engine: takes its share, sends heartbeats, and gives leases back. */
import type { PgBoss } from "pg-boss";
import type { Logger } from "pino";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import type { Database } from "../../base/db/db.ts";
import { type Moment, msSince, thisMoment } from "../../base/moment.ts";
import type { Network } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import { LeaseLost } from "../db/fence.ts";
import { GroupCommit } from "../db/group-commit.ts";
import { GroupScan } from "../db/group-scan.ts";
import * as tunables from "../tunables.ts";
import { Watcher } from "../watcher/watcher.ts";
import { inGroups, newOwnedLease, type OwnedLease } from "./lease.ts";
import { LEASE_QUEUE, type LeaseData } from "./lease-queue.ts";
import { LeaseRelease } from "./lease-release.ts";
import {
  type Census,
  type Condition,
  databaseTime,
  releaseLease,
  roomFor,
  surplusOf,
  takeBack,
  takeCensus,
} from "./lease-rows.ts";
import { type LeaseRef, type Taken, takeOver } from "./takeover.ts";

/** Runs at most `atOnce` jobs concurrently; the others wait in order. */
class Semaphore {
  #free: number;
  #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}

export interface LeasesOptions {
  engineId: string;
  boss: PgBoss;
  /** Takes over and gives back connections; never queues behind steps. */
  database: Database;
  /** Runs everything that watchers do. */
  steps: Database;
  network: Network;
  seal: Seal;
  log: Logger;
  /** Called after a lease was given back; wake-ups of the connection that came meanwhile are unhandled. */
  onGone(connectionId: string): void;
}

export class Leases {
  #options: LeasesOptions;
  #owned = new Map<string, OwnedLease>();
  #closing = false;
  #releases: LeaseRelease;
  #groups: GroupCommit;
  #scans: GroupScan;
  #takeovers = new Semaphore(tunables.TAKEN_AT_ONCE);
  #stops = new Semaphore(tunables.ENDED_AT_ONCE);

  constructor(options: LeasesOptions) {
    this.#options = options;
    const { database, boss, engineId } = options;
    this.#groups = new GroupCommit(options.steps);
    this.#scans = new GroupScan(options.steps);
    this.#releases = new LeaseRelease((organizationId, leases) =>
      database.withOrganization(organizationId, (tx) => releaseLease(tx, boss, engineId, leases)),
    );
  }

  get size(): number {
    return this.#owned.size;
  }

  /** Number of tasks in memory. */
  get watched(): number {
    return [...this.#owned.values()].reduce((sum, { watcher }) => sum + (watcher?.size ?? 0), 0);
  }

  holds(connectionId: string): boolean {
    return this.#owned.has(connectionId);
  }

  /**
   * Passes a hint to the connection's watcher; queues it during a takeover, whose reads may be older. A hint is a function, since only
   * the engine knows what its payload asks of the watcher.
   */
  passHint(connectionId: string, hint: (watcher: Watcher) => void): void {
    const held = this.#owned.get(connectionId);
    if (held?.watcher) hint(held.watcher);
    else held?.hints.push(hint);
  }

  /**
   * The next heartbeat gives the lease back, and an engine takes it with the connection's new settings.
   */
  markOutdated(connectionId: string): void {
    const held = this.#owned.get(connectionId);
    if (held) held.outdated = true;
  }

  /** Makes every watcher scan, because hints for any of them may be lost. */
  scanAll(): void {
    for (const { watcher } of this.#owned.values()) watcher?.scanAll();
  }

  /** Stops acquiring leases; held ones stay until `leaveAll()`. */
  close(): void {
    this.#closing = true;
  }

  /** Gives all leases back. `beat()` must continue meanwhile, because the last steps wait for heartbeats. */
  async leaveAll(): Promise<void> {
    await Promise.all([...this.#owned.values()].map((held) => this.#leave(held)));
  }

  /** Fetches leases up to this engine's share. Returns true if more may be waiting. */
  async take(): Promise<boolean> {
    const room = roomFor(this.#owned.size, await this.census());
    if (room <= 0 || this.#closing) return false;
    const sentAt = thisMoment();
    const jobs = await this.#options.boss.fetch<LeaseData>(LEASE_QUEUE, {
      batchSize: Math.min(500, room),
      includeMetadata: true,
    });
    const fetched: OwnedLease[] = [];
    for (const { id, retryCount, data, heartbeatOn } of jobs) {
      const lease = { id, retryCount };
      const beatAt = heartbeatOn?.getTime() ?? 0;
      const last = this.#owned.get(data.connectionId);
      if (last?.watcher && isFetchedAgain(lease, last.lease)) {
        last.lease = lease;
        confirmHeartbeat(last, sentAt, beatAt);
      } else fetched.push(newOwnedLease(lease, data, sentAt, beatAt));
    }
    // All leases are registered before any takeover, so that heartbeats cover them however long takeovers
    // last.
    for (const held of fetched) {
      const last = this.#owned.get(held.data.connectionId);
      if (last) this.#drop(last);
      this.#owned.set(held.data.connectionId, held);
    }
    await Promise.all(
      inGroups(fetched, tunables.TAKEN_TOGETHER).map(({ organizationId, some }) =>
        this.#takeovers.run(() => this.#takeOver(organizationId, some)),
      ),
    );
    return jobs.length > 0;
  }

  async #takeOver(organizationId: string, some: OwnedLease[]): Promise<void> {
    // `leaveAll()` gives these leases back too.
    if (this.#closing) return;
    const leases = some.map(({ lease, data }) => ({ lease, connectionId: data.connectionId }));
    try {
      const { database, engineId } = this.#options;
      const taken = await database.withOrganization(organizationId, (tx) => takeOver(tx, leases, engineId));
      const left: OwnedLease[] = [];
      for (const held of some) {
        const one = taken.get(held.data.connectionId);
        // Sequential, because a watcher with many tasks loads them here.
        if (one) await this.#watch(held, one);
        else left.push(held);
      }
      await this.#takeOverSingly(organizationId, left, some.length);
    } catch (error) {
      this.#options.log.warn({ err: error, connections: some.length }, "a takeover failed");
      await this.#takeOverSingly(organizationId, some, isDatabaseDown(error) ? 1 : some.length);
    }
  }

  /** Retries takeovers one by one, so that a connection that blocks or fails affects only itself. */
  async #takeOverSingly(organizationId: string, left: OwnedLease[], outOf: number): Promise<void> {
    for (const held of left) {
      if (outOf > 1) await this.#takeOver(organizationId, [held]);
      else this.#drop(held);
    }
  }

  /** Gives back leases beyond this engine's share, except those whose release would end open calls. */
  async evenOut(census: Census): Promise<void> {
    const kept = [...this.#owned.values()].filter(({ leaving }) => !leaving);
    const surplus = surplusOf(kept.length, census);
    if (surplus === 0) return;
    const movable = kept.filter(({ watcher }) => watcher && !watcher.carriesCalls);
    for (const held of movable.slice(0, surplus)) void this.#leave(held);
  }

  /** Counts all engines' leases. */
  census(): Promise<Census & Condition> {
    return takeCensus(this.#options.boss, this.#options.engineId);
  }

  async #watch(held: OwnedLease, { epoch, connection, works, hasMessages }: Taken): Promise<void> {
    // Dropped meanwhile, by a heartbeat that did not come back.
    if (!this.#isHeld(held)) return;
    const { connectionId } = connection;
    const { steps: database, network, seal } = this.#options;
    const log = this.#options.log.child({ connectionId });
    const watcher = new Watcher({
      database,
      groups: this.#groups,
      scans: this.#scans,
      network,
      seal,
      log,
      connection,
      epoch,
      mayChange: () => this.#mayChange(held),
      isInTime: (at) => this.#isInTime(held, at),
      onLeaseLost: () => this.#drop(held),
      onOutdated: () => {
        held.outdated = true;
      },
    });
    held.watcher = watcher;
    try {
      await watcher.begin(works, hasMessages);
      for (const hint of held.hints) hint(watcher);
      log.info({ epoch: String(epoch), tasks: watcher.size }, "watching a connection");
    } catch (error) {
      log.warn({ err: error }, "a takeover failed");
      this.#drop(held);
    }
  }

  /**
   * Touches all leases in one statement. Drops those that pg-boss did not confirm and `takeBack` did not
   * recover: another engine has them.
   */
  async beat(): Promise<void> {
    const held = [...this.#owned.values()].map((one) => ({ one, lease: one.lease }));
    if (held.length === 0) return;
    const sentAt = thisMoment();
    const { boss } = this.#options;
    const beatAt = await databaseTime(boss);
    const leases = held.map(({ lease }) => lease);
    const reply = (await boss.touch(LEASE_QUEUE, leases)) as { settled?: string[] };
    const alive = new Set(reply.settled ?? []);
    const gone = leases.filter(({ id }) => !alive.has(id));
    if (gone.length > 0) for (const id of await takeBack(boss, gone)) alive.add(id);
    for (const { one, lease } of held) {
      // The lease was fetched anew meanwhile.
      if (one.lease !== lease) continue;
      if (!alive.has(lease.id)) {
        this.#drop(one);
        continue;
      }
      confirmHeartbeat(one, sentAt, beatAt);
      const { LEASE_MAX_AGE_MS, LONG_LEASE_MAX_AGE_MS } = tunables;
      const old =
        sentAt.monotonic - one.since > (one.watcher?.carriesCalls ? LONG_LEASE_MAX_AGE_MS : LEASE_MAX_AGE_MS);
      // Not awaited: the watcher's steps may take long, and they wait for heartbeats.
      if (one.watcher && (one.watcher.idle || old || one.outdated)) void this.#leave(one);
    }
  }

  async #mayChange(held: OwnedLease): Promise<void> {
    while (!held.heartbeatAt || msSince(held.heartbeatAt) > tunables.FRESH_HEARTBEAT_MS) {
      if (!this.#isHeld(held)) throw new LeaseLost();
      await new Promise<void>((resolve, reject) => held.waiting.push({ resolve, reject }));
    }
    if (!this.#isHeld(held)) throw new LeaseLost();
  }

  /**
   * Returns false, and requires a new heartbeat, if the last one is stale by the database's clock: this
   * machine's clocks may have stood still.
   */
  #isInTime(held: OwnedLease, at: number): boolean {
    if (at - held.beatAt <= tunables.FRESH_HEARTBEAT_MS) return true;
    held.heartbeatAt = null;
    return false;
  }

  #isHeld(held: OwnedLease): boolean {
    return this.#owned.get(held.data.connectionId) === held;
  }

  #drop(held: OwnedLease): void {
    if (this.#isHeld(held)) this.#owned.delete(held.data.connectionId);
    for (const { reject } of held.waiting.splice(0)) reject(new LeaseLost());
    held.watcher
      ?.stopLate()
      .catch((error: unknown) => this.#options.log.error({ err: error }, "a watcher did not stop"));
  }

  /** Gives a lease back, once. On failure the lease is left to expire, because its watcher has stopped. */
  #leave(held: OwnedLease): Promise<void> {
    held.leaving ??= this.#giveBack(held)
      .catch((error: unknown) => {
        const { connectionId } = held.data;
        this.#options.log.warn({ err: error, connectionId }, "a lease was not given back; it expires");
      })
      .then(() => {
        this.#drop(held);
        this.#options.onGone(held.data.connectionId);
      });
    return held.leaving;
  }

  async #giveBack(held: OwnedLease): Promise<void> {
    const { watcher, data } = held;
    await watcher?.halt();
    await this.#stops.run(async () => watcher?.stop());
    await this.#releases.give(held.lease, data);
  }
}

/** Records a confirmed heartbeat and resolves the steps that wait for one. */
function confirmHeartbeat(held: OwnedLease, sentAt: Moment, beatAt: number): void {
  held.heartbeatAt = sentAt;
  held.beatAt = beatAt;
  for (const { resolve } of held.waiting.splice(0)) resolve();
}

/**
 * Returns whether `lease` is `last` fetched once more after expiry. Consecutive counts prove that no other
 * engine held the lease in between, so its watcher and open calls stay valid.
 */
function isFetchedAgain(lease: LeaseRef, last: LeaseRef): boolean {
  return lease.id === last.id && lease.retryCount === last.retryCount + 1;
}

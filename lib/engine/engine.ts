/**
 * One engine: takes leases on connections with open work, keeps them alive, and runs a watcher for each. Task
 * rows are the truth; leases derive from them and can be made again at any time.
 */
import { randomUUID } from "node:crypto";
import { PgBoss } from "pg-boss";
import type { Logger } from "pino";
import { isDatabaseDown } from "../base/db/database-errors.ts";
import { connectTimeoutMs, type Database, Prisma } from "../base/db/db.ts";
import { listen } from "../base/db/listen.ts";
import { LEASES, PAUSE, STREAMS, TOKENS, TRY } from "../base/engine-hints.ts";
import type { Network } from "../base/network/network.ts";
import type { Seal } from "../base/seal.ts";
import { engineRegistry, noteState } from "../history/metrics/engine.ts";
import { takeSnapshot } from "../history/metrics/process.ts";
import { fairDatabase } from "./db/fair-database.ts";
import { publishChanges, publishingAfterCommit } from "./db/publish-changes.ts";
import { JOBS } from "./jobs/all-jobs.ts";
import { JobRunner } from "./jobs/job-runner.ts";
import { LeaseExpiry } from "./leases/lease-queue.ts";
import { findLeasesToTake, makeLeases } from "./leases/lease-rows.ts";
import { Leases } from "./leases/leases.ts";
import * as tunables from "./tunables.ts";
import { recentLateness } from "./watcher/scheduler.ts";
import type { Watcher } from "./watcher/watcher.ts";

export interface EngineOptions {
  database: Database;
  /** Of Postgres itself, past any pooler: notifications reach a session, and leases wait behind nobody. */
  directUrl: string;
  network: Network;
  seal: Seal;
  log: Logger;
}

export class Engine {
  readonly id = randomUUID();
  #options: EngineOptions;
  #boss: PgBoss;
  #jobRunner: JobRunner;
  #leases: Leases;
  #expiry: LeaseExpiry;
  #timers: NodeJS.Timeout[] = [];
  #heart: NodeJS.Timeout | undefined;
  #pumping: NodeJS.Timeout | undefined;
  #counting: NodeJS.Timeout | undefined;
  #forgotAt = Number.NEGATIVE_INFINITY;
  /** When the metrics in this engine's row were taken; monotonic, in ms. */
  #measuredAt = Number.NEGATIVE_INFINITY;
  #listener: { close(): Promise<void> } | undefined;
  #stopping = false;
  #busy = new Map<string, Promise<void>>();
  #again = new Set<string>();
  /** Connections with a wake-up that are not held here. */
  #wakeUps = new Set<string>();

  constructor(given: EngineOptions) {
    const database = publishingAfterCommit(fairDatabase(given.database), () => {
      this.#pumpSoon();
      this.#jobRunner.tell();
    });
    const options = { ...given, database };
    this.#options = options;
    this.#boss = new PgBoss({
      connectionString: options.directUrl,
      connectionTimeoutMillis: connectTimeoutMs(options.directUrl, tunables.LEASE_CONNECT_MS),
      // Passed through to pg, which closes a connection that is silent for this long, as in a network outage.
      ...{ query_timeout: tunables.LEASE_QUERY_MS },
      max: 4,
      migrate: false,
      createSchema: false,
      schedule: false,
      // `LeaseExpiry` supervises instead, with regard to outages.
      supervise: false,
      monitorIntervalSeconds: 1,
      maintenanceIntervalSeconds: 60,
      reindex: false,
      monitorVacuum: false,
    });
    this.#jobRunner = new JobRunner(options, JOBS);
    this.#leases = new Leases({
      ...options,
      database: given.database,
      steps: options.database,
      engineId: this.id,
      boss: this.#boss,
      onGone: (connectionId) => this.#queueWakeUp(connectionId),
    });
    this.#expiry = new LeaseExpiry(this.#boss);
    this.#boss.on("error", (error) => options.log.warn({ err: error }, "the lease queue had an error"));
  }

  get leases(): number {
    return this.#leases.size;
  }

  /** Starts the engine. If this rejects nothing keeps running, and `start()` may be called again. */
  async start(): Promise<void> {
    await this.#boss.start().catch(async (error: unknown) => {
      await this.#boss.stop({ graceful: false, close: false });
      throw error;
    });
    await this.#storePresence();
    this.#listener = listen(this.#options.directUrl, "intray_wake", {
      onNotification: (payload) => this.#onWake(payload),
      onConnected: () => {
        // Whatever was told while nobody listened.
        this.#soon("scan");
        this.#soon("pump");
        this.#jobRunner.tell();
        this.#leases.scanAll();
      },
      onError: (error) => this.#options.log.warn({ err: error }, "the wake-up connection was lost"),
    });
    this.#every(tunables.LEASE_SCAN_MS, "scan");
    this.#countSoon(0);
    this.#every(tunables.HEARTBEAT_MS, "presence");
    this.#every(tunables.PUMP_MS, "pump");
    this.#heart = setInterval(() => this.#soon("heartbeat"), tunables.HEARTBEAT_MS);
    this.#soon("scan");
    this.#jobRunner.start();
  }

  /** Stops: waits for steps under way, answers and cancels nothing, and gives the leases back. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#leases.close();
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#pumping);
    clearTimeout(this.#counting);
    await this.#listener?.close();
    await Promise.allSettled(this.#busy.values());
    // Deleted before the leases are released, so that other engines count them as their share.
    await this.#options.database
      .gate(Prisma.sql`DELETE FROM engine WHERE id = ${this.id}::uuid`)
      .catch((error: unknown) => this.#options.log.warn({ err: error }, "the engine's row was not removed"));
    const jobsStopped = this.#jobRunner.stop();
    await this.#leases.leaveAll();
    clearInterval(this.#heart);
    await jobsStopped;
    await Promise.allSettled(this.#busy.values());
    await this.#boss.stop({ graceful: false, close: true });
  }

  #jobs: Record<string, () => Promise<void>> = {
    scan: () => this.#scan(),
    wakeUps: () => this.#handleWakeUps(),
    take: () => this.#take(),
    count: () => this.#count(),
    heartbeat: () => this.#leases.beat(),
    presence: () => this.#storePresence(),
    pump: () => publishChanges(this.#options.database),
  };

  #every(ms: number, job: string): void {
    this.#timers.push(setInterval(() => this.#soon(job), ms));
  }

  /** Runs a job now, or once more after the current run. Logs the job's errors. */
  #soon(job: string): void {
    if (this.#stopping && job !== "heartbeat") return;
    if (this.#busy.has(job)) {
      this.#again.add(job);
      return;
    }
    const run = this.#jobs[job]!()
      .catch((error: unknown) => {
        const level = isDatabaseDown(error) ? "warn" : "error";
        this.#options.log[level]({ err: error, job }, "a job of the engine failed");
      })
      .finally(() => {
        this.#busy.delete(job);
        if (this.#again.delete(job)) this.#soon(job);
      });
    this.#busy.set(job, run);
  }

  #pumpSoon(): void {
    this.#pumping ??= setTimeout(() => {
      this.#pumping = undefined;
      this.#soon("pump");
    }, tunables.PUMP_AFTER_MS);
  }

  #onWake(payload: string): void {
    const [connectionId, taskId] = payload.split(" ");
    this.#pumpSoon();
    this.#jobRunner.tell();
    if (!connectionId) return;
    if (connectionId === LEASES) {
      this.#soon("take");
      return;
    }
    if (!this.#leases.holds(connectionId)) this.#queueWakeUp(connectionId);
    else if (taskId) this.#leases.passHint(connectionId, (watcher) => hint(watcher, taskId));
    else {
      this.#leases.markOutdated(connectionId);
      this.#soon("heartbeat");
    }
  }

  #queueWakeUp(connectionId: string): void {
    this.#wakeUps.add(connectionId);
    this.#soon("wakeUps");
  }

  async #scan(): Promise<void> {
    if (await makeLeases(this.#options.database, this.#boss)) this.#soon("take");
  }

  /** Handles wake-ups for connections not held here; one without a lease gets a lease. */
  async #handleWakeUps(): Promise<void> {
    const connectionIds = [...this.#wakeUps].filter((id) => !this.#leases.holds(id));
    this.#wakeUps.clear();
    if (connectionIds.length === 0) return;
    const { lacking, waiting } = await findLeasesToTake(this.#options.database, connectionIds);
    if (lacking) this.#soon("scan");
    else if (waiting) this.#soon("take");
  }

  async #take(): Promise<void> {
    if (await this.#leases.take()) this.#soon("take");
  }

  /**
   * Counts the leases: expires those of dead engines, takes what waits, and gives away what is beyond this engine's
   * share. A single engine with all leases has nothing to take over, and counts less often.
   */
  async #count(): Promise<void> {
    let isCalm = false;
    try {
      const census = await this.#leases.census();
      isCalm = census.engines === 1 && census.waiting === 0 && census.leases === this.#leases.size;
      await this.#expiry.run(census);
      await this.#leases.evenOut(census);
      if (census.waiting > 0 || census.expired > 0) this.#soon("take");
    } finally {
      this.#countSoon(isCalm ? tunables.COUNT_CALM_MS : tunables.COUNT_MS);
    }
  }

  #countSoon(ms: number): void {
    clearTimeout(this.#counting);
    if (!this.#stopping) this.#counting = setTimeout(() => this.#soon("count"), ms);
  }

  /** Stores this engine's presence and metrics. Not part of the heartbeat, which a slow write would delay. */
  async #storePresence(): Promise<void> {
    noteState({ watched: this.#leases.watched, pool: this.#options.database.pool() });
    const now = performance.now();
    const isMeasured = now - this.#measuredAt >= tunables.SNAPSHOT_MS;
    const metrics = isMeasured ? JSON.stringify(await takeSnapshot(engineRegistry)) : null;
    const lag = recentLateness.p99(performance.now());
    await this.#options.database.gate(Prisma.sql`
      INSERT INTO engine (id, leases, metrics, lateness_ms, opens_content)
      VALUES (${this.id}::uuid, ${this.#leases.size}, coalesce(${metrics}::jsonb, '[]'), ${lag}::float8, true)
      ON CONFLICT (id) DO UPDATE SET seen_at = now(), leases = excluded.leases,
        metrics = coalesce(${metrics}::jsonb, engine.metrics), lateness_ms = excluded.lateness_ms`);
    if (isMeasured) this.#measuredAt = now;
    if (now - this.#forgotAt < tunables.FORGET_ENGINES_MS) return;
    await this.#options.database.gate(
      Prisma.sql`DELETE FROM engine WHERE seen_at < now() - interval '1 hour'`,
    );
    this.#forgotAt = now;
  }
}

function hint(watcher: Watcher, about: string): void {
  if (about === TOKENS) watcher.renewAccess();
  else if (about === PAUSE) watcher.readPause();
  else if (about === TRY) watcher.tryNow();
  else if (about === STREAMS) watcher.readStreams();
  else watcher.wake(about);
}

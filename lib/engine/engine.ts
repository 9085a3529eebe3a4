/**
 * An engine process: takes leases on connections with open work, keeps them alive, and runs a watcher for each.
 * Rows are the truth; leases are derived from them and can be made again at any time.
 */
import { randomUUID } from "node:crypto";
import { fromPrisma, PgBoss } from "pg-boss";
import type { Logger } from "pino";
import { PAUSE, TOKENS, TRY } from "../changes/transitions.ts";
import { type Database, isDatabaseDown, Prisma } from "../db.ts";
import { listen } from "../listen.ts";
import { engineRegistry, noteState } from "../metrics/engine.ts";
import { takeSnapshot } from "../metrics/snapshot.ts";
import type { Network } from "../network.ts";
import type { Seal } from "../seal.ts";
import { CHORES } from "./chore-list.ts";
import { Chores } from "./chores.ts";
import { type LeaseRef, takeOver } from "./connection.ts";
import { LeaseLost } from "./entry.ts";
import { pumpChanges, pumped } from "./pump.ts";
import { LEASE_QUEUE, type LeaseData } from "./queue.ts";
import { recentLateness } from "./recent-lateness.ts";
import * as tunables from "./tunables.ts";
import { Watcher } from "./watcher.ts";

export interface EngineOptions {
  database: Database;
  databaseUrl: string;
  network: Network;
  seal: Seal;
  log: Logger;
}

interface Held {
  lease: LeaseRef;
  data: LeaseData;
  watcher: Watcher | null;
  since: number;
  /** The connection's settings were changed: it is to be taken anew. */
  outdated: boolean;
  /** It is being given back. Until that is done its heartbeats go on, so that nobody takes it from under its steps. */
  leaving: Promise<void> | null;
  /** When the last heartbeat that came back was sent; monotonic. */
  heartbeatAt: number;
  waiting: { resolve(): void; reject(error: Error): void }[];
}

export class Engine {
  readonly id = randomUUID();
  #options: EngineOptions;
  #boss: PgBoss;
  #chores: Chores;
  #held = new Map<string, Held>();
  #timers: NodeJS.Timeout[] = [];
  #heart: NodeJS.Timeout | undefined;
  #pumping: NodeJS.Timeout | undefined;
  #listener: { close(): Promise<void> } | undefined;
  #stopping = false;
  #busy = new Map<string, Promise<void>>();
  #again = new Set<string>();

  constructor(options: EngineOptions) {
    const database = pumped(options.database, () => this.#pumpSoon());
    this.#options = { ...options, database };
    this.#boss = new PgBoss({
      connectionString: options.databaseUrl,
      max: 4,
      migrate: false,
      createSchema: false,
      schedule: false,
      supervise: true,
      superviseIntervalSeconds: 1,
      monitorIntervalSeconds: 1,
      maintenanceIntervalSeconds: 60,
      reindex: false,
      monitorVacuum: false,
    });
    this.#chores = new Chores(this.#options, CHORES);
    this.#boss.on("error", (error) => options.log.warn({ err: error }, "the lease queue had an error"));
  }

  get leases(): number {
    return this.#held.size;
  }

  async start(): Promise<void> {
    await this.#boss.start();
    this.#listener = listen(this.#options.databaseUrl, "intray_wake", {
      onNotification: (payload) => this.#onWake(payload),
      onConnected: () => this.#soon("scan"),
      onError: (error) => this.#options.log.warn({ err: error }, "the wake-up connection was lost"),
    });
    this.#every(tunables.LEASE_SCAN_MS, "scan");
    this.#every(tunables.LEASE_FETCH_MS, "fetch");
    this.#every(tunables.HEARTBEAT_MS, "presence");
    this.#every(tunables.PUMP_MS, "pump");
    this.#heart = setInterval(() => this.#soon("heartbeat"), tunables.HEARTBEAT_MS);
    await this.#tellPresence();
    this.#soon("scan");
    this.#chores.start();
  }

  /** Drains: steps under way end, nothing is answered or cancelled, leases go back so that others take them at once. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#pumping);
    await this.#listener?.close();
    await this.#chores.stop();
    await Promise.allSettled(this.#busy.values());
    await Promise.all([...this.#held.values()].map((held) => this.#leave(held)));
    clearInterval(this.#heart);
    await Promise.allSettled(this.#busy.values());
    await this.#options.database
      .gate(Prisma.sql`DELETE FROM engine WHERE id = ${this.id}::uuid`)
      .catch((error: unknown) => this.#options.log.warn({ err: error }, "the engine's row was not removed"));
    await this.#boss.stop({ graceful: false, close: true });
  }

  #jobs: Record<string, () => Promise<void>> = {
    scan: () => this.#makeLeases(),
    fetch: () => this.#takeLeases(),
    heartbeat: () => this.#beat(),
    presence: () => this.#tellPresence(),
    pump: () => pumpChanges(this.#options.database),
  };

  #every(ms: number, job: string): void {
    this.#timers.push(setInterval(() => this.#soon(job), ms));
  }

  /** Runs a job now, or once more after the run that is under way; its errors end here. */
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
    this.#soon("pump");
    if (!connectionId) return;
    const held = this.#held.get(connectionId);
    if (!held) this.#soon("scan");
    else if (taskId === TOKENS) held.watcher?.renewAccess();
    else if (taskId === PAUSE) held.watcher?.lookAtPause();
    else if (taskId === TRY) held.watcher?.tryNow();
    else if (taskId) held.watcher?.wake(taskId);
    else held.outdated = true;
    if (held?.outdated) this.#soon("heartbeat");
  }

  /** A lease for every connection with open work that has none; the queue's policy refuses a second one. */
  async #makeLeases(): Promise<void> {
    const rows = await this.#options.database.gate<{ organization_id: string; connection_id: string }>(
      Prisma.sql`SELECT * FROM gate.connections_with_open_work()`,
    );
    for (const row of rows) {
      if (this.#held.has(row.connection_id)) continue;
      const data: LeaseData = { organizationId: row.organization_id, connectionId: row.connection_id };
      await this.#boss.send(LEASE_QUEUE, data, { singletonKey: data.connectionId });
    }
    this.#soon("fetch");
  }

  async #takeLeases(): Promise<void> {
    const room = tunables.CAPACITY - this.#held.size;
    if (room <= 0) return;
    const sentAt = performance.now();
    const jobs = await this.#boss.fetch<LeaseData>(LEASE_QUEUE, {
      batchSize: Math.min(500, room),
      includeMetadata: true,
    });
    const fetched = jobs.map(
      (job): Held => ({
        lease: { id: job.id, retryCount: job.retryCount },
        data: job.data,
        watcher: null,
        since: sentAt,
        outdated: false,
        leaving: null,
        heartbeatAt: sentAt,
        waiting: [],
      }),
    );
    // All of them first: from here on they have heartbeats, however long the takeovers last.
    for (const held of fetched) {
      const last = this.#held.get(held.data.connectionId);
      if (last) this.#drop(last);
      this.#held.set(held.data.connectionId, held);
    }
    for (const held of fetched) {
      await this.#watch(held).catch((error: unknown) => {
        this.#options.log.warn({ err: error, connectionId: held.data.connectionId }, "a takeover failed");
        this.#drop(held);
      });
    }
  }

  async #watch(held: Held): Promise<void> {
    const { organizationId, connectionId } = held.data;
    const { database, network, seal, log } = this.#options;
    const taken = await database.withOrganization(organizationId, (tx) =>
      takeOver(organizationId, tx, connectionId, held.lease, this.id),
    );
    if (!taken) return this.#drop(held);
    // Dropped meanwhile, by a heartbeat that did not come back.
    if (!this.#holds(held)) return;
    const watcher = new Watcher({
      database,
      network,
      seal,
      log: log.child({ connectionId }),
      connection: taken.connection,
      epoch: taken.epoch,
      mayChange: () => this.#mayChange(held),
      onLeaseLost: () => this.#drop(held),
    });
    held.watcher = watcher;
    await watcher.begin();
    log.info({ connectionId, epoch: String(taken.epoch), tasks: watcher.size }, "watching a connection");
  }

  /** Touches all leases in one statement; those that do not come back are somebody else's now. */
  async #beat(): Promise<void> {
    const held = [...this.#held.values()];
    if (held.length === 0) return;
    const sentAt = performance.now();
    const reply = (await this.#boss.touch(
      LEASE_QUEUE,
      held.map(({ lease }) => lease),
    )) as { settled?: string[] };
    const alive = new Set(reply.settled ?? []);
    for (const one of held) {
      if (!alive.has(one.lease.id)) {
        this.#drop(one);
        continue;
      }
      one.heartbeatAt = sentAt;
      for (const { resolve } of one.waiting.splice(0)) resolve();
      const { LEASE_MAX_AGE_MS, LONG_LEASE_MAX_AGE_MS } = tunables;
      const old = sentAt - one.since > (one.watcher?.carriesCalls ? LONG_LEASE_MAX_AGE_MS : LEASE_MAX_AGE_MS);
      // Not waited for: its steps may last, and they wait for heartbeats.
      if (one.watcher && (one.watcher.idle || old || one.outdated)) void this.#leave(one);
    }
  }

  /** For people who look at which engines are alive. Not part of the heartbeat, which it would hold up. */
  async #tellPresence(): Promise<void> {
    const watched = [...this.#held.values()].reduce((sum, { watcher }) => sum + (watcher?.size ?? 0), 0);
    noteState({ watched, pool: this.#options.database.pool() });
    const metrics = JSON.stringify(await takeSnapshot(engineRegistry));
    const lag = recentLateness.p99(performance.now());
    await this.#options.database.gate(Prisma.sql`
      INSERT INTO engine (id, leases, metrics, lateness_ms)
      VALUES (${this.id}::uuid, ${this.#held.size}, ${metrics}::jsonb, ${lag}::float8)
      ON CONFLICT (id) DO UPDATE SET seen_at = now(), leases = excluded.leases, metrics = excluded.metrics,
        lateness_ms = excluded.lateness_ms`);
    await this.#options.database.gate(
      Prisma.sql`DELETE FROM engine WHERE seen_at < now() - interval '1 hour'`,
    );
  }

  async #mayChange(held: Held): Promise<void> {
    while (performance.now() - held.heartbeatAt > tunables.FRESH_HEARTBEAT_MS) {
      if (!this.#holds(held)) throw new LeaseLost();
      await new Promise<void>((resolve, reject) => held.waiting.push({ resolve, reject }));
    }
    if (!this.#holds(held)) throw new LeaseLost();
  }

  #holds(held: Held): boolean {
    return this.#held.get(held.data.connectionId) === held;
  }

  #drop(held: Held): void {
    if (this.#holds(held)) this.#held.delete(held.data.connectionId);
    for (const { reject } of held.waiting.splice(0)) reject(new LeaseLost());
    held.watcher
      ?.stop()
      .catch((error: unknown) => this.#options.log.error({ err: error }, "a watcher did not stop"));
  }

  /** Gives a lease back, once. Where that fails it is dropped: its watcher has stopped, so others must get it. */
  #leave(held: Held): Promise<void> {
    held.leaving ??= this.#giveBack(held)
      .catch((error: unknown) => {
        const { connectionId } = held.data;
        this.#options.log.warn({ err: error, connectionId }, "a lease was not given back; it expires");
      })
      .then(() => {
        this.#drop(held);
        // A task that came while the lease was going had nobody to wake.
        this.#soon("scan");
      });
    return held.leaving;
  }

  /**
   * Ends a lease in one transaction that counts open work again: at 0 it is completed, else completed and made anew,
   * for any engine to take. The connection's lock makes a new task wait, so that its wake-up finds the outcome.
   */
  async #giveBack(held: Held): Promise<void> {
    await held.watcher?.stop();
    const { organizationId, connectionId } = held.data;
    await this.#options.database.withOrganization(organizationId, async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM connection WHERE organization_id = ${organizationId}::uuid
        AND id = ${connectionId}::uuid FOR UPDATE`;
      await tx.connection.updateMany({
        where: { organizationId, id: connectionId, watchedBy: this.id },
        data: { watchedBy: null },
      });
      const open = await tx.task.count({ where: { organizationId, connectionId, watched: true }, take: 1 });
      const db = fromPrisma(tx);
      await this.#boss.complete(LEASE_QUEUE, held.lease, null, { db });
      if (open > 0) await this.#boss.send(LEASE_QUEUE, held.data, { singletonKey: connectionId, db });
    });
  }
}

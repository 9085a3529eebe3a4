/**
 * An engine process: takes leases on connections with open work, keeps them alive, and runs a watcher for each.
 * Rows are the truth; leases are derived from them and can be made again at any time.
 */
import { randomUUID } from "node:crypto";
import { PgBoss } from "pg-boss";
import type { Logger } from "pino";
import { LEASES, PAUSE, TOKENS, TRY } from "../changes/transitions.ts";
import { type Database, isDatabaseDown, Prisma } from "../db.ts";
import { listen } from "../listen.ts";
import { engineRegistry, noteState } from "../metrics/engine.ts";
import { takeSnapshot } from "../metrics/snapshot.ts";
import type { Network } from "../network.ts";
import type { Seal } from "../seal.ts";
import { CHORES } from "./chore-list.ts";
import { Chores } from "./chores.ts";
import { type LeaseRef, type Taken, takeOver } from "./connection.ts";
import { LeaseLost } from "./entry.ts";
import { GivingBack } from "./giving-back.ts";
import { giveBack, lookAtLeases, makeLeases, takeCensus } from "./lease-rows.ts";
import { Places } from "./places.ts";
import { pumpChanges } from "./pump.ts";
import { LEASE_QUEUE, type LeaseData } from "./queue.ts";
import { recentLateness } from "./recent-lateness.ts";
import { roomFor, surplusOf } from "./share.ts";
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
  #listener: { close(): Promise<void> } | undefined;
  #stopping = false;
  #busy = new Map<string, Promise<void>>();
  #again = new Set<string>();
  /** Connections that were told of and are not held here. */
  #told = new Set<string>();
  #givingBack: GivingBack;
  #takeovers = new Places(tunables.TAKEN_AT_ONCE);
  #endings = new Places(tunables.ENDED_AT_ONCE);

  constructor(options: EngineOptions) {
    this.#options = options;
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
    this.#chores = new Chores(options, CHORES);
    this.#givingBack = new GivingBack((organizationId, leases) =>
      options.database.withOrganization(organizationId, (tx) =>
        giveBack(organizationId, tx, this.#boss, this.id, leases),
      ),
    );
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
    this.#every(tunables.EVEN_OUT_MS, "evenOut");
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
    await this.#listener?.close();
    await Promise.allSettled(this.#busy.values());
    // Before the leases go: from here on all of them are the others' share.
    await this.#options.database
      .gate(Prisma.sql`DELETE FROM engine WHERE id = ${this.id}::uuid`)
      .catch((error: unknown) => this.#options.log.warn({ err: error }, "the engine's row was not removed"));
    const chores = this.#chores.stop();
    await Promise.all([...this.#held.values()].map((held) => this.#leave(held)));
    clearInterval(this.#heart);
    await chores;
    await Promise.allSettled(this.#busy.values());
    await this.#boss.stop({ graceful: false, close: true });
  }

  #jobs: Record<string, () => Promise<void>> = {
    scan: () => this.#scan(),
    told: () => this.#lookAtTold(),
    fetch: () => this.#takeLeases(),
    evenOut: () => this.#evenOut(),
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

  #onWake(payload: string): void {
    const [connectionId, taskId] = payload.split(" ");
    this.#soon("pump");
    if (!connectionId) return;
    if (connectionId === LEASES) {
      this.#soon("fetch");
      return;
    }
    const held = this.#held.get(connectionId);
    if (!held) {
      this.#told.add(connectionId);
      this.#soon("told");
    } else if (taskId === TOKENS) held.watcher?.renewAccess();
    else if (taskId === PAUSE) held.watcher?.lookAtPause();
    else if (taskId === TRY) held.watcher?.tryNow();
    else if (taskId) held.watcher?.wake(taskId);
    else held.outdated = true;
    if (held?.outdated) this.#soon("heartbeat");
  }

  async #scan(): Promise<void> {
    await makeLeases(this.#options.database, this.#boss);
    this.#soon("fetch");
  }

  /** A connection that was told of is another engine's as a rule; else it gets a lease, and an engine. */
  async #lookAtTold(): Promise<void> {
    const told = [...this.#told].filter((id) => !this.#held.has(id));
    this.#told.clear();
    if (told.length === 0) return;
    const { lacking, waiting } = await lookAtLeases(this.#options.database, told);
    if (lacking) this.#soon("scan");
    else if (waiting) this.#soon("fetch");
  }

  async #takeLeases(): Promise<void> {
    const room = roomFor(this.#held.size, await takeCensus(this.#options.database, this.id));
    if (room <= 0 || this.#stopping) return;
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
    const groups = [...Map.groupBy(fetched, ({ data }) => data.organizationId)].flatMap(
      ([organizationId, all]) =>
        inGroups(all, tunables.TAKEN_TOGETHER).map((some) => ({ organizationId, some })),
    );
    await Promise.all(
      groups.map(({ organizationId, some }) =>
        this.#takeovers.run(() => this.#takeOver(organizationId, some)),
      ),
    );
    // More than a batch may wait.
    if (fetched.length > 0) this.#soon("fetch");
  }

  async #takeOver(organizationId: string, some: Held[]): Promise<void> {
    // They go back with the others.
    if (this.#stopping) return;
    const leases = some.map(({ lease, data }) => ({ lease, connectionId: data.connectionId }));
    try {
      const taken = await this.#options.database.withOrganization(organizationId, (tx) =>
        takeOver(organizationId, tx, leases, this.id),
      );
      for (const held of some) {
        const one = taken.get(held.data.connectionId);
        // Those with many tasks one after the other.
        if (one) await this.#watch(held, one);
        else this.#drop(held);
      }
    } catch (error) {
      this.#options.log.warn({ err: error, connections: some.length }, "a takeover failed");
      for (const held of some) this.#drop(held);
    }
  }

  /** Gives back what is more than this engine's share. What carries calls would end them: it stays. */
  async #evenOut(): Promise<void> {
    const kept = [...this.#held.values()].filter(({ leaving }) => !leaving);
    const surplus = surplusOf(kept.length, await takeCensus(this.#options.database, this.id));
    if (surplus === 0) return;
    const movable = kept.filter(({ watcher }) => watcher && !watcher.carriesCalls);
    for (const held of movable.slice(0, surplus)) void this.#leave(held);
  }

  async #watch(held: Held, { epoch, connection, works }: Taken): Promise<void> {
    // Dropped meanwhile, by a heartbeat that did not come back.
    if (!this.#holds(held)) return;
    const { connectionId } = connection;
    const { database, network, seal } = this.#options;
    const log = this.#options.log.child({ connectionId });
    const watcher = new Watcher({
      database,
      network,
      seal,
      log,
      connection,
      epoch,
      mayChange: () => this.#mayChange(held),
      onLeaseLost: () => this.#drop(held),
    });
    held.watcher = watcher;
    try {
      await watcher.begin(works);
      log.info({ connectionId, epoch: String(epoch), tasks: watcher.size }, "watching a connection");
    } catch (error) {
      log.warn({ err: error }, "a takeover failed");
      this.#drop(held);
    }
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
        this.#told.add(held.data.connectionId);
        this.#soon("told");
      });
    return held.leaving;
  }

  async #giveBack({ watcher, lease, data }: Held): Promise<void> {
    await watcher?.halt();
    await this.#endings.run(async () => watcher?.stop());
    await this.#givingBack.give(lease, data);
  }
}

function inGroups<T>(all: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  );
}

/** Watches one connection: holds its open tasks in memory, takes their steps when they are due, on one timer. */
import type { Logger } from "pino";
import { endpointOf } from "../connections/queries.ts";
import { type Database, isDatabaseDown, type Tx } from "../db.ts";
import { noteUnreachable } from "../deliveries/transitions.ts";
import { createPeer, openWire } from "../mcp/connect.ts";
import { discover } from "../mcp/discover.ts";
import { type Era, type Peer, PeerError } from "../mcp/peer.ts";
import type { Wire } from "../mcp/wire.ts";
import type { Network } from "../network.ts";
import type { Seal } from "../seal.ts";
import { recordEra, recordHealth } from "../servers/health.ts";
import { flushWatchTimes } from "../tasks/progress.ts";
import { loadWork, tasksNeedingWork } from "../tasks/work.ts";
import { Circuit } from "./circuit.ts";
import type { ConnectionRow } from "./connection.ts";
import { DueHeap } from "./due-heap.ts";
import { LeaseLost, newEntry, type TaskEntry, type WatcherContext } from "./entry.ts";
import { backoffDelay } from "./schedule.ts";
import { step, storeNews } from "./step.ts";
import { dropStreams } from "./streams.ts";
import * as tunables from "./tunables.ts";

export interface WatcherOptions {
  database: Database;
  network: Network;
  seal: Seal;
  log: Logger;
  connection: ConnectionRow;
  epoch: bigint;
  /** Resolves when a change may begin (a fresh heartbeat); rejects with LeaseLost. */
  mayChange(): Promise<void>;
  /** The lease is gone: the engine drops this watcher. */
  onLeaseLost(): void;
}

interface Lane {
  due: DueHeap;
  running: number;
  atOnce: number;
}

export class Watcher {
  readonly connectionId: string;
  readonly organizationId: string;
  #options: WatcherOptions;
  #context: WatcherContext;
  #wire: Wire;
  #entries = new Map<string, TaskEntry>();
  /** Starts and what people wait for have a lane of their own, so that slow polls don't hold them up. */
  #lanes: Record<"urgent" | "regular", Lane> = {
    urgent: { due: new DueHeap(), running: 0, atOnce: tunables.URGENT_AT_ONCE },
    regular: { due: new DueHeap(), running: 0, atOnce: tunables.STEPS_AT_ONCE },
  };
  #timer: NodeJS.Timeout | undefined;
  #steps = new Set<Promise<void>>();
  #stopped: Promise<void> | null = null;
  #circuit = new Circuit();
  #lastWork = performance.now();
  #peers = new Map<Era, Peer>();
  #scan: NodeJS.Timeout | undefined;
  #flush: NodeJS.Timeout | undefined;

  constructor(options: WatcherOptions) {
    const { connection } = options;
    this.#options = options;
    this.connectionId = connection.connectionId;
    this.organizationId = connection.organizationId;
    const endpoint = endpointOf(connection, options.seal);
    this.#wire = openWire(endpoint, options.network);
    this.#context = {
      organizationId: connection.organizationId,
      connectionId: connection.connectionId,
      serverId: connection.serverId,
      epoch: options.epoch,
      seal: options.seal,
      log: options.log,
      transaction: (work) => this.#fenced(work),
      mayChange: options.mayChange,
      era: () => this.#era(),
      peer: (era) => this.#peer(era),
      wake: (taskId, afterMs) => this.#wake(taskId, afterMs, false),
    };
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Nothing to do for a while: the lease may go back. */
  get idle(): boolean {
    return this.#entries.size === 0 && performance.now() - this.#lastWork > tunables.IDLE_LEASE_MS;
  }

  async begin(): Promise<void> {
    await this.#adopt(null);
    if (this.#stopped) return;
    this.#scan = setInterval(() => this.#own(this.#slowScan()), tunables.SLOW_SCAN_MS);
    this.#flush = setInterval(() => this.#own(this.#flushTimes()), tunables.FLUSH_MS);
  }

  /** Something about a task was committed by others. */
  wake(taskId: string): void {
    this.#lastWork = performance.now();
    if (this.#entries.has(taskId)) this.#wake(taskId, 0, true);
    else this.#own(this.#adopt([taskId]));
  }

  /** Ends without answering, cancelling or closing anything on the server; steps under way are waited for. */
  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    clearInterval(this.#scan);
    clearInterval(this.#flush);
    await Promise.allSettled(this.#steps);
    for (const entry of this.#entries.values()) dropStreams(entry);
    for (const entry of this.#entries.values()) await this.#keepNews(entry);
    await this.#flushTimes().catch((error: unknown) =>
      this.#options.log.debug({ err: error }, "the times of the last polls were not stored"),
    );
  }

  /** What came in while the last steps ended would not be told again by most servers. */
  async #keepNews(entry: TaskEntry): Promise<void> {
    const exists = entry.handle !== null || entry.work.sealedHandle !== null;
    if (entry.news.length === 0 || !exists) return;
    await storeNews(this.#context, entry).catch((error: unknown) => {
      if (!(error instanceof LeaseLost))
        this.#options.log.error({ err: error, taskId: entry.id }, "news of a task were lost");
    });
  }

  #wake(taskId: string, afterMs: number, byPerson: boolean): void {
    const entry = this.#entries.get(taskId);
    if (!entry || this.#stopped) return;
    if (byPerson) {
      entry.stale = true;
      entry.urgent = true;
    }
    const due = performance.now() + afterMs;
    if (entry.running) {
      entry.wokenFor = Math.min(entry.wokenFor, due);
      return;
    }
    this.#schedule(entry, Math.min(due, this.#dueOf(taskId)));
    this.#arm();
  }

  #laneOf(entry: TaskEntry): Lane {
    const isStart = entry.work.state === "queued" || entry.work.state === "starting";
    return isStart || entry.urgent ? this.#lanes.urgent : this.#lanes.regular;
  }

  #dueOf(taskId: string): number {
    const { urgent, regular } = this.#lanes;
    return urgent.due.dueOf(taskId) ?? regular.due.dueOf(taskId) ?? Number.POSITIVE_INFINITY;
  }

  #schedule(entry: TaskEntry, due: number): void {
    const lane = this.#laneOf(entry);
    for (const other of Object.values(this.#lanes)) if (other !== lane) other.due.delete(entry.id);
    lane.due.set(entry.id, due);
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const dues = Object.values(this.#lanes).map((lane) =>
      lane.running < lane.atOnce ? (lane.due.peek() ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY,
    );
    const next = Math.min(...dues);
    if (next === Number.POSITIVE_INFINITY) return;
    const wait = Math.min(tunables.MAX_TIMER_MS, Math.max(0, next - performance.now()));
    this.#timer = setTimeout(() => this.#takeDue(), wait);
  }

  #takeDue(): void {
    const now = performance.now();
    for (const lane of Object.values(this.#lanes)) {
      while (!this.#stopped && lane.running < lane.atOnce) {
        const id = lane.due.popDue(now);
        if (id === undefined) break;
        const entry = this.#entries.get(id);
        if (!entry || entry.running) continue;
        lane.running++;
        const done = this.#take(entry).finally(() => {
          lane.running--;
          this.#steps.delete(done);
          this.#arm();
        });
        this.#steps.add(done);
      }
    }
    this.#arm();
  }

  async #take(entry: TaskEntry): Promise<void> {
    entry.running = true;
    entry.wokenFor = Number.POSITIVE_INFINITY;
    let pause: number | null;
    try {
      // Where somebody acted, or looks, it is tried at once.
      const wait = entry.urgent ? 0 : this.#circuit.waitFor(entry.id, performance.now());
      entry.urgent = false;
      if (wait > 0) pause = wait;
      else {
        pause = await step(this.#context, entry);
        this.#succeeded(entry);
      }
    } catch (error) {
      pause = await this.#failed(entry, error);
    } finally {
      entry.running = false;
      this.#circuit.release(entry.id);
    }
    if (pause === null) {
      this.#entries.delete(entry.id);
      this.#lastWork = performance.now();
      return;
    }
    this.#schedule(entry, Math.min(entry.wokenFor, performance.now() + pause));
  }

  #succeeded(entry: TaskEntry): void {
    entry.failures = 0;
    if (!this.#circuit.succeed()) return;
    for (const id of this.#entries.keys()) this.#wake(id, 0, false);
    this.#own(this.#health("ok", null));
  }

  /** Owns every error of a step: who may have caused it, who is told, and when it is tried again. */
  async #failed(entry: TaskEntry, error: unknown): Promise<number> {
    const { log } = this.#options;
    entry.stale = true;
    entry.failures++;
    if (error instanceof LeaseLost) {
      this.#options.onLeaseLost();
      return tunables.MAX_TIMER_MS;
    }
    if (error instanceof PeerError) {
      log.info({ taskId: entry.id, code: error.code, failures: entry.failures }, "a call to a server failed");
      if (error.reached === "yes" && error.code !== "unauthorized" && error.code !== "rate_limited")
        return backoffDelay(entry.failures);
      return this.#serverFailed(error);
    }
    if (isDatabaseDown(error)) {
      log.warn({ err: error, taskId: entry.id }, "the database can't be reached");
      return 1_000;
    }
    log.error({ err: error, taskId: entry.id }, "a step failed");
    return backoffDelay(entry.failures + 2);
  }

  /** Trouble of the server, not of one task: everybody waits, and one at a time tries again. */
  async #serverFailed(error: PeerError): Promise<number> {
    const { pause, isNews } = this.#circuit.fail(performance.now(), error.retryAfterMs);
    if (!isNews) return pause;
    const unauthorized = error.code === "unauthorized";
    const state = unauthorized ? "unauthorized" : error.reached === "yes" ? "failing" : "unreachable";
    await this.#health(state, HEALTH_WORDS[error.code] ?? "The server can't be reached.").catch(
      (cause: unknown) => this.#options.log.warn({ err: cause }, "a server's health was not stored"),
    );
    return pause;
  }

  async #health(
    state: "ok" | "unreachable" | "unauthorized" | "failing",
    message: string | null,
  ): Promise<void> {
    const taskIds = [...this.#entries.keys()];
    await this.#fenced(async (tx) => {
      if (state === "unreachable") await noteUnreachable(this.organizationId, tx, taskIds);
      await recordHealth(this.organizationId, tx, this.#context.serverId, { state, message });
    });
    if (state === "unreachable") for (const entry of this.#entries.values()) entry.stale = true;
  }

  async #slowScan(): Promise<void> {
    const ids = await this.#fenced((tx) => tasksNeedingWork(this.organizationId, tx, this.connectionId));
    const unknown = ids.filter((id) => !this.#entries.has(id));
    if (unknown.length > 0) await this.#adopt(unknown);
    if (this.#circuit.isOpen(performance.now())) return;
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (!entry || entry.failures > 0) continue;
      entry.stale = true;
      this.#wake(id, 0, false);
    }
  }

  /** Takes on what is not watched yet: all of the connection (null), or these. */
  async #adopt(taskIds: string[] | null): Promise<void> {
    const works = await this.#fenced((tx) => loadWork(this.organizationId, tx, this.connectionId, taskIds));
    for (const work of works) {
      // Brought in by another look while this was read: it has streams and news by now, and may know less than this.
      if (this.#entries.has(work.id)) {
        this.#wake(work.id, 0, true);
        continue;
      }
      const entry = newEntry(work);
      this.#entries.set(work.id, entry);
      this.#schedule(entry, performance.now());
    }
    this.#arm();
  }

  async #flushTimes(): Promise<void> {
    const changed = [...this.#entries.values()].filter((entry) => entry.timesChanged);
    if (changed.length === 0) return;
    for (const entry of changed) entry.timesChanged = false;
    const times = changed.map((entry) => ({
      taskId: entry.id,
      lastCheckedAt: entry.lastCheckedAt ?? new Date(),
      nextCheckAt: entry.nextCheckAt ?? new Date(),
      unchangedPolls: entry.unchangedPolls,
    }));
    await this.#fenced((tx) => flushWatchTimes(this.organizationId, tx, times));
  }

  /** Every write carries the epoch: once another engine has taken over, nothing of ours is written. */
  #fenced<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#options.database.withOrganization(this.organizationId, async (tx) => {
      const held = await tx.$queryRaw<unknown[]>`SELECT 1 FROM connection
        WHERE organization_id = ${this.organizationId}::uuid AND id = ${this.connectionId}::uuid
          AND epoch = ${this.#options.epoch} FOR SHARE`;
      if (held.length === 0) throw new LeaseLost();
      return work(tx);
    });
  }

  async #era(): Promise<Era> {
    const { connection } = this.#options;
    if (connection.era) return connection.era;
    const setting = connection.eraSetting;
    const found = await discover(this.#wire, setting, { deadlineMs: tunables.OPEN_DEADLINE_MS });
    await this.#fenced((tx) => recordEra(this.organizationId, tx, connection.serverId, found.era));
    connection.era = found.era;
    return found.era;
  }

  #peer(era: Era): Peer {
    let peer = this.#peers.get(era);
    if (!peer) {
      peer = createPeer(era, this.#wire);
      this.#peers.set(era, peer);
    }
    return peer;
  }

  /** Background work whose failure is only logged: a step or the next scan does it again. */
  #own(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (error instanceof LeaseLost) this.#options.onLeaseLost();
      else this.#options.log.warn({ err: error }, "background work of a watcher failed");
    });
  }
}

const HEALTH_WORDS: Record<string, string> = {
  unauthorized: "The server refuses our credentials.",
  rate_limited: "The server asks us to wait.",
  timeout: "The server does not answer in time.",
  address_not_allowed: "The server's address is not allowed.",
};

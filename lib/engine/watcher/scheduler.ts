/** Schedules steps in three lanes (starts, urgent, regular), on one timer. */

import { lateness } from "../../history/metrics/engine.ts";
import { MAX_TIMER_MS } from "../../mcp/wire/deadline.ts";
import {
  bucketOf,
  LATENCY_BUCKETS,
  percentile,
} from "../../servers/call-statistics/call-statistics-schema.ts";
import {
  FEWEST_STEPS_AT_ONCE,
  GROW_AFTER_MS,
  MOST_STEPS_AT_ONCE,
  QUICK_STEP_MS,
  STARTS_AT_ONCE,
  STEPS_AT_ONCE,
  TASKS_FOR_ONE_STEP,
  TURN_MS,
  URGENT_AT_ONCE,
} from "../tunables.ts";
import { type Due, DueHeap } from "./due-heap.ts";

export type LaneName = "start" | "urgent" | "regular";

/** An item with at most one step at a time. */
export interface Scheduled extends Due {
  /** The lane that holds the item while `heapIndex` is not -1. */
  lane: LaneName;
}

interface Lane<T extends Scheduled> {
  name: LaneName;
  due: DueHeap<T>;
  running: number;
  atOnce: number;
  /**
   * Since when a due item has waited in the full lane, or since the lane last grew; Infinity if none waits.
   */
  fullSince: number;
  late: { observe(seconds: number): void };
}

/**
 * Runs the steps of each lane within its own limit, so that slow polls delay no answers, and answers no
 * starts. Times are monotonic, in ms.
 */
export class Scheduler<T extends Scheduled> {
  #lanes: Record<LaneName, Lane<T>> = {
    start: laneOf("start", STARTS_AT_ONCE),
    urgent: laneOf("urgent", URGENT_AT_ONCE),
    regular: laneOf("regular", STEPS_AT_ONCE),
  };
  #take: (item: T) => Promise<void> | null;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  /** Duration of the quickest recent regular steps, in ms: the server's latency without our own overhead. */
  #stepMs: number | null = null;
  #steps = new Set<Promise<void>>();
  #stopped = false;

  /** `take` begins a step, or returns null if the item has none to take. */
  constructor(take: (item: T) => Promise<void> | null) {
    this.#take = take;
  }

  /** Schedules an item's step at `due` in this lane, and removes the item from any other. */
  schedule(item: T, name: LaneName, due: number): void {
    if (item.heapIndex !== -1 && item.lane !== name) this.#lanes[item.lane].due.delete(item);
    item.lane = name;
    this.#lanes[name].due.set(item, due);
    this.#arm();
  }

  /**
   * Returns the time to poll `tasks` tasks once at a slow server, in ms. 0 for a quick server: its polls
   * follow the end of the last poll anyway, so only our own work makes them late.
   */
  leastPauseMs(tasks: number): number {
    const stepMs = this.#stepMs ?? 0;
    return stepMs < QUICK_STEP_MS ? 0 : (tasks * stepMs) / STEPS_AT_ONCE;
  }

  /** Begins no more steps and waits for those under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await Promise.allSettled(this.#steps);
  }

  /** Sets the timer only for an earlier time; one that fires too early just arms the next. */
  #arm(): void {
    if (this.#stopped) return;
    const now = performance.now();
    const { start, urgent, regular } = this.#lanes;
    const next = this.#nextOf(regular);
    // Rounding makes polls of all connections share turns of the event loop.
    const turn = next <= now ? now : Math.ceil(next / TURN_MS) * TURN_MS;
    const at = Math.min(this.#nextOf(start), this.#nextOf(urgent), turn);
    if (at >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#takeDue(), Math.min(MAX_TIMER_MS, Math.max(0, at - now)));
  }

  #takeDue(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    this.#takeDueOf(this.#lanes.start, now);
    this.#takeDueOf(this.#lanes.urgent, now);
    this.#takeDueOf(this.#lanes.regular, now);
    this.#arm();
  }

  #takeDueOf(lane: Lane<T>, now: number): void {
    if (lane.name === "regular" && lane.running === 0) startSmall(lane);
    for (;;) {
      const item = lane.due.first;
      if (!item || item.due > now) lane.fullSince = Number.POSITIVE_INFINITY;
      if (!item || item.due > now || this.#stopped || !this.#hasRoom(lane, now)) return;
      const { due } = item;
      lane.due.delete(item);
      const step = this.#take(item);
      if (!step) continue;
      lane.late.observe((now - due) / 1000);
      recentLateness.note(now - due, now);
      lane.running++;
      const done = step.finally(() => {
        lane.running--;
        if (lane.name === "regular") this.#noteStep(performance.now() - now);
        this.#steps.delete(done);
        this.#arm();
      });
      this.#steps.add(done);
    }
  }

  /**
   * Returns whether one more step may begin. Doubles the lane's limit if due steps have waited long enough;
   * every poll in parallel takes a socket.
   */
  #hasRoom(lane: Lane<T>, now: number): boolean {
    if (lane.running < lane.atOnce) return true;
    if (lane.atOnce >= this.#mostAtOnce(lane)) return false;
    lane.fullSince = Math.min(lane.fullSince, now);
    if (now < lane.fullSince + GROW_AFTER_MS) return false;
    lane.atOnce = Math.min(2 * lane.atOnce, this.#mostAtOnce(lane));
    lane.fullSince = now;
    return true;
  }

  #mostAtOnce(lane: Lane<T>): number {
    if (lane.name !== "regular") return lane.atOnce;
    return this.#stepMs !== null && this.#stepMs < QUICK_STEP_MS ? MOST_STEPS_AT_ONCE : STEPS_AT_ONCE;
  }

  #nextOf(lane: Lane<T>): number {
    const due = lane.due.first?.due ?? Number.POSITIVE_INFINITY;
    if (lane.running < lane.atOnce) return due;
    if (lane.atOnce >= this.#mostAtOnce(lane)) return Number.POSITIVE_INFINITY;
    return lane.fullSince === Number.POSITIVE_INFINITY ? due : lane.fullSince + GROW_AFTER_MS;
  }

  #noteStep(ms: number): void {
    // Slower steps raise the estimate only gradually.
    this.#stepMs = this.#stepMs === null ? ms : Math.min(ms, this.#stepMs * 1.02 + 0.1);
    const { regular } = this.#lanes;
    if (this.#stepMs >= QUICK_STEP_MS) regular.atOnce = Math.min(regular.atOnce, STEPS_AT_ONCE);
  }
}

function laneOf<T extends Scheduled>(name: LaneName, atOnce: number): Lane<T> {
  const fullSince = Number.POSITIVE_INFINITY;
  return { name, due: new DueHeap(), running: 0, atOnce, fullSince, late: lateness.labels(name) };
}

/** Fits an idle lane's limit to its number of tasks, because a few delayed tasks need no socket each. */
function startSmall<T extends Scheduled>(lane: Lane<T>): void {
  if (lane.atOnce > STEPS_AT_ONCE) return;
  const forTasks = Math.ceil(lane.due.size / TASKS_FOR_ONE_STEP);
  lane.atOnce = Math.min(STEPS_AT_ONCE, Math.max(FEWEST_STEPS_AT_ONCE, forTasks));
}

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

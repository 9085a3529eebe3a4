/** Which step is next: places for starts, for what people wait for, and for the rest, on one timer. */

import { lateness } from "../metrics/engine.ts";
import { DueHeap } from "./due-heap.ts";
import { recentLateness } from "./recent-lateness.ts";
import { MAX_TIMER_MS, STARTS_AT_ONCE, STEPS_AT_ONCE, URGENT_AT_ONCE } from "./tunables.ts";

export type LaneName = "start" | "urgent" | "regular";

interface Lane {
  due: DueHeap;
  running: number;
  atOnce: number;
}

/** A lane that is full holds up no other: slow polls no answer, two hundred answers no start. Times are monotonic. */
export class Lanes {
  #lanes: Record<LaneName, Lane> = {
    start: { due: new DueHeap(), running: 0, atOnce: STARTS_AT_ONCE },
    urgent: { due: new DueHeap(), running: 0, atOnce: URGENT_AT_ONCE },
    regular: { due: new DueHeap(), running: 0, atOnce: STEPS_AT_ONCE },
  };
  #take: (id: string) => Promise<void> | null;
  #timer: NodeJS.Timeout | undefined;
  #steps = new Set<Promise<void>>();
  #stopped = false;

  /** `take` begins the step of a task; null: there is none to be taken. */
  constructor(take: (id: string) => Promise<void> | null) {
    this.#take = take;
  }

  /** Has a task's step taken at `due`, in this lane and no other. */
  schedule(id: string, name: LaneName, due: number): void {
    for (const [other, lane] of Object.entries(this.#lanes)) if (other !== name) lane.due.delete(id);
    this.#lanes[name].due.set(id, due);
    this.#arm();
  }

  dueOf(id: string): number {
    const dues = Object.values(this.#lanes).map((lane) => lane.due.dueOf(id) ?? Number.POSITIVE_INFINITY);
    return Math.min(...dues);
  }

  /** Begins no more steps, and waits for those under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await Promise.allSettled(this.#steps);
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const dues = Object.values(this.#lanes).map((lane) =>
      lane.running < lane.atOnce ? (lane.due.peek() ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY,
    );
    const next = Math.min(...dues);
    if (next === Number.POSITIVE_INFINITY) return;
    const wait = Math.min(MAX_TIMER_MS, Math.max(0, next - performance.now()));
    this.#timer = setTimeout(() => this.#takeDue(), wait);
  }

  #takeDue(): void {
    const now = performance.now();
    for (const [name, lane] of Object.entries(this.#lanes)) {
      while (!this.#stopped && lane.running < lane.atOnce) {
        const due = lane.due.peek() ?? now;
        const id = lane.due.popDue(now);
        if (id === undefined) break;
        const step = this.#take(id);
        if (!step) continue;
        lateness.observe({ lane: name }, (now - due) / 1000);
        recentLateness.note(now - due, now);
        lane.running++;
        const done = step.finally(() => {
          lane.running--;
          this.#steps.delete(done);
          this.#arm();
        });
        this.#steps.add(done);
      }
    }
    this.#arm();
  }
}

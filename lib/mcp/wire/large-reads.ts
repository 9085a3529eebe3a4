/**
 * Few large replies are read at a time, whoever sends them: each may hold 8 MiB until it is whole, and what thousands of
 * tasks could send together is more than a process has. The others wait with their bytes in the socket; small replies,
 * nearly all there are, wait for nobody.
 */
import { getHeapStatistics } from "node:v8";
import { LARGE_BYTES, LARGE_EACH, LARGE_MOST, LARGE_MS, LARGE_SHARE_BYTES } from "../limits.ts";

/** Holds an exchange's bytes back, and lets them come again. */
export interface Flow {
  pause(): void;
  resume(): void;
}

interface Waiting {
  origin: string;
  enter(): void;
}

/** Places, of which one origin has a few at most: who sends slowly holds up no one but itself. */
export class Places {
  #left: number;
  #each: number;
  #held = new Map<string, number>();
  #waiting = new Set<Waiting>();

  constructor(places: number, each: number) {
    this.#left = places;
    this.#each = each;
  }

  /** Calls `enter` when there is a place, before it returns where there is one now. The returned function leaves. */
  take(origin: string, enter: () => void): () => void {
    let isIn = false;
    const waiting: Waiting = {
      origin,
      enter: () => {
        isIn = true;
        enter();
      },
    };
    this.#waiting.add(waiting);
    this.#admit();
    return () => {
      this.#waiting.delete(waiting);
      if (!isIn) return;
      isIn = false;
      this.#count(origin, -1);
      this.#admit();
    };
  }

  #admit(): void {
    for (const waiting of this.#waiting) {
      if (this.#left === 0) return;
      if ((this.#held.get(waiting.origin) ?? 0) >= this.#each) continue;
      this.#waiting.delete(waiting);
      this.#count(waiting.origin, 1);
      waiting.enter();
    }
  }

  #count(origin: string, more: 1 | -1): void {
    this.#left -= more;
    const held = (this.#held.get(origin) ?? 0) + more;
    if (held === 0) this.#held.delete(origin);
    else this.#held.set(origin, held);
  }
}

const places = new Places(
  Math.max(2, Math.min(LARGE_MOST, Math.floor(getHeapStatistics().heap_size_limit / LARGE_SHARE_BYTES))),
  LARGE_EACH,
);

/** What one exchange reads: a body, or one event of its stream after the other. */
export class LargeRead {
  #origin: string;
  #stop: (message: string) => void;
  #leave: (() => void) | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** `stop` ends the exchange. */
  constructor(origin: string, stop: (message: string) => void) {
    this.#origin = origin;
    this.#stop = stop;
  }

  /** So much of what is not whole yet is here, in bytes or characters. */
  holds(size: number, flow: Flow): void {
    if (size <= LARGE_BYTES) this.#give();
    else if (!this.#leave && !this.#isOver) this.#take(flow);
  }

  /** No more comes. */
  end(): void {
    this.#isOver = true;
    this.#give();
  }

  #take(flow: Flow): void {
    let isIn = false;
    let isPaused = false;
    this.#leave = places.take(this.#origin, () => {
      isIn = true;
      this.#timer = setTimeout(this.#stop, LARGE_MS, "The server did not send all of its reply in time");
      // Not from inside the reading of another exchange.
      if (isPaused) setImmediate(() => flow.resume());
    });
    if (isIn) return;
    isPaused = true;
    flow.pause();
  }

  #give(): void {
    if (!this.#leave) return;
    clearTimeout(this.#timer);
    // Whoever was handed what is whole has this turn of the event loop to read it.
    setImmediate(this.#leave);
    this.#leave = null;
  }
}

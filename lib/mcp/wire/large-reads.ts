/**
 * Limits how many large replies are read at a time. Each may take 8 MiB until complete, so those of thousands
 * of tasks together would exceed the process's memory. Further large replies wait with their bytes in the
 * socket. Small replies, nearly all, never wait.
 */
import { getHeapStatistics } from "node:v8";
import { LARGE_BYTES, LARGE_EACH, LARGE_MOST, LARGE_MS, LARGE_SHARE_BYTES } from "../limits.ts";

/** Pauses and resumes an exchange's data. */
export interface Flow {
  pause(): void;
  resume(): void;
}

interface Waiting {
  origin: string;
  enter(): void;
}

/** A fixed number of places. Each origin gets only a few, so a slow server only delays itself. */
export class Places {
  #left: number;
  #each: number;
  #held = new Map<string, number>();
  #waiting = new Set<Waiting>();

  constructor(places: number, each: number) {
    this.#left = places;
    this.#each = each;
  }

  /** Calls `enter` once a place is free, synchronously if possible. The returned function frees the place. */
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

/** The reading of one exchange: a body, or the events of a stream one by one. */
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

  /** Reports the size of the incomplete part read so far, in bytes or characters. */
  holds(size: number, flow: Flow): void {
    if (size <= LARGE_BYTES) this.#give();
    else if (!this.#leave && !this.#isOver) this.#take(flow);
  }

  /** Reports that no more data will arrive. */
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
      // Deferred, since the current turn may belong to another exchange's reading.
      if (isPaused) setImmediate(() => flow.resume());
    });
    if (isIn) return;
    isPaused = true;
    flow.pause();
  }

  #give(): void {
    if (!this.#leave) return;
    clearTimeout(this.#timer);
    // The place is freed only after this turn, in which the complete reply is processed.
    setImmediate(this.#leave);
    this.#leave = null;
  }
}

import { PROBE_WAIT_MS } from "../tunables.ts";
import { backoffDelay } from "./poll-schedule.ts";

/**
 * A server in trouble is left alone: all steps wait until the circuit closes, then one tries whether it is well
 * again while the others wait for its word. Times are monotonic, in ms.
 */
export class Circuit {
  #failures = 0;
  #openUntil = 0;
  #probing: string | null = null;

  isOpen(now: number): boolean {
    return this.#openUntil > now;
  }

  /** How long a step has to wait before it may call; 0: now, and where there was trouble it is the one that tries. */
  waitFor(step: string, now: number): number {
    if (this.#failures === 0) return 0;
    if (this.isOpen(now)) return this.#openUntil - now;
    if (this.#probing !== null) return PROBE_WAIT_MS;
    this.#probing = step;
    return 0;
  }

  /** How often in a row it failed, and for how long it is left alone yet, in ms. */
  state(now: number): { failures: number; openForMs: number } {
    return { failures: this.#failures, openForMs: Math.max(0, this.#openUntil - now) };
  }

  /** Somebody wants it tried: by one step, as ever. */
  tryNow(): void {
    this.#openUntil = 0;
  }

  /** A step is over, however it went. */
  release(step: string): void {
    if (this.#probing === step) this.#probing = null;
  }

  /** The server answered. True where it had been in trouble. */
  succeed(): boolean {
    if (this.#failures === 0) return false;
    this.#failures = 0;
    this.#openUntil = 0;
    this.#probing = null;
    return true;
  }

  /**
   * The server failed. Returns the pause, and whether this is news: steps that were under way when the first one
   * failed say nothing new, so that twenty at once do not count as twenty in a row.
   */
  fail(now: number, retryAfterMs: number | null): { pause: number; isNews: boolean } {
    if (this.isOpen(now) && retryAfterMs === null) return { pause: this.#openUntil - now, isNews: false };
    this.#failures++;
    const pause = retryAfterMs ?? backoffDelay(this.#failures);
    this.#openUntil = now + pause;
    return { pause, isNews: true };
  }
}

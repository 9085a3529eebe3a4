import { PROBE_WAIT_MS } from "../tunables.ts";
import { backoffDelay } from "./poll-schedule.ts";

/**
 * Pauses all steps after a server's failure. After the pause one step probes the server, while the others
 * wait. Times are monotonic, in ms.
 */
export class Circuit {
  #failures = 0;
  #openUntil = 0;
  #probing: string | null = null;

  isOpen(now: number): boolean {
    return this.#openUntil > now;
  }

  /**
   * Returns how long the step must wait before a call, in ms; 0 means now. After a failure, the step that
   * gets 0 is the probe.
   */
  waitFor(step: string, now: number): number {
    if (this.#failures === 0) return 0;
    if (this.isOpen(now)) return this.#openUntil - now;
    if (this.#probing !== null) return PROBE_WAIT_MS;
    this.#probing = step;
    return 0;
  }

  /** Returns the consecutive failures, and for how long the circuit stays open, in ms. */
  state(now: number): { failures: number; openForMs: number } {
    return { failures: this.#failures, openForMs: Math.max(0, this.#openUntil - now) };
  }

  /** Ends the pause early; a single step probes the server, as usual. */
  tryNow(): void {
    this.#openUntil = 0;
  }

  /** Ends the step's probe, if the step was the probe, whatever its outcome. */
  release(step: string): void {
    if (this.#probing === step) this.#probing = null;
  }

  /** Records an answer. Returns true if the server had been failing. */
  succeed(): boolean {
    if (this.#failures === 0) return false;
    this.#failures = 0;
    this.#openUntil = 0;
    this.#probing = null;
    return true;
  }

  /**
   * Records a failure. Returns the pause in ms, and whether the failure is news: steps already under way when
   * the circuit opened do not count, so that twenty parallel failures are not twenty in a row.
   */
  fail(now: number, retryAfterMs: number | null): { pause: number; isNews: boolean } {
    if (this.isOpen(now) && retryAfterMs === null) return { pause: this.#openUntil - now, isNews: false };
    this.#failures++;
    const pause = retryAfterMs ?? backoffDelay(this.#failures);
    this.#openUntil = now + pause;
    return { pause, isNews: true };
  }
}

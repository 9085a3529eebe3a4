import type { CallOptions } from "../peer.ts";
import { PeerError } from "../peer-error.ts";

/** Node fires longer timers at once. */
export const MAX_TIMER_MS = 2_147_483_647;

/**
 * The deadline of a call that cannot be unsent: `fail` gets a `timeout` when the time is over or the caller
 * aborts. Throws a `timeout`, reached `no`, if the caller has aborted already.
 */
export class Deadline {
  readonly #options: CallOptions;
  readonly #fail: (error: PeerError) => void;
  readonly #giveUp = () => this.#over("The call was given up");
  #timer: NodeJS.Timeout;

  constructor(options: CallOptions, fail: (error: PeerError) => void) {
    if (options.signal?.aborted) throw new PeerError("timeout", "no", "The call was given up");
    this.#options = options;
    this.#fail = fail;
    this.#timer = this.#arm(options.deadlineMs);
    options.signal?.addEventListener("abort", this.#giveUp);
  }

  /** Switches from the sending's deadline to the reply's, once the call was written. */
  written(): void {
    const { replyWithinMs } = this.#options;
    if (replyWithinMs === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = this.#arm(replyWithinMs);
  }

  met(): void {
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener("abort", this.#giveUp);
  }

  #arm(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#over("The server did not answer in time"), Math.min(ms, MAX_TIMER_MS));
  }

  #over(message: string): void {
    this.met();
    this.#fail(new PeerError("timeout", "maybe", message));
  }
}

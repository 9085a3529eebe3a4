import { type CallOptions, PeerError } from "../peer.ts";

/** A longer timer would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;

/**
 * The end of a call whose bytes can't be called back: `fail` gets a `timeout` when its time is over or its caller
 * gives up. Throws the same, reached `no`, where the caller had given up before.
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

  /** The call is out: from here on the reply may take its own time. */
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

import type { Logger } from "pino";
import { isDatabaseDown } from "../../base/db/database-errors.ts";

export interface SenderLimits {
  /** Concurrent senders of one engine. */
  all: number;
  /** Concurrent senders to one receiver. */
  each: number;
}

/** Limits concurrent deliveries, in total and per receiver, so that one slow receiver delays no others. */
export class Senders {
  #log: Logger;
  #limits: SenderLimits;
  #onEnd: () => void;
  #running = new Map<string, Set<Promise<void>>>();
  #count = 0;
  #isStopping = false;

  /** `onEnd` is called whenever a sender has nothing more to send, or has failed. */
  constructor(log: Logger, limits: SenderLimits, onEnd: () => void = () => {}) {
    this.#log = log;
    this.#onEnd = onEnd;
    this.#limits = limits;
  }

  /** Starts as many senders for `receiver` as the limits allow. `next` returns false if nothing is due. */
  begin(receiver: string, next: () => Promise<boolean>): void {
    const running = this.#running.get(receiver) ?? new Set();
    this.#running.set(receiver, running);
    while (running.size < this.#limits.each && this.#count < this.#limits.all && !this.#isStopping) {
      this.#count++;
      const sender = this.#send(next).finally(() => {
        this.#count--;
        running.delete(sender);
        if (running.size === 0) this.#running.delete(receiver);
        this.#onEnd();
      });
      running.add(sender);
    }
  }

  /** Waits for deliveries under way. The rest is left to other engines, or to the next start. */
  async end(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#running.values()].flatMap((running) => [...running]));
  }

  /** Logs every error and never rejects. */
  async #send(next: () => Promise<boolean>): Promise<void> {
    try {
      while (!this.#isStopping && (await next()));
    } catch (error) {
      this.#log[isDatabaseDown(error) ? "warn" : "error"]({ err: error }, "a delivery was not made");
    }
  }
}

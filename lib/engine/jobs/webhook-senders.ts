import type { Logger } from "pino";
import { isDatabaseDown } from "../../base/db/db.ts";
import { WEBHOOK_SENDS, WEBHOOK_SENDS_EACH } from "../tunables.ts";

/**
 * Limits concurrent webhook deliveries, in total and per webhook, so that one slow receiver delays no others.
 */
export class WebhookSenders {
  #log: Logger;
  #running = new Map<string, Set<Promise<void>>>();
  #count = 0;
  #isStopping = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Starts as many senders for `webhook` as the limits allow. `next` returns false if nothing is due. */
  begin(webhook: string, next: () => Promise<boolean>): void {
    const running = this.#running.get(webhook) ?? new Set();
    this.#running.set(webhook, running);
    while (running.size < WEBHOOK_SENDS_EACH && this.#count < WEBHOOK_SENDS && !this.#isStopping) {
      this.#count++;
      const sender = this.#send(next).finally(() => {
        this.#count--;
        running.delete(sender);
        if (running.size === 0) this.#running.delete(webhook);
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
      this.#log[isDatabaseDown(error) ? "warn" : "error"]({ err: error }, "a webhook was not sent");
    }
  }
}

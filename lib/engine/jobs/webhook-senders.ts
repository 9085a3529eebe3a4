import type { Logger } from "pino";
import { isDatabaseDown } from "../../base/db/db.ts";
import { WEBHOOK_SENDS, WEBHOOK_SENDS_EACH } from "../tunables.ts";

/** Sends to many webhooks at once, and to each with few at a time: one that does not answer keeps only its own places. */
export class WebhookSenders {
  #log: Logger;
  #running = new Map<string, Set<Promise<void>>>();
  #count = 0;
  #ending = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Has as many at work on `webhook` as it may have, until `next` says that nothing is due. */
  begin(webhook: string, next: () => Promise<boolean>): void {
    const running = this.#running.get(webhook) ?? new Set();
    this.#running.set(webhook, running);
    while (running.size < WEBHOOK_SENDS_EACH && this.#count < WEBHOOK_SENDS && !this.#ending) {
      this.#count++;
      const sender = this.#send(next).finally(() => {
        this.#count--;
        running.delete(sender);
        if (running.size === 0) this.#running.delete(webhook);
      });
      running.add(sender);
    }
  }

  /** What is being sent is sent; the rest is another engine's, or the next start's. */
  async end(): Promise<void> {
    this.#ending = true;
    await Promise.all([...this.#running.values()].flatMap((running) => [...running]));
  }

  /** Owns every error. */
  async #send(next: () => Promise<boolean>): Promise<void> {
    try {
      while (!this.#ending && (await next()));
    } catch (error) {
      this.#log[isDatabaseDown(error) ? "warn" : "error"]({ err: error }, "a webhook was not sent");
    }
  }
}

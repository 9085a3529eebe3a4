/**
 * The answers of one agent's held calls on their way out. Each is written once the clients before it have read enough: many calls that
 * wait for one large result would otherwise hold it in memory as often as they are.
 */
import { HELD_TURN_BYTES, HELD_UNREAD_OF_AGENT_BYTES } from "../../tunables.ts";

/** Writes an answer, and calls `read` once its client has all of it, or is gone. Returns the answer's bytes. */
type Send = (read: () => void) => number;

export class Outbox {
  #waiting: Send[] = [];
  #unread = 0;
  #isSending = false;
  #waitsForRoom: (() => void)[] = [];

  /** Resolves once clients have read enough of what is sent: results that wait here would be held in memory. */
  async room(): Promise<void> {
    while (this.#waiting.length > 0 || this.#unread >= HELD_UNREAD_OF_AGENT_BYTES)
      await new Promise<void>((resolve) => this.#waitsForRoom.push(resolve));
  }

  send(send: Send): void {
    this.#waiting.push(send);
    if (!this.#isSending) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0 && this.#unread < HELD_UNREAD_OF_AGENT_BYTES) {
      const send = this.#waiting.shift();
      let bytes = 0;
      bytes = send?.(() => this.#wasRead(bytes)) ?? 0;
      this.#unread += bytes;
      // Others have their turn beside what takes long.
      if (bytes > HELD_TURN_BYTES) await new Promise((resolve) => setImmediate(resolve));
    }
    this.#isSending = false;
    for (const resolve of this.#waitsForRoom.splice(0)) resolve();
  }

  #wasRead(bytes: number): void {
    this.#unread -= bytes;
    if (!this.#isSending) void this.#sendAll();
  }
}

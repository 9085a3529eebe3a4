import { FLOOD_BYTES, FLOOD_EVENTS, FLOOD_MS } from "../limits.ts";
import { PeerError } from "../peer.ts";

/** Counts a stream's events and bytes. Throws PeerError `too_large` beyond any plausible amount. */
export class Flood {
  #since = performance.now();
  #events = 0;
  #bytes = 0;

  events(count: number): void {
    this.#count(count, 0);
  }

  bytes(count: number): void {
    this.#count(0, count);
  }

  #count(events: number, bytes: number): void {
    const now = performance.now();
    if (now - this.#since > FLOOD_MS) {
      this.#since = now;
      this.#events = 0;
      this.#bytes = 0;
    }
    this.#events += events;
    this.#bytes += bytes;
    if (this.#events > FLOOD_EVENTS || this.#bytes > FLOOD_BYTES)
      throw new PeerError("too_large", "yes", "The stream is a flood");
  }
}

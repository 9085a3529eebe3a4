/**
 * The one open answer of a held call: nothing but its socket. What is answered soon is plain JSON; what takes longer is a
 * stream of events, which says from time to time that it is alive.
 */
import type { ServerResponse } from "node:http";
import { HELD_END_MS, HELD_UNREAD_BYTES, STREAM_COMMENT_MS } from "../../tunables.ts";

/**
 * How soon a client whose stream broke off should come back, in ms. The official packages of Python and TypeScript try twice, at
 * this interval, and then wait in silence: the one of Python for ever. The two tries outlast the restart of a killed process.
 */
const COME_BACK_MS = 20_000;

export class HeldStream {
  readonly #response: ServerResponse;
  /** After which event the client can go on; null: it repeats the call instead. */
  readonly #eventId: string | null;
  #spokeAt = Date.now();

  constructor(response: ServerResponse, eventId: string | null) {
    this.#response = response;
    this.#eventId = eventId;
  }

  get isOpen(): boolean {
    return this.#response.headersSent;
  }

  /** Makes the answer a stream. The first event is empty: with its id the client can go on. */
  open(): void {
    if (this.isOpen) return;
    this.#response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      // nginx would buffer the stream
      "x-accel-buffering": "no",
    });
    this.#write(
      this.#eventId === null ? ": held\n\n" : `id: ${this.#eventId}\nretry: ${COME_BACK_MS}\ndata: \n\n`,
    );
  }

  /** Sends a message before the answer. */
  say(message: unknown): void {
    this.open();
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  /** Keeps proxies from taking the stream for dead. */
  comment(): void {
    if (this.isOpen && Date.now() - this.#spokeAt >= STREAM_COMMENT_MS) this.#write(": still here\n\n");
  }

  /**
   * Sends the answer. Calls `taken` once the connection has taken all of it, and `read` once nothing of it is in memory any more, also
   * where its client is gone. Returns the answer's bytes.
   */
  end(message: unknown, taken: () => void, read: () => void): number {
    const response = this.#response;
    if (response.destroyed) return 0;
    const bytes = Buffer.from(JSON.stringify(message));
    // Does not wait for a client that does not read.
    response.setTimeout(HELD_END_MS, () => response.destroy());
    response.once("finish", () => {
      if (response.socket === null || !response.socket.destroyed) taken();
    });
    response.once("close", read);
    if (this.isOpen) {
      response.write("event: message\ndata: ");
      response.write(bytes);
      response.end("\n\n");
    } else {
      response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
      response.end(bytes);
    }
    return bytes.length;
  }

  /** Ends the stream without an answer: the client comes back with the event's id, or repeats the call. */
  leave(): void {
    this.open();
    this.#response.end();
  }

  #write(text: string): void {
    this.#spokeAt = Date.now();
    this.#response.write(text);
    if (this.#response.writableLength > HELD_UNREAD_BYTES) this.#response.destroy();
  }
}

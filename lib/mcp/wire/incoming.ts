/**
 * Reads what a server says, for all transports: bodies, events of streams, lines of commands. Each of these texts holds one
 * JSON-RPC message, or several in an array (batches of 2025-03-26). As in the official clients, the reply to a request is
 * the message that names the request, not the first text; over HTTP an error without an id is one, too. Anything else is
 * passed over.
 */

import { hash } from "node:crypto";
import { badReply } from "../errors.ts";
import { BATCH_MESSAGES } from "../limits.ts";
import { type ServerMessage, serverMessageSchema } from "../messages.ts";
import type { CallOptions } from "../peer.ts";
import { PeerError } from "../peer-error.ts";
import { parseJson } from "./json.ts";

export interface IncomingReply {
  kind: "reply";
  /** The request's id. Null for an error without an id, as the server could not read it. */
  id: number | null;
  message: object;
  text: string;
}

export type Incoming =
  /** A request or a notification of the server's. */
  | { kind: "message"; message: ServerMessage }
  | IncomingReply
  /** Passed over. */
  | { kind: "odd"; error: PeerError };

/** Returns the messages in a text. Throws PeerError where the text exceeds a limit. */
export function incoming(text: string): Incoming[] {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    const isNoJson = error instanceof PeerError && error.cause instanceof SyntaxError;
    if (!isNoJson) throw error;
    return [{ kind: "odd", error }];
  }
  if (!Array.isArray(value)) return [sorted(value, text)];
  if (value.length > BATCH_MESSAGES)
    throw new PeerError("too_large", "yes", "The reply holds too many messages");
  return value.map((one) => sorted(one));
}

function sorted(value: unknown, text?: string): Incoming {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return odd("The reply is not JSON-RPC");
  const { id = null, method, error } = value as Record<string, unknown>;
  if (typeof method === "string") {
    const message = serverMessageSchema.safeParse(value);
    return message.success
      ? { kind: "message", message: message.data }
      : odd("The reply is not JSON-RPC", message.error);
  }
  if (id === null && (typeof error !== "object" || error === null)) return odd("The reply is not JSON-RPC");
  const ours = id === null ? null : ownId(id);
  if (ours === undefined) return odd("The reply is to another request");
  return { kind: "reply", id: ours, message: value, text: text ?? JSON.stringify(value) };
}

const odd = (message: string, cause?: unknown): Incoming => ({
  kind: "odd",
  error: badReply(message, cause),
});

/**
 * Returns the id of ours that a server wrote, or undefined if it can't be one. Ids of ours are numbers, so a text of digits,
 * as some servers write them, can mean nothing else.
 */
export function ownId(written: unknown): number | undefined {
  if (typeof written === "number") return written;
  return typeof written === "string" && /^\d{1,15}$/.test(written) ? Number(written) : undefined;
}

/** A request whose reply an exchange brings. */
export interface Sent {
  id: number;
  method: string;
  /** The fingerprint of a reply that the caller knows: it is not parsed again. */
  known?: string | null;
}

/** A reply to one request. */
export interface Answer {
  /** The message's JSON; as received, unless it came in an array. */
  text: string;
  /** The parsed message; undefined: it is the known one. */
  message?: object;
  id: number;
  method: string;
}

export interface ReaderHandlers {
  onServerMessage(message: ServerMessage): void;
  /** Called at most once. */
  onReply(answer: Answer): void;
}

/** Reads the texts of an exchange that serves one request, or none (the standalone stream). */
export class Reader {
  readonly #sent: Sent | null;
  readonly #options: CallOptions;
  readonly #handlers: ReaderHandlers;
  #isAnswered = false;
  #odd: PeerError | null = null;
  /** An error without an id, which is the reply only if no other one comes. */
  #unnamed: IncomingReply | null = null;

  constructor(sent: Sent | null, options: CallOptions, handlers: ReaderHandlers) {
    this.#sent = sent;
    this.#options = options;
    this.#handlers = handlers;
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Why the first text that was passed over is no reply, or null. */
  get odd(): PeerError | null {
    return this.#odd;
  }

  /** Returns how many messages the text held. Throws what the handlers throw, and PeerError where a limit is exceeded. */
  read(text: string): number {
    const sent = this.#isAnswered ? null : this.#sent;
    if (sent?.known && fingerprintOf(text, sent.id) === sent.known) {
      this.#answer(sent, text);
      return 1;
    }
    const all = incoming(text);
    const failures: unknown[] = [];
    // One message that fails takes no other along, and least of all the reply.
    for (const one of all)
      try {
        this.#take(one);
      } catch (error) {
        failures.push(error);
      }
    if (failures.length > 0) throw failures[0];
    return all.length;
  }

  /** Called once everything is read. */
  end(): void {
    if (this.#unnamed && this.#sent && !this.#isAnswered)
      this.#answer(this.#sent, this.#unnamed.text, this.#unnamed.message);
  }

  /** Takes the reply to the request from this text, and ignores everything else in it. */
  readReply(text: string): void {
    for (const one of incoming(text))
      if (one.kind === "reply" && one.id !== null && one.id === this.#sent?.id) this.#take(one);
  }

  #take(one: Incoming): void {
    if (one.kind === "message") {
      this.#options.onMessage?.("in", one.message.method, one.message);
      this.#handlers.onServerMessage(one.message);
    } else if (one.kind === "odd") this.#odd ??= one.error;
    else if (this.#sent && !this.#isAnswered) {
      if (one.id === this.#sent.id) this.#answer(this.#sent, one.text, one.message);
      // The exchange serves one request, so an error that names none is about it.
      else if (one.id === null) this.#unnamed ??= one;
      else this.#odd ??= badReply("The reply is to another request");
    }
  }

  #answer({ id, method }: Sent, text: string, message?: object): void {
    this.#isAnswered = true;
    this.#handlers.onReply({ text, message, id, method });
  }
}

/**
 * Returns a strong hash of a reply's text, without the parts that differ in every reply: our JSON-RPC id and
 * `lastUpdatedAt` (some servers send the current time). Equal fingerprints mean equal replies. For an event
 * stream, covers the event's data only, not its id.
 */
export function fingerprintOf(text: string, id: number): string {
  const digits = String(id);
  const at = text.indexOf(digits);
  const anonymous = at === -1 ? text : text.slice(0, at) + text.slice(at + digits.length);
  return hash("sha256", anonymous.replace(LAST_UPDATED_AT, ""), "binary");
}

const LAST_UPDATED_AT = /"lastUpdatedAt"\s*:\s*"[^"]*"/g;

/**
 * JSON-RPC with one server over streamable HTTP (http-wire.ts) or a child process's stdin and stdout
 * (stdio-wire.ts). A wire knows no methods: peers provide headers and messages, and handle the server's
 * messages. Sends nothing unless a peer asks: no `notifications/cancelled`, no DELETE.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { z } from "zod";
import type { Lane } from "../../base/network/send.ts";
import { badReply, rpcFailure } from "../errors.ts";
import { discreet, replySchema, type ServerMessage, taskSchema } from "../messages.ts";
import type { CallOptions, GetOptions, GetReply, Stream, Via } from "../peer.ts";
import { hideIn, hidingFor } from "./hide.ts";
import { type Answer, fingerprintOf } from "./incoming.ts";

export interface Request {
  method: string;
  params: Record<string, unknown>;
  headers: Record<string, string>;
  /** `held`, a dedicated connection, for calls with side effects and streams. Default `call`, for reads. */
  lane?: Lane;
  /** Called with the JSON-RPC id right before the request is sent. */
  onId?(id: number): void;
  /** The fingerprint of a reply that need not be parsed: one of those is returned without its message. */
  known?: string | null;
  /** Resumes the reply's stream if it ends before the reply, provided its events have ids (SEP-1699). */
  resumes?: boolean;
}

/** A request sent earlier, possibly by another process, and the last event id of its reply's stream. */
export interface SentCall {
  id: number;
  method: string;
  headers: Record<string, string>;
  lastEventId: string;
}

export interface Reply extends Answer {
  headers: IncomingHttpHeaders;
}

/** Handlers for messages besides the reply on its stream. */
export interface StreamHandlers {
  onServerMessage(message: ServerMessage, via: Via): void;
  onEventId(eventId: string): void;
}

export interface HeldHandlers extends StreamHandlers {
  /** Called with the reply to the request that opened the stream. Throwing fails the stream. */
  onReply(reply: Reply): void;
  /** Called once, whichever side ended the stream. */
  onClosed(reason: "closed_here" | "ended" | "failed"): void;
}

/** A connection to one server. All calls throw PeerError. */
export interface Wire {
  readonly kind: "http" | "stdio";
  /** Sends one request and resolves with its reply, whose result is not parsed yet. */
  request(request: Request, options: CallOptions, handlers?: StreamHandlers): Promise<Reply>;
  /** Resumes the stream of a reply that broke off, repeatedly within the deadline. */
  resume(call: SentCall, options: CallOptions, handlers: StreamHandlers): Promise<Reply>;
  /**
   * Opens a held stream: by a request, or (headers alone) the session's standalone stream. Resolves once
   * open; the deadline covers only the opening.
   */
  hold(
    request: Request | { headers: Record<string, string> },
    options: CallOptions,
    handlers: HeldHandlers,
  ): Promise<Stream>;
  /** Sends a notification or a response; resolves when the server has accepted it. */
  post(
    message: { method?: string } & Record<string, unknown>,
    headers: Record<string, string>,
    options: CallOptions,
  ): Promise<void>;
  /** Ends a session. */
  remove(headers: Record<string, string>, options: CallOptions): Promise<void>;
  /** Ends the child process, if any; the network outlives its wires. No calls are allowed afterwards. */
  end(): Promise<void>;
}

/** Sends a request and returns its parsed result. Throws PeerError: the server's error, or `bad_reply`. */
export async function resultOf<T>(
  wire: Wire,
  request: Request,
  schema: z.ZodType<T>,
  options: CallOptions,
  handlers?: StreamHandlers,
): Promise<T> {
  return readResult(await wire.request(request, options, handlers), schema, options);
}

/** Returns the reply's result. Throws PeerError: the server's error, or `bad_reply`. */
export function readResult<T>(reply: Reply, schema: z.ZodType<T>, options: CallOptions): T {
  options.onMessage?.("in", reply.method, reply.message);
  const { data, error } = replySchema.safeParse(reply.message);
  if (error) throw badReply("The reply is not JSON-RPC", error);
  if (data.error && data.result) throw badReply("The reply is a result and an error");
  if (data.error) throw rpcFailure(hideIn(data.error, hidingFor(options)), reply.method);
  return parseResult(reply.method, schema, data.result);
}

/** Parses a result by its schema. Throws PeerError `bad_reply`. */
export function parseResult<T>(method: string, schema: z.ZodType<T>, value: unknown): T {
  const { data, error } = schema.safeParse(value);
  if (error) throw badReply(`The result of ${method} is not what the protocol says`, error);
  return data as T;
}

let lastId = 1_000_000_000 + Math.floor(Math.random() * 1_000_000_000);

/**
 * Returns a new JSON-RPC id. Always ten digits, so that an id can be cut from a reply's text without parsing;
 * below 2^31 for servers with small integers. Starts at random, so that the next process on a session does
 * not repeat ids.
 */
export function nextId(): number {
  lastId = lastId >= 2_147_483_647 ? 1_000_000_000 : lastId + 1;
  return lastId;
}

/** Returns the request as JSON text, after passing the message to `onMessage`. */
export function framed(request: Request, id: number, options: CallOptions): string {
  const { traceparent } = options;
  const params =
    traceparent === undefined
      ? request.params
      : { ...request.params, _meta: { ...(request.params._meta as object | undefined), traceparent } };
  const message = { jsonrpc: "2.0", id, method: request.method, params };
  options.onMessage?.("out", request.method, message);
  return JSON.stringify(message);
}

/** Marks a fingerprint that never matches. */
const PARSED = "!";

/**
 * Requests a task: the hot path, identical in both eras. A reply equal to the last one is not parsed, but only while the task is `working`:
 * fingerprints of other states carry a mark, so they never match and are always parsed.
 */
export async function getTask(wire: Wire, request: Request, options: GetOptions): Promise<GetReply> {
  const known = options.fingerprint?.startsWith(PARSED) ? null : options.fingerprint;
  const reply = await wire.request({ ...request, known }, options);
  // Hashed again where the reader knew another one: what came may have held more than the reply.
  const fingerprint = reply.message ? fingerprintOf(reply.text, reply.id) : (options.fingerprint ?? "");
  if (fingerprint === options.fingerprint) return { fingerprint, task: null, size: reply.text.length };
  // The schema has masked the task's own id; these are the connection's secrets.
  const task = discreet(readResult(reply, taskSchema, options), hidingFor(options));
  return {
    fingerprint: task.status === "working" ? fingerprint : PARSED + fingerprint,
    task,
    size: reply.text.length,
  };
}

/** Returns the server's clock (its `Date` header) minus ours in ms, or null. */
export function clockOffset(date: string | undefined): number | null {
  const at = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(at) ? null : at - Date.now();
}

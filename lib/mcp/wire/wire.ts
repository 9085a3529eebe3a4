/**
 * JSON-RPC with one server, whatever carries it: streamable HTTP (http-wire.ts) or a child process' stdin and stdout
 * (stdio-wire.ts). A wire knows no methods: the peers bring headers and messages, and say what to do with what the
 * server sends. Nothing is sent but what a peer asked for: no `notifications/cancelled`, no DELETE.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { z } from "zod";
import type { Lane } from "../../base/network.ts";
import { badReply, rpcFailure } from "../errors.ts";
import { replySchema, type ServerMessage } from "../messages.ts";
import type { CallOptions, Stream } from "../peer.ts";
import { hideIn, hidingFor } from "./hide.ts";
import { parseJson } from "./json.ts";

export interface Request {
  method: string;
  params: Record<string, unknown>;
  headers: Record<string, string>;
  /** `held` for calls with side effects and for streams: a connection of their own. Default `call`: only reads. */
  lane?: Lane;
  /** Told the JSON-RPC id just before the request goes out under it. */
  onId?(id: number): void;
  /** Where the reply's stream ends before the reply, it is gone on with, if the server gave its events ids (SEP-1699). */
  resumes?: boolean;
}

/** A request that was sent, maybe by a process before us, and the last event of its reply's stream. */
export interface SentCall {
  id: number;
  method: string;
  headers: Record<string, string>;
  lastEventId: string;
}

export interface Reply {
  /** The JSON-RPC message as received. */
  text: string;
  /** The id that was sent with the request. */
  id: number;
  method: string;
  headers: IncomingHttpHeaders;
}

/** What else may come on the stream of a reply. */
export interface StreamHandlers {
  /** `replayed`: on a stream that goes on after an event of an earlier one, as the server may say it again. */
  onServerMessage(message: ServerMessage, replayed: boolean): void;
  onEventId(eventId: string): void;
}

export interface HeldHandlers extends StreamHandlers {
  /** The reply to the request that opened the stream. What it throws fails the stream. */
  onReply(reply: Reply): void;
  /** Once, whoever ended it. */
  onClosed(reason: "closed_here" | "ended" | "failed"): void;
}

/** All calls throw PeerError. */
export interface Wire {
  readonly kind: "http" | "stdio";
  /** Sends one request and resolves with its reply, unparsed. */
  request(request: Request, options: CallOptions, handlers?: StreamHandlers): Promise<Reply>;
  /** Goes on with the stream of a reply that broke off, as often as it does while there is time. */
  resume(call: SentCall, options: CallOptions, handlers: StreamHandlers): Promise<Reply>;
  /**
   * Opens a stream that stays, by a request, or (headers alone) the session's standalone stream. Resolves once it is
   * open, and the deadline covers no more than that.
   */
  hold(
    request: Request | { headers: Record<string, string> },
    options: CallOptions,
    handlers: HeldHandlers,
  ): Promise<Stream>;
  /** Sends a notification or a response of ours; resolves when it was accepted. */
  post(
    message: { method?: string } & Record<string, unknown>,
    headers: Record<string, string>,
    options: CallOptions,
  ): Promise<void>;
  /** Ends a session. */
  remove(headers: Record<string, string>, options: CallOptions): Promise<void>;
  /** No calls after this. Ends the child process, if there is one; a network outlives its wires. */
  end(): Promise<void>;
}

/** Sends one request and resolves with its parsed result. Throws PeerError: the server's error, or `bad_reply`. */
export async function resultOf<T>(
  wire: Wire,
  request: Request,
  schema: z.ZodType<T>,
  options: CallOptions,
  handlers?: StreamHandlers,
): Promise<T> {
  return readResult(await wire.request(request, options, handlers), schema, options);
}

/** The reply's result. Throws PeerError: the server's error by its meaning for the method, or `bad_reply`. */
export function readResult<T>(reply: Reply, schema: z.ZodType<T>, options: CallOptions): T {
  const message = parseJson(reply.text);
  options.onMessage?.("in", reply.method, message);
  const { data, error } = replySchema.safeParse(message);
  if (error) throw badReply("The reply is not JSON-RPC", error);
  if (data.error && data.result) throw badReply("The reply is a result and an error");
  // An error without an id is to a request whose id could not be read.
  const isOurs = data.id === reply.id || (data.error !== undefined && (data.id ?? null) === null);
  if (!isOurs) throw badReply("The reply is to another request");
  if (data.error) throw rpcFailure(hideIn(data.error, hidingFor(options)), reply.method);
  return parseResult(reply.method, schema, data.result);
}

/** The value as the schema has it. Throws PeerError `bad_reply`. */
export function parseResult<T>(method: string, schema: z.ZodType<T>, value: unknown): T {
  const { data, error } = schema.safeParse(value);
  if (error) throw badReply(`The result of ${method} is not what the protocol says`, error);
  return data as T;
}

let lastId = 1_000_000_000 + Math.floor(Math.random() * 1_000_000_000);

/**
 * Ten digits, so that an id can be cut out of a reply's text without parsing it; below 2^31 for servers with small
 * integers. Starts at random: the next process on the same session must not repeat the ids of the last.
 */
export function nextId(): number {
  lastId = lastId >= 2_147_483_647 ? 1_000_000_000 : lastId + 1;
  return lastId;
}

/** The request as JSON text, shown to `onMessage`. */
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

/**
 * JSON-RPC over HTTP, whichever transport the server has: streamable HTTP, or the one of 2024-11-05 (sse-wire.ts). As the
 * specification has it, a server that refuses to be initialized by a POST is asked for an event stream; what a session
 * began with it goes on with.
 */
import type { Network } from "../../base/network/network.ts";
import { underOneDeadline } from "../client.ts";
import type { CallOptions, HttpEndpoint, Stream } from "../peer.ts";
import { PeerError } from "../peer-error.ts";
import { isSseSession, SseWire } from "./channels/sse-wire.ts";
import { HttpWire } from "./http-wire.ts";
import type { HeldHandlers, Reply, Request, SentCall, StreamHandlers, Wire } from "./wire.ts";

export class EitherWire implements Wire {
  readonly kind = "http";
  readonly #endpoint: HttpEndpoint;
  readonly #network: Network;
  readonly #http: HttpWire;
  /** Few servers need it. */
  #streams: SseWire | null = null;
  /** What sessions began with last. */
  #isOld = false;

  constructor(endpoint: HttpEndpoint, network: Network) {
    this.#endpoint = endpoint;
    this.#network = network;
    this.#http = new HttpWire(endpoint, network);
  }

  get #sse(): SseWire {
    this.#streams ??= new SseWire(this.#endpoint, this.#network);
    return this.#streams;
  }

  request(request: Request, options: CallOptions, handlers?: StreamHandlers): Promise<Reply> {
    return request.method === "initialize"
      ? this.#initialize(request, options)
      : this.#of(request.headers).request(request, options, handlers);
  }

  async #initialize(request: Request, options: CallOptions): Promise<Reply> {
    const next = underOneDeadline(options);
    try {
      return await (this.#isOld ? this.#sse : this.#http).request(request, next());
    } catch (error) {
      if (!refusesTransport(error)) throw error;
      const other = this.#isOld ? this.#http : this.#sse;
      const reply = await other.request(request, next()).catch((failure: unknown) => {
        // Only of a stream that there is, something is worth telling.
        throw failure instanceof PeerError && failure.code === "unauthorized" ? failure : error;
      });
      this.#isOld = !this.#isOld;
      return reply;
    }
  }

  resume(call: SentCall, options: CallOptions, handlers: StreamHandlers): Promise<Reply> {
    return this.#of(call.headers).resume(call, options, handlers);
  }

  hold(
    request: Request | { headers: Record<string, string> },
    options: CallOptions,
    handlers: HeldHandlers,
  ): Promise<Stream> {
    return this.#of(request.headers).hold(request, options, handlers);
  }

  post(
    message: { method?: string } & Record<string, unknown>,
    headers: Record<string, string>,
    options: CallOptions,
  ): Promise<void> {
    return this.#of(headers).post(message, headers, options);
  }

  remove(headers: Record<string, string>, options: CallOptions): Promise<void> {
    return isSseSession(headers) ? this.#sse.remove(headers) : this.#http.remove(headers, options);
  }

  async end(): Promise<void> {
    await Promise.all([this.#http.end(), this.#streams?.end()]);
  }

  #of(headers: Record<string, string>): Wire {
    return isSseSession(headers) ? this.#sse : this.#http;
  }
}

/** Whether a server refused the way in which it was asked, and not the credentials, the message or the pace. */
function refusesTransport(error: unknown): boolean {
  if (!(error instanceof PeerError) || error.reached !== "yes" || error.rpcError) return false;
  const { httpStatus } = error;
  const isOther = httpStatus === 401 || httpStatus === 403 || httpStatus === 429;
  return httpStatus !== null && httpStatus >= 400 && httpStatus < 500 && !isOther;
}

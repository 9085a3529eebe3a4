/** Resumes a reply's stream that ended before the reply (SEP-1699), with pauses and limits. */

import type { IncomingHttpHeaders } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { badReply } from "../errors.ts";
import type { CallOptions } from "../peer.ts";
import { PeerError } from "../peer-error.ts";
import { Deadline } from "./deadline.ts";
import { type ExchangeHandlers, isEventStream } from "./exchange.ts";
import { Reader } from "./incoming.ts";
import type { Reply, SentCall, StreamHandlers } from "./wire.ts";

const FIRST_PAUSE_MS = 1_000;
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 60_000;
/** Failed openings in a row before giving up. Pauses double, so a server has about a minute to recover. */
const MAX_FAILURES = 6;

/** The position in a broken stream, and the pause before resuming (null: the server's choice is unknown). */
export interface Place {
  lastEventId: string | null;
  retryMs: number | null;
}

/** Runs with a GET that the server is expected to accept. */
export type WithGet = <T>(run: (get: Get) => Promise<T>) => Promise<T>;

/** Starts a GET with these headers. The returned function drops it. */
export type Get = (
  headers: Record<string, string>,
  options: { deadlineMs: number; opensOnly: true },
  handlers: ExchangeHandlers,
) => () => void;

/**
 * Repeats GETs with pauses until the reply arrives. Throws `unreachable` or `timeout`, reached `maybe` since
 * the call itself was sent earlier, or `too_large`.
 */
export async function followReply(
  withGet: WithGet,
  call: SentCall,
  place: Place,
  options: CallOptions,
  endsAt: number,
  handlers: StreamHandlers | undefined,
): Promise<Reply> {
  const { signal } = options;
  let failures = 0;
  /** Consecutive streams without any event. */
  let empty = 0;
  let waitMs = 0;
  for (;;) {
    const ownMs = Math.max(place.retryMs ?? FIRST_PAUSE_MS, MIN_PAUSE_MS);
    const pauseMs = Math.max(waitMs, ownMs * 2 ** Math.min(10, failures + empty));
    await pause(Math.min(pauseMs, MAX_PAUSE_MS), endsAt, signal);
    waitMs = 0;
    const { lastEventId } = place;
    try {
      const reply = await withGet((get) => goOn(get, call, place, options, endsAt, handlers));
      if (reply) return reply;
      failures = 0;
      empty = place.lastEventId === lastEventId ? empty + 1 : 0;
    } catch (error) {
      if (!(error instanceof PeerError) || error.code === "too_large") throw error;
      if (signal?.aborted || performance.now() >= endsAt) throw overtime(error);
      failures++;
      if (!mayPass(error) || failures >= MAX_FAILURES) {
        throw new PeerError("unreachable", "maybe", "The stream of the reply can't be gone on with", {
          cause: error,
        });
      }
      waitMs = error.retryAfterMs ?? 0;
    }
  }
}

/** Sends one GET from the last event on. Resolves with the reply, or null if the stream ended without one. */
function goOn(
  get: Get,
  { id, method, headers }: SentCall,
  place: Place,
  options: CallOptions,
  endsAt: number,
  handlers: StreamHandlers | undefined,
): Promise<Reply | null> {
  return new Promise((resolve, reject) => {
    let received: IncomingHttpHeaders | null = null;
    const leftMs = endsAt - performance.now();
    const whole = new Deadline({ deadlineMs: leftMs, signal: options.signal }, (error) => {
      reject(error);
      drop();
    });
    const settle = (reply: Reply | null) => {
      whole.met();
      resolve(reply);
    };
    const reader = new Reader({ id, method }, options, {
      onServerMessage: (message) => handlers?.onServerMessage(message, "replay"),
      onReply: (answer) => {
        settle({ ...answer, headers: received ?? {} });
        drop();
      },
    });
    const drop = get(
      { ...headers, "last-event-id": String(place.lastEventId) },
      { deadlineMs: Math.min(options.deadlineMs, leftMs), opensOnly: true },
      {
        onHead(head) {
          if (!isEventStream(head)) throw badReply("The reply is not an event stream");
          received = head;
        },
        onText: (text) => reader.read(text),
        onNamed: (name, data) => name === "error" && reader.readReply(data),
        onUnfinished: (data) => reader.readReply(data),
        onEventId(eventId) {
          place.lastEventId = eventId;
          handlers?.onEventId(eventId);
        },
        onRetry(afterMs) {
          place.retryMs = afterMs;
        },
        onEnd() {
          reader.end();
          settle(null);
        },
        onError(error) {
          whole.met();
          if (received && error.code !== "too_large") resolve(null);
          else reject(error);
        },
      },
    );
  });
}

/** Returns true if a reply broke off midway, as opposed to a refusal or a timeout. */
export function brokeOff(error: unknown): boolean {
  return (
    error instanceof PeerError &&
    error.code === "unreachable" &&
    error.reached === "maybe" &&
    error.httpStatus === null
  );
}

/** Returns true for errors that a retry may solve: the server is unreachable or busy. */
function mayPass({ code, httpStatus }: PeerError): boolean {
  return ["unreachable", "timeout", "rate_limited"].includes(code) || (httpStatus ?? 0) >= 500;
}

async function pause(ms: number, endsAt: number, signal: AbortSignal | undefined): Promise<void> {
  if (performance.now() + ms >= endsAt) {
    await sleep(Math.max(0, endsAt - performance.now()), undefined, { signal }).catch(overtimeOf);
    throw overtime();
  }
  await sleep(ms, undefined, { signal }).catch(overtimeOf);
}

const overtime = (cause?: unknown) =>
  new PeerError("timeout", "maybe", "The server did not answer in time", { cause });

function overtimeOf(cause: unknown): never {
  throw overtime(cause);
}

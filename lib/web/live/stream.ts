import { selfOf } from "../../access/principal.ts";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import { AppError } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import { drainSignal } from "../../base/process/lifecycle.ts";
import { onePerProcess } from "../../base/process/process-wide.ts";
import { inScope } from "../../base/process/scope.ts";
import { authenticate, type Caller } from "../auth/authenticate.ts";
import { callerIn } from "../http/client-address.ts";
import { drawnFor } from "../http/session-refusals.ts";
import {
  STREAM_BACKLOG,
  STREAM_CHECKS,
  STREAM_COMMENT_MS,
  STREAM_LIFETIME_MS,
  STREAM_RECHECK_MS,
  STREAMS_PER_ORGANIZATION,
  STREAMS_PER_PRINCIPAL,
} from "../tunables.ts";
import { type Frame, subscribe } from "./live.ts";

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  // nginx would buffer the stream
  "x-accel-buffering": "no",
};
const COMMENT = new TextEncoder().encode(": still here\n\n");

const open = onePerProcess("open streams", () => new Map<string, number>())();

/**
 * Opens a stream of hints for the caller. The stream ends when the reader goes, the credential is revoked,
 * the process drains, the reader falls too far behind, or after a quarter of an hour. Throws `throttled` for
 * one stream too many.
 */
export function openStream(caller: Caller, request: Request): Response {
  const { organizationId, actor } = caller.principal;
  const who = `${organizationId} ${actor.kind} ${actor.id}`;
  if ((open.get(who) ?? 0) >= STREAMS_PER_PRINCIPAL)
    throw tooMany("Too many streams are open; one is enough.");
  if ((open.get(organizationId) ?? 0) >= STREAMS_PER_ORGANIZATION)
    throw tooMany(
      `Your organization has ${STREAMS_PER_ORGANIZATION} streams open here. Let some of them end.`,
    );
  count([who, organizationId], 1);
  let stop: () => boolean;

  const body = new ReadableStream<Frame>(
    {
      start(controller) {
        let running = true;
        const send = (frame: Frame) => {
          if (!running) return;
          controller.enqueue(frame);
          if ((controller.desiredSize ?? 0) < -STREAM_BACKLOG) close();
        };
        const check = async () => {
          const valid = await checks().isValid(caller, request);
          if (!valid) close();
          return valid;
        };
        const unsubscribe = subscribe(organizationId, {
          userId: selfOf(caller.principal),
          hear: (frame, topic) => {
            // A former member receives nothing more, not even this hint.
            if (topic === "member") void check().then((valid) => valid && send(frame));
            else send(frame);
          },
        });
        const timers = [
          setInterval(() => send(COMMENT), STREAM_COMMENT_MS),
          setInterval(() => void check(), STREAM_RECHECK_MS),
          setTimeout(() => close(), STREAM_LIFETIME_MS),
        ];
        const ends = [request.signal, drainSignal()];
        const close = () => {
          if (stop()) controller.close();
        };
        stop = () => {
          if (!running) return false;
          running = false;
          unsubscribe();
          for (const timer of timers) clearInterval(timer);
          for (const signal of ends) signal.removeEventListener("abort", close);
          count([who, organizationId], -1);
          return true;
        };
        for (const signal of ends) signal.addEventListener("abort", close);
        send(COMMENT);
        if (ends.some((signal) => signal.aborted)) close();
      },
      // The reader has gone, so the stream is closed already.
      cancel: () => void stop(),
    },
    { highWaterMark: 1 },
  );
  return new Response(body, { headers: HEADERS });
}

function count(owners: string[], change: number): void {
  for (const owner of owners) {
    const left = (open.get(owner) ?? 0) + change;
    if (left > 0) open.set(owner, left);
    else open.delete(owner);
  }
}

const tooMany = (words: string) => new AppError("throttled", words, { retryAfterMs: STREAM_RECHECK_MS });

interface Check {
  begin(): void;
  isValid: Promise<boolean>;
}

/**
 * Checks the credentials behind streams, a few at once. All streams of one credential that ask before its next check has begun
 * share this check: one that had begun before may have read what the hint says has changed.
 */
export class CredentialChecks {
  /** Those that have not begun, in order. */
  readonly #waiting = new Map<string, Check>();
  readonly #check: typeof stillValid;
  #running = 0;

  constructor(check = stillValid) {
    this.#check = check;
  }

  isValid(caller: Caller, request: Request): Promise<boolean> {
    const credential = [...CREDENTIAL.map((name) => request.headers.get(name)), drawnFor(caller.principal)];
    const key = JSON.stringify(credential);
    // In no stream's scope: others wait for this check, and go on where the reader that asked first has left.
    const own = callerIn(request.headers.get("x-forwarded-for"), new AbortController().signal);
    const check = () =>
      inScope({ requestId: null, trace: null, caller: own }, () => this.#check(caller, request));
    const waiting = this.#waiting.get(key) ?? this.#add(key, check);
    return waiting.isValid;
  }

  #add(key: string, work: () => Promise<boolean>): Check {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const check: Check = {
      isValid: promise,
      begin: () => {
        this.#waiting.delete(key);
        this.#running++;
        work()
          .then(resolve, reject)
          .finally(() => {
            this.#running--;
            this.#beginNext();
          });
      },
    };
    this.#waiting.set(key, check);
    // A turn later: others of the same hint join.
    setImmediate(() => this.#beginNext());
    return check;
  }

  #beginNext(): void {
    for (const check of this.#waiting.values()) {
      if (this.#running >= STREAM_CHECKS) return;
      check.begin();
    }
  }
}

/** What `authenticate` reads of a request. */
const CREDENTIAL = ["authorization", "cookie", "x-forwarded-for"];

const checks = onePerProcess("checks of streams", () => new CredentialChecks());

/** Whether the credential still leads to the same principal, in the same organization. */
async function stillValid({ principal }: Caller, request: Request): Promise<boolean> {
  try {
    const now = (await authenticate(request, { isUse: false }))?.principal;
    return now !== undefined && drawnFor(now) === drawnFor(principal) && now.actor.id === principal.actor.id;
  } catch (error) {
    // The key has ended, or is not taken from this address any more.
    if (error instanceof AppError && error.status < 500) return false;
    // While the database is down or busy no data can be read either, so the stream stays open.
    const isAway = isDatabaseDown(error) || error instanceof AppError;
    if (!isAway) log.error({ err: error }, "The credential of a stream could not be checked");
    return isAway;
  }
}

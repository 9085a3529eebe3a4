/** Sends a request and hands on its reply as it comes, unpacked. */
import type { IncomingHttpHeaders } from "node:http";
import type { Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Agent, Dispatcher } from "undici";

/** `call`: short, on kept connections. `held`: a dedicated connection, unlimited in time and number. */
export type Lane = "call" | "held";

export interface Outgoing {
  method: "GET" | "POST" | "DELETE";
  headers: Record<string, string>;
  body: string | null;
  lane: Lane;
}

interface Flow {
  pause(): void;
  resume(): void;
}

/** Callbacks of a reply, in order: head, data (unpacked)…, then end or error. `sent`: bytes may have left. */
export interface Reception {
  /**
   * Called right before the first byte is written, after name lookup, connection and TLS. Throwing here ends
   * the request unsent.
   */
  onStart?(): void;
  onHead(status: number, headers: IncomingHttpHeaders): void;
  /** `flow` pauses and resumes further data. */
  onData(chunk: Buffer, flow: Flow): void;
  onEnd(): void;
  onError(error: Error, sent: boolean): void;
}

/** Returns a function that drops the connection. */
export function send(agent: Agent, url: URL, { method, headers, body }: Outgoing, reception: Reception) {
  let controller: Dispatcher.DispatchController | null = null;
  let aborted: Error | null = null;
  let over = false;
  let unpacker: Transform | null = null;
  const fail = (error: Error) => {
    if (over) return;
    over = true;
    unpacker?.destroy();
    reception.onError(aborted ?? error, controller !== null);
  };
  const end = () => {
    if (over) return;
    over = true;
    reception.onEnd();
  };
  /** undici catches what `reception` throws, but for an unpacker's events, whose errors would end the process. */
  const guarded = (read: () => void) => {
    try {
      read();
    } catch (error) {
      over = false;
      fail(error as Error);
      controller?.abort(error as Error);
    }
  };
  agent.dispatch(
    { origin: url.origin, path: url.pathname + url.search, method, headers, body },
    {
      onRequestStart(started) {
        try {
          if (!aborted) reception.onStart?.();
        } catch (error) {
          aborted = error as Error;
        }
        if (aborted) return started.abort(aborted);
        controller = started;
      },
      onResponseStart(_, status, replyHeaders) {
        if (over) return;
        unpacker = unpackerFor(replyHeaders["content-encoding"]);
        reception.onHead(status, replyHeaders);
        const flow = unpacker;
        // Pausing the unpacker also pauses the socket by backpressure.
        flow?.on("data", (part: Buffer) => over || guarded(() => reception.onData(part, flow)));
        flow
          ?.on("end", () => guarded(end))
          .on("error", (error) => {
            fail(error);
            controller?.abort(error);
          });
      },
      onResponseData(flow, chunk) {
        if (over) return;
        if (!unpacker) return reception.onData(chunk, flow);
        if (unpacker.write(chunk)) return;
        flow.pause();
        unpacker.once("drain", () => flow.resume());
      },
      onResponseEnd() {
        if (unpacker) unpacker.end();
        else end();
      },
      onResponseError: (_, error) => fail(error),
    },
  );
  return (reason: Error) => {
    aborted ??= reason;
    fail(reason);
    controller?.abort(reason);
  };
}

/**
 * Returns a decompressor for a reply's `Content-Encoding`, or null if none applies. Requests ask for no
 * compression, but a server may compress all the same (RFC 9110, 12.5.3). The decompressors flush partial
 * data, so that events of a stream arrive at once.
 */
function unpackerFor(coding: string | string[] | undefined): Transform | null {
  if (coding === undefined) return null;
  return UNPACKERS.get(String(coding).trim().toLowerCase())?.() ?? null;
}

const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** Maps, here and wherever a foreign text is the key: an object also has a `constructor`. */
const UNPACKERS = new Map<string, () => Transform>([
  ["gzip", () => createGunzip(ZLIB)],
  ["x-gzip", () => createGunzip(ZLIB)],
  ["deflate", () => createInflate(ZLIB)],
  ["br", () => createBrotliDecompress(BROTLI)],
]);

import type { Peer } from "../peer.ts";

/**
 * Called after each call, whatever its outcome. `ms` is the duration, or null if determined by the tool
 * rather than the server. Streams are not calls, since they last as long as they may.
 */
export type OnCall = (ms: number | null, error: unknown) => void;

/** Wraps a peer to time its calls, except those aborted by the caller. */
export function timed(peer: Peer, onCall: OnCall): Peer {
  const time = async <T>(call: Promise<T>, signal?: AbortSignal, isTools = false): Promise<T> => {
    const begun = performance.now();
    const over = (error: unknown) => {
      if (!signal?.aborted) onCall(isTools ? null : performance.now() - begun, error);
    };
    try {
      const reply = await call;
      over(null);
      return reply;
    } catch (error) {
      over(error);
      throw error;
    }
  };
  // In 2026-07-28 these make no call: sessions do not exist, and results arrive with the poll.
  const asks = peer.era === "2025-11-25";
  return {
    era: peer.era,
    open: (options) => (asks ? time(peer.open(options), options.signal) : peer.open(options)),
    listen: (...call) => peer.listen(...call),
    listTools: (session, options) => time(peer.listTools(session, options), options.signal),
    readResource: (session, uri, options) => time(peer.readResource(session, uri, options), options.signal),
    start: (session, input, listener, options) =>
      time(peer.start(session, input, listener, options), options.signal, true),
    resume: (...call) => peer.resume(...call),
    cancelCall: (session, callId, options) => time(peer.cancelCall(session, callId, options), options.signal),
    get: (task, options) => time(peer.get(task, options), options.signal),
    openResult: (...call) => peer.openResult(...call),
    answer: (task, address, answer, options) =>
      time(peer.answer(task, address, answer, options), options.signal),
    cancel: (task, options) => time(peer.cancel(task, options), options.signal),
    post: (session, message, options) => time(peer.post(session, message, options), options.signal),
    result: (task, remote, options) =>
      asks ? time(peer.result(task, remote, options), options.signal) : peer.result(task, remote, options),
    subscribe: (...call) => peer.subscribe(...call),
    // A draft's: whether it works says nothing about the server.
    list: (session, limit, options) => time(peer.list(session, limit, options), options.signal),
    close: (...call) => peer.close(...call),
  };
}

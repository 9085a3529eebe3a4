import type { Network } from "../base/network/network.ts";
import type { CallOptions, Endpoint, Era, Peer, Session } from "./peer.ts";
import { Peer20251125 } from "./peer-2025-11-25.ts";
import { Peer20260728 } from "./peer-2026-07-28.ts";
import { PeerError } from "./peer-error.ts";
import { StdioWire } from "./wire/channels/stdio-wire.ts";
import { EitherWire } from "./wire/either-wire.ts";
import type { Wire } from "./wire/wire.ts";

/**
 * Returns a wire to the server at `endpoint`. Opens no connection and starts no child process yet, so a
 * forbidden address fails at the first call. `onLog` gets each line of a command's stderr, and the start time
 * of its child.
 */
export function openWire(
  endpoint: Endpoint,
  network: Network,
  options: { onLog?(line: string, startedAt: Date): void } = {},
): Wire {
  return "url" in endpoint
    ? new EitherWire(endpoint, network)
    : new StdioWire(endpoint, options.onLog ?? (() => {}));
}

export function createPeer(era: Era, wire: Wire): Peer {
  return era === "2026-07-28" ? new Peer20260728(wire) : new Peer20251125(wire);
}

/**
 * Opens a session. 2025-11-25: with `takesTasks` the server may put its questions as elicitation tasks in it; one that refuses such a
 * session gets one in which that is not declared (`refusesTasks`). Null: the era has no sessions. Throws PeerError.
 */
export async function openSession(
  peer: Peer,
  takesTasks: boolean,
  options: CallOptions,
): Promise<{ session: Session | null; refusesTasks: boolean }> {
  if (!takesTasks) return { session: await peer.open(options), refusesTasks: false };
  try {
    return { session: await peer.open({ ...options, takesTasks }), refusesTasks: false };
  } catch (error) {
    if (!(error instanceof PeerError && REFUSALS.has(error.code) && error.reached === "yes")) throw error;
    return { session: await peer.open(options), refusesTasks: true };
  }
}

/** Errors of a server that may not take what was declared. */
const REFUSALS = new Set<PeerError["code"]>(["rejected", "bad_reply", "not_supported"]);

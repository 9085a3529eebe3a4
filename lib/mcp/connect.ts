import type { Network } from "../base/network.ts";
import type { Endpoint, Era, Peer } from "./peer.ts";
import { Peer20251125 } from "./peer-2025-11-25.ts";
import { Peer20260728 } from "./peer-2026-07-28.ts";
import { HttpWire } from "./wire/http-wire.ts";
import { StdioWire } from "./wire/stdio-wire.ts";
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
    ? new HttpWire(endpoint, network)
    : new StdioWire(endpoint, options.onLog ?? (() => {}));
}

export function createPeer(era: Era, wire: Wire): Peer {
  return era === "2026-07-28" ? new Peer20260728(wire) : new Peer20251125(wire);
}

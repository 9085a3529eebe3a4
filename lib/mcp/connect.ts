import type { Network } from "../network.ts";
import type { Endpoint, Era, Peer } from "./peer.ts";
import { Peer20251125 } from "./peer-2025-11-25.ts";
import { Peer20260728 } from "./peer-2026-07-28.ts";
import { Wire } from "./wire.ts";

/** The wire to a server at `endpoint`. No traffic; a refused address shows at the first call. */
export function openWire(
  endpoint: Endpoint,
  network: Network,
  _options: { onLog?(line: string): void } = {},
): Wire {
  if (!("url" in endpoint)) throw new Error("command servers are not there yet");
  return new Wire(endpoint, network);
}

export function createPeer(era: Era, wire: Wire): Peer {
  return era === "2026-07-28" ? new Peer20260728(wire) : new Peer20251125(wire);
}

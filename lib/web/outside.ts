import { env } from "../base/env.ts";
import { type FindTexts, textFinder } from "../base/network/dns.ts";
import { createNetwork, type Network } from "../base/network/network.ts";
import { logNameFailure } from "../base/network/network-log.ts";

// On globalThis: each of Next's bundles has a copy of this module, and the sockets must not multiply.
const key = Symbol.for("intray.network");
const shared = globalThis as { [key]?: Network };

/** The web's only way to addresses that others chose. */
export function network(): Network {
  shared[key] ??= createNetwork({
    allowHosts: env().allowHosts,
    denyPorts: env().denyPorts,
    onNameFailed: logNameFailure,
  });
  return shared[key];
}

const operators = Symbol.for("intray.operator-network");
const sharedToo = globalThis as { [operators]?: Network };

/** The way to addresses that the operator configured: private ones too, metadata services never. */
export function operatorNetwork(): Network {
  sharedToo[operators] ??= createNetwork({
    allowHosts: ["0.0.0.0/0", "::/0"],
    denyPorts: [],
    connections: 8,
  });
  return sharedToo[operators];
}

/** Reads TXT records, by the operator's resolvers or the system's. */
export function findTexts(): FindTexts {
  return textFinder(env().dnsServers);
}

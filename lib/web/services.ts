/** What this process has one of: ways to other machines, and the keys that seal. */
import { env } from "../base/env.ts";
import { keyRing } from "../base/key-ring.ts";
import { createTenantNetwork } from "../base/network/allowed-hosts.ts";
import { type FindTexts, textFinder } from "../base/network/guarded-lookup.ts";
import { createNetwork, type Network } from "../base/network/network.ts";
import { onePerProcess } from "../base/process/process-wide.ts";
import { createSeal, type Seal } from "../base/seal.ts";

/** The web's only way to addresses that others chose. */
export const network: () => Network = onePerProcess("network", createTenantNetwork);

/** The way to addresses that the operator configured: private ones too, metadata services never. */
export const operatorNetwork: () => Network = onePerProcess("operator's network", () =>
  createNetwork({ allowHosts: ["0.0.0.0/0", "::/0"], denyPorts: [], connections: 8 }),
);

/** Reads TXT records, by the operator's resolvers or the system's. */
export function findTexts(): FindTexts {
  return textFinder(env().dnsServers);
}

/** Seals and opens secrets with this process's keys. */
export const sealing: () => Seal = onePerProcess("seal", () => createSeal(keyRing().keys));

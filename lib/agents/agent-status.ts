import { warningAt } from "../people/api-keys/api-key-status.ts";
import type { Agent } from "./agent-schema.ts";

/** The state of an agent that was not revoked. */
export function stateOf(expiresAt: Date | null, now: Date): Agent["state"] {
  if (expiresAt && expiresAt <= now) return "expired";
  return warningAt(expiresAt, now) === null ? "active" : "expiring";
}

/** A tool's digest, as listed now and as it was granted. */
export interface Granted {
  /** By tool; null: granted before the server had listed any, so that its first list counts. */
  digests: Readonly<Record<string, string>> | null;
}

/** Whether a tool is not as it was granted, or was not there then. */
export function isChanged({ digests }: Granted, tool: string, digest: string): boolean {
  return digests !== null && (Object.hasOwn(digests, tool) ? digests[tool] : undefined) !== digest;
}

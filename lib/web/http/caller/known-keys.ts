/**
 * Whose keys this process has seen. It says nothing of a key's being valid, which is looked up at each call: only in whose turn
 * a call probably begins its transaction, and against whose limit it is counted.
 */

import type { Actor } from "../../../access/access-schema.ts";
import { onePerProcess } from "../../../base/process/process-wide.ts";
import { MOST_KNOWN_KEYS } from "../../tunables.ts";

interface KnownKey extends Pick<Actor, "kind" | "id"> {
  organizationId: string;
}

const known = onePerProcess("known keys", () => new Map<string, KnownKey>())();

const nameOf = (hash: Buffer) => hash.toString("latin1");

/** By the hashes of their secrets. */
export const knownKeys = {
  get: (hash: Buffer): KnownKey | undefined => known.get(nameOf(hash)),
  note(hash: Buffer, whose: KnownKey): void {
    known.set(nameOf(hash), whose);
    if (known.size <= MOST_KNOWN_KEYS) return;
    const [oldest] = known.keys();
    if (oldest !== undefined) known.delete(oldest);
  },
  forget(hash: Buffer): void {
    known.delete(nameOf(hash));
  },
};

/**
 * Whose keys this process has seen. It says nothing of a key's being valid, which is looked up at each call: only in whose turn
 * a call probably begins its transaction, and against whose limit it is counted.
 */
import type { Actor } from "../../../access/schema.ts";
import { MOST_KNOWN_KEYS } from "../../tunables.ts";

interface KnownKey extends Pick<Actor, "kind" | "id"> {
  organizationId: string;
}

// On globalThis, since Next bundles its own copies of modules into the process.
const key = Symbol.for("intray.known-keys");
const shared = globalThis as { [key]?: Map<string, KnownKey> };
shared[key] ??= new Map();
const known = shared[key];

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

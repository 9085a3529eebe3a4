/**
 * Calls that their clients gave up lately. Intray answers these calls too, and the clients ignore the answers. Without an answer the
 * official packages resume the stream as broken. The result would then count as fetched, and the client would discard it.
 */
import { createHash } from "node:crypto";

/** How many are kept, the newest: a client goes on with a broken stream within half a minute. */
const KEPT = 10_000;
const calls = new Set<string>();

/** The name of a session's call, as processes tell each other: the form of an id that says nothing. */
export function callName(session: string, rpcId: string | number): string {
  const hex = createHash("sha256")
    .update(JSON.stringify([session, rpcId]))
    .digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    "-",
  );
}

export function noteGivenUp(name: string): void {
  calls.delete(name);
  calls.add(name);
  if (calls.size > KEPT) for (const oldest of calls) return void calls.delete(oldest);
}

export function wasGivenUp(name: string): boolean {
  return calls.has(name);
}

/** A call with an id that was used before is another call. */
export function forgetGivenUp(name: string): void {
  calls.delete(name);
}

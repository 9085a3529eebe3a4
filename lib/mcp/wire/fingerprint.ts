import { hash } from "node:crypto";

/**
 * A strong hash of a reply's text without what changes in every reply: our JSON-RPC id and `lastUpdatedAt` (some
 * servers say "now" at every get). Two texts with one fingerprint say the same. An event stream is fingerprinted by
 * the data of the event, so event ids do not count.
 */
export function fingerprintOf(text: string, id: number): string {
  const digits = String(id);
  const at = text.indexOf(digits);
  const anonymous = at === -1 ? text : text.slice(0, at) + text.slice(at + digits.length);
  return hash("sha256", anonymous.replace(LAST_UPDATED_AT, ""), "binary");
}

const LAST_UPDATED_AT = /"lastUpdatedAt"\s*:\s*"[^"]*"/g;

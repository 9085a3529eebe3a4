import { hash } from "node:crypto";

/**
 * Returns a strong hash of a reply's text, without the parts that differ in every reply: our JSON-RPC id and
 * `lastUpdatedAt` (some servers send the current time). Equal fingerprints mean equal replies. For an event
 * stream, covers the event's data only, not its id.
 */
export function fingerprintOf(text: string, id: number): string {
  const digits = String(id);
  const at = text.indexOf(digits);
  const anonymous = at === -1 ? text : text.slice(0, at) + text.slice(at + digits.length);
  return hash("sha256", anonymous.replace(LAST_UPDATED_AT, ""), "binary");
}

const LAST_UPDATED_AT = /"lastUpdatedAt"\s*:\s*"[^"]*"/g;

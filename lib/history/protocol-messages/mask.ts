import { detached } from "../../base/process/detached.ts";
import { siteOf } from "../../text/foreign/address.ts";
import { MASK, masked } from "../../text/mask.ts";

const SECRET_KEYS = new Set([
  "requestState",
  "authorization",
  "cookie",
  "set-cookie",
  "mcp-session-id",
  "taskId",
]);

/** Limits of a stored message: characters in total and per text, members per list or object, levels. */
const LEFT = 64 * 1024;
const LONGEST_TEXT = 16 * 1024;
const MEMBERS = 1_000;
const LEVELS = 50;
const CUT = "…";

/** Returns what stands for a secret member, or null if the member is none. */
function maskMember(object: object, key: string): string | null {
  const { [key]: member, mode } = object as Record<string, unknown>;
  if (typeof member !== "string") return null;
  // The address of a question to open a site is its owner's alone.
  if (key === "url" && mode === "url") return `${siteOf(member)}/${MASK}`;
  return SECRET_KEYS.has(key) ? MASK : null;
}

/**
 * Copies a protocol message without bearer handles, session ids and opaque state, which would let a reader
 * act in Intray's name. Also masks `secrets` wherever they occur. Cuts huge messages and notes how much is
 * missing.
 */
export function maskMessage(body: unknown, secrets: readonly string[]): unknown {
  return maskWithin(body, secrets).body;
}

/** Masks like `maskMessage`, cut to about `most` characters. Also returns the copy's size in characters. */
export function maskWithin(
  body: unknown,
  secrets: readonly string[],
  most = LEFT,
): { body: unknown; size: number } {
  const room = { left: most };
  const known = secrets.filter((secret) => secret !== "");
  const longest = Math.max(0, ...known.map(({ length }) => length));
  const text = (value: string) => {
    const most = Math.max(0, Math.min(LONGEST_TEXT, room.left));
    // Searched a little beyond what is kept, which may end within a secret.
    const read = value.slice(0, most + 2 * longest);
    const shown = known.reduce(masked, read);
    const kept = shown.slice(0, read === value ? most : Math.max(0, Math.min(most, shown.length - longest)));
    room.left -= kept.length + 2;
    return read === value && kept === shown ? kept : `${detached(kept)}${CUT} (${value.length} characters)`;
  };
  const copy = (value: unknown, level: number): unknown => {
    if (typeof value === "string") return text(value);
    if (typeof value !== "object" || value === null) {
      room.left -= 6;
      return value;
    }
    // Empty lists count too, since a message may have millions.
    room.left -= 2;
    if (level > LEVELS) return CUT;
    if (Array.isArray(value)) {
      const kept: unknown[] = [];
      for (const item of value) {
        if (room.left <= 0 || kept.length === MEMBERS) break;
        kept.push(copy(item, level + 1));
      }
      return kept.length === value.length ? kept : [...kept, `${CUT} ${value.length - kept.length} more`];
    }
    const kept: [string, unknown][] = [];
    const keys = Object.keys(value);
    for (const key of keys) {
      if (room.left <= 0 || kept.length === MEMBERS) break;
      const member = (value as Record<string, unknown>)[key];
      const name = text(key);
      kept.push([name, maskMember(value, key) ?? copy(member, level + 1)]);
    }
    if (kept.length < keys.length) kept.push([CUT, `${keys.length - kept.length} more`]);
    return Object.fromEntries(kept);
  };
  const copied = copy(body, 0);
  return { body: copied, size: most - room.left };
}

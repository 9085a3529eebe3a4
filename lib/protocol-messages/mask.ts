import { detached } from "../base/detached.ts";

const SECRET_KEYS = new Set([
  "requestState",
  "authorization",
  "cookie",
  "set-cookie",
  "mcp-session-id",
  "taskId",
]);
const MASK = "•••";

/** What is kept of one message: characters in all, characters of a text, members of a list, levels. */
const LEFT = 64 * 1024;
const LONGEST_TEXT = 16 * 1024;
const MEMBERS = 1_000;
const LEVELS = 50;
const CUT = "…";

/**
 * A copy of a protocol message without what would let a reader act in our name: bearer handles, session ids, opaque
 * state. `secrets` are values to hide wherever they stand. Of a huge message the copy has the beginning, and says how
 * much it leaves out.
 */
export function maskMessage(body: unknown, secrets: readonly string[]): unknown {
  return maskWithin(body, secrets).body;
}

/** The same, with about `most` characters of it at most, and how many the copy has. */
export function maskWithin(
  body: unknown,
  secrets: readonly string[],
  most = LEFT,
): { body: unknown; size: number } {
  const room = { left: most };
  const text = (value: string) => {
    const masked = secrets.reduce((all, one) => (one === "" ? all : all.replaceAll(one, MASK)), value);
    const kept = masked.slice(0, Math.max(0, Math.min(LONGEST_TEXT, room.left)));
    room.left -= kept.length + 2;
    return kept.length === masked.length ? kept : `${detached(kept)}${CUT} (${masked.length} characters)`;
  };
  const copy = (value: unknown, level: number): unknown => {
    if (typeof value === "string") return text(value);
    if (typeof value !== "object" || value === null) {
      room.left -= 6;
      return value;
    }
    // An empty list takes room too: there may be millions.
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
      kept.push([name, SECRET_KEYS.has(key) && typeof member === "string" ? MASK : copy(member, level + 1)]);
    }
    if (kept.length < keys.length) kept.push([CUT, `${keys.length - kept.length} more`]);
    return Object.fromEntries(kept);
  };
  const copied = copy(body, 0);
  return { body: copied, size: most - room.left };
}

import type { ApiKey } from "./api-key-schema.ts";

/** A key is shown as expiring, and people are warned, from this many days before its end. */
export const WARNED_DAYS = [14, 3, 0] as const;

const DAY_MS = 24 * 3600_000;

/** The state of a key that was not revoked. */
export function stateOf(
  { expiresAt, previousUntil }: { expiresAt: Date | null; previousUntil: Date | null },
  now: Date,
): ApiKey["state"] {
  if (expiresAt && expiresAt <= now) return "expired";
  if (previousUntil && previousUntil > now) return "rotated";
  return warningAt(expiresAt, now) === null ? "active" : "expiring";
}

/** The last warning that is due: so many days before the end, or null for none yet. */
export function warningAt(expiresAt: Date | null, now: Date): (typeof WARNED_DAYS)[number] | null {
  if (!expiresAt) return null;
  const left = expiresAt.getTime() - now.getTime();
  return WARNED_DAYS.findLast((days) => left <= days * DAY_MS) ?? null;
}

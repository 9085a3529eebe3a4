import { actorSchema } from "../access/schema.ts";
import type { Pause } from "./schema.ts";

/** Since when, by whom and why nothing is sent to a server; null: it is not paused. */
export function toPause(row: {
  pausedAt: Date | null;
  pausedBy: unknown;
  pauseReason: string | null;
}): Pause | null {
  if (row.pausedAt === null) return null;
  return { at: row.pausedAt.toISOString(), by: actorSchema.parse(row.pausedBy), reason: row.pauseReason };
}

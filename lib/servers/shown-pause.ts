import { actorSchema } from "../access/access-schema.ts";
import type { Pause } from "./server-schema.ts";

/** Returns a pause's time, author and reason, or null if the server is not paused. */
export function toPause(row: {
  pausedAt: Date | null;
  pausedBy: unknown;
  pauseReason: string | null;
}): Pause | null {
  if (row.pausedAt === null) return null;
  return { at: row.pausedAt.toISOString(), by: actorSchema.parse(row.pausedBy), reason: row.pauseReason };
}

import { sqlState } from "../base/db/db.ts";

/**
 * Whether the database refused a membership because the person was suspended, or deactivated by the directory before
 * they joined: only whoever did that lets them in again.
 */
export function isRefusedAsSuspended(error: unknown): boolean {
  return error instanceof Error && sqlState(error) === "23514" && error.message.includes("suspended_member");
}

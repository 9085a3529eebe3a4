import { Prisma } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { database } from "../database.ts";

export interface Limit {
  limit: number;
  windowMs: number;
}

/** Counts one try under `key`. Returns false if its window is used up. */
export async function mayTry(key: string, { limit, windowMs }: Limit): Promise<boolean> {
  const db = await database();
  const [row] = await db.gate<{ ok: boolean }>(
    Prisma.sql`SELECT gate.throttle(${key}, ${limit}::integer, ${windowMs}::bigint) AS ok`,
  );
  return row?.ok === true;
}

/** Throws `throttled` when the window of `key` is used up. */
export async function throttle(key: string, limit: Limit): Promise<void> {
  if (await mayTry(key, limit)) return;
  throw new AppError("throttled", "Too many attempts; wait a minute.", { retryAfterMs: limit.windowMs });
}

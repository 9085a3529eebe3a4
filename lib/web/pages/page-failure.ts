/** Pages that failed: here, for want of the database, and in a browser. */

import { z } from "zod";
import type { Principal } from "../../access/principal.ts";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import { AppError } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import { DATABASE_AWAY } from "../words/trouble.ts";

/** Wraps a page's reads: a database that is down or busy becomes an error whose digest the error page knows. */
export async function forPage<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isBusy = error instanceof AppError && error.code === "database_busy";
    if (!isBusy && !isDatabaseDown(error)) throw error;
    log.warn({ err: error }, "The database cannot be reached");
    throw new DatabaseAwayError();
  }
}

class DatabaseAwayError extends Error {
  readonly digest = DATABASE_AWAY;

  constructor() {
    super("The database cannot be reached");
    this.name = "DatabaseAwayError";
  }
}

/** A page that failed in a browser. All of it is the browser's word. */
export const browserFailureSchema = z.strictObject({
  /** The id that the page shows. */
  id: z.string().regex(/^[0-9a-f]{8}$/),
  path: z.string().max(300),
  message: z.string().max(500),
  stack: z.string().max(4000).optional(),
});

/** Writes a failed page to the log, where the person who runs Intray finds it by the id that its reader quotes. */
export function logBrowserFailure(
  { organizationId, actor }: Principal,
  failure: z.infer<typeof browserFailureSchema>,
): void {
  const words = `A page failed in a browser (${failure.id})`;
  log.warn({ organizationId, actorId: actor.id, pageFailure: failure }, words);
}

import { isDatabaseDown } from "../../base/db/database-errors.ts";
import { AppError } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import { DATABASE_AWAY } from "../words/page-failure.ts";

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

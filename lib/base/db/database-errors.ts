/** What an error of the database means to whoever asked. */
import pg from "pg";
import { Prisma } from "../../generated/prisma/client.ts";
import { isErrorNamed } from "../process/process-wide.ts";
import { planLoss } from "./statements.ts";

/** Thrown by a transaction that took too long, or is over: nothing is sent any more. */
export class TransactionEnded extends Error {
  override name = "TransactionEnded";
  readonly code = TRANSACTION_ENDED;
  constructor(why: string) {
    super(`the transaction ${why}`);
  }

  static override [Symbol.hasInstance](value: unknown): value is TransactionEnded {
    return isErrorNamed(value, "TransactionEnded");
  }
}
const TRANSACTION_ENDED = "transaction_ended";

/** Thrown where a connection leads to a standby: the primary is elsewhere, or nowhere yet. */
export class StandbyReached extends Error {
  override name = "StandbyReached";
  readonly code = STANDBY_REACHED;
  constructor() {
    super("the database is a standby, or is set to be read only");
  }
}
const STANDBY_REACHED = "standby_reached";

/**
 * A transaction that may or may not have been committed, as after a connection that breaks during COMMIT: `isDatabaseDown`,
 * after which everybody looks before they repeat anything.
 */
export class OutcomeUnknown extends Error {
  override name = "OutcomeUnknown";
  readonly code = OUTCOME_UNKNOWN;
  constructor(cause: unknown) {
    super(`the outcome of a transaction is unknown: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}
const OUTCOME_UNKNOWN = "outcome_unknown";

export function isOutcomeUnknown(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if ((at as { code?: unknown }).code === OUTCOME_UNKNOWN) return true;
  return false;
}

/** An error that ends the transaction and not the connection, as of a deferred constraint: nothing was written. */
export function isRefusal(error: unknown): boolean {
  // By its code, since Postgres translates the severity.
  return error instanceof pg.DatabaseError && !ENDS_CONNECTION.test(error.code ?? "");
}

/** 08: connection; 53: no resources; 57P: shutdown, crash; 58: system; 25P03: idle for too long; XX: internal */
const ENDS_CONNECTION = /^(08|53|57P|58|25P03|XX|$)/;

/** Returns Postgres' SQLSTATE of a failed statement, e.g. `40P01`, or null. Prisma nests the code. */
export function sqlState(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; depth++) {
    const { code, meta } = at as { code?: unknown; meta?: { driverAdapterError?: { cause?: unknown } } };
    const cause = meta?.driverAdapterError?.cause as { originalCode?: unknown } | undefined;
    if (typeof cause?.originalCode === "string") return cause.originalCode;
    if (typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !/^P\d{4}$/.test(code)) return code;
    const inner = at.cause as { originalCode?: unknown } | undefined;
    if (typeof inner?.originalCode === "string") return inner.originalCode;
    at = at.cause;
  }
  return null;
}

/** Returns true for a deadlock, a serialization failure or a lost plan: nothing was written, and another attempt may succeed. */
export function isTransient(error: unknown): boolean {
  const state = sqlState(error);
  if (state === null) return false;
  return state === "40P01" || state === "40001" || planLoss({ code: state, message: String(error) }) !== null;
}

export function isUniqueViolation(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002") return true;
  return sqlState(error) === "23505";
}

/** Returns true if the statement would have made a member of somebody who is suspended (trigger `refuse_suspended`). */
export function isSuspendedMember(error: unknown): boolean {
  return sqlState(error) === "INSUS";
}

const OURS = new Set([OUTCOME_UNKNOWN, TRANSACTION_ENDED, STANDBY_REACHED]);

/** System error codes of an unreachable database, or of a failing name lookup. */
const NETWORK_DOWN = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/** Returns true if a statement or its transaction took too long: nothing was written, and less at once may succeed. */
export function tookTooLong(error: unknown): boolean {
  return sqlState(error) === "57014" || error instanceof TransactionEnded;
}

/** Returns true if the database is unreachable or restarting, false for a wrong statement. */
export function isDatabaseDown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const state = sqlState(error);
  // 08: connection; 57P: shutdown, crash or start-up; 57014: a statement that took too long; 53300: too many
  // connections; 25P03: idle in a transaction for too long
  if (state && (/^(08|57P)/.test(state) || ["57014", "53300", "25P03"].includes(state))) return true;
  const code = String((error as { code?: unknown }).code);
  if (OURS.has(code) || NETWORK_DOWN.has(code)) return true;
  // node-postgres has no codes for these errors. A Postgres that was stopped takes its Unix socket away.
  if (
    /connect ENOENT|ECONNREFUSED|ECONNRESET|EPIPE|Connection terminated|Query read timeout|connect(ion)? timeout|timeout exceeded when trying to connect|Client has encountered/i.test(
      error.message,
    )
  )
    return true;
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isDatabaseDown);
  return error.cause !== undefined && isDatabaseDown(error.cause);
}

/**
 * The database: Prisma on Postgres, always inside one organization. The bare client is not exported: a query
 * outside `withOrganization` would return no rows (row security) and hide the mistake.
 */
import pg from "pg";
import { Prisma } from "../../generated/prisma/client.ts";
import { readEnvironment } from "../env.ts";
import { log } from "../log.ts";
import { scope } from "../process/scope.ts";
import type { Seal } from "../seal.ts";
import { ContentKeys } from "./content-keys.ts";
import { withDeferredWrites } from "./deferred-writes.ts";
import { connectTimeoutMs } from "./direct/connect-timeout.ts";
import { rowsOf, statementOf, toQuery } from "./direct/raw.ts";
import { beginTransaction, TRANSACTION_ENDED, type Transaction } from "./direct/transaction.ts";
import type { EnterOptions, Entrant, Entry } from "./entry.ts";
import { noteOnePlan, ONE_PLAN } from "./plan-mode.ts";
import { Ending, foldingRoundTrips, withEnding } from "./round-trips.ts";
import { KeptPlans, NamingClient, planLoss } from "./statements.ts";
import { TRANSACTION_MS } from "./transaction-ms.ts";
import type { Tx } from "./tx.ts";

export type { EnterOptions, Entrant, Entry, Tx };
export { Prisma };

export interface Database {
  /**
   * Runs `work` in one transaction that sees only `organizationId`'s rows. Keep `work` short, without network
   * calls. Deadlocks, serialization failures and lost plans are retried, so `work` must have no effect outside
   * the transaction. Rejects if it was not committed, or, with an error that `isDatabaseDown`, if nobody knows.
   */
  withOrganization<T>(organizationId: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Runs one statement before an organization is known: on schema `gate`, or a table without organizations. Retried
   * as the work of `withOrganization` is.
   */
  gate<T>(query: Prisma.Sql): Promise<T[]>;
  /**
   * Runs a query on schema `gate` that says whose credential it was given, and goes on in the same transaction, as that
   * organization's. `from`: what the first row is selected from. Null: there is none.
   */
  enter<R extends Entrant>(from: Prisma.Sql, options?: EnterOptions): Promise<Entry<R> | null>;
  /** Counts the pool's busy and idle connections, and the callers waiting for one. */
  pool(): { busy: number; idle: number; waiting: number };
  close(): Promise<void>;
}

const TRIES = 4;
/**
 * The part of a transaction's time for which it may stand still (`idle_in_transaction_session_timeout`): a process that
 * stalls inside a transaction blocks its organization by its locks. Two statements follow each other a thousand times
 * faster.
 */
const IDLE_SHARE = 0.5;
/** The part of that which one statement may take (`statement_timeout`), */
const STATEMENT_SHARE = 0.85;
/** and the part within which COMMIT may go with the last statement: both together end before that. */
const COMMIT_SHARE = 0.1;

/** `named`: whether statements have names, by which Postgres keeps their plans; INTRAY_NAMED_STATEMENTS unless given. */
export function createDatabase(
  url: string,
  options: {
    connections?: number;
    named?: boolean;
    /** Opens the keys of organizations; by default the ring of this process. */
    seal?: Seal;
    /** How long a transaction may take, in ms. */
    transactionMs?: number;
  } = {},
): Database {
  const patienceMs = connectTimeoutMs(url);
  const { transactionMs = TRANSACTION_MS } = options;
  const statementMs = String(Math.round(STATEMENT_SHARE * transactionMs));
  const idleMs = String(Math.round(IDLE_SHARE * transactionMs));
  const pool = new pg.Pool({
    Client: foldingRoundTrips(MeasuredClient),
    ...{ pipeline: true, plans: new KeptPlans(options.named ?? readEnvironment().namedStatements) },
    connectionString: url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: patienceMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
  });
  // A connection that is being handed over has neither the pool's nor anybody's error listener, so its error
  // would end the process. The next statement on the connection reports the error anyway.
  pool.on("connect", (client) => client.on("error", () => undefined));
  // An idle connection that breaks is gone; the next one is made anew.
  pool.on("error", () => undefined);
  const contentKeys = new ContentKeys(options.seal);

  /** What the first statement of a transaction says for it alone; `false` would leave the organization into the pool. */
  const settings = (
    organizationId: Prisma.Sql,
  ) => Prisma.sql`set_config('app.organization_id', ${organizationId}, true),
    set_config('idle_in_transaction_session_timeout', ${idleMs}, true),
    set_config('statement_timeout', ${statementMs}, true), set_config('jit', 'off', true)`;

  /** Begins a transaction of an organization. */
  const begin = async (organizationId: string): Promise<Begun> => {
    const transaction = await beginTransaction(pool, transactionMs);
    return begunBy(transaction, async () => {
      // The text has values without quotes only, so that BEGIN goes with it (round-trips.ts).
      // jit: compiling takes longer than any statement of ours, and the estimates of plans that are kept
      // are the high ones that begin it.
      const [{ keys } = { keys: null }] = await transaction.client.$queryRaw<{ keys: string | null }[]>`
        SELECT ${settings(Prisma.sql`${organizationId}`)}, gate.content_keys(${organizationId}::uuid) AS keys`;
      return { transaction, keys };
    });
  };

  const attempt = async <T>(
    organizationId: string,
    work: (tx: Tx) => Promise<T>,
    begin: () => Promise<Begun>,
  ): Promise<Attempted<T>> => {
    const ending = new Ending();
    let done: { result: T } | null = null;
    try {
      const result = await withEnding(ending, async () => {
        const { transaction, keys } = await begin();
        return begunBy(transaction, async () => {
          const tx = bound(transaction, organizationId);
          const { beganAt } = transaction;
          const mayCommit = () => performance.now() - beganAt < COMMIT_SHARE * transactionMs;
          const opening = keys === null ? tx : await contentKeys.opening(tx, keys);
          const held = async () => {
            const result = await work(opening);
            done = { result };
            return result;
          };
          const result = await withDeferredWrites(opening, held, mayCommit);
          await transaction.commit();
          return result;
        });
      });
      return { result };
    } catch (error) {
      const outcome = await ending.outcome();
      if (outcome === "committed") return { result: resultOf(done, error) };
      if (outcome === "unknown") throw new OutcomeUnknown(error);
      if (!isTransient(error)) throw error;
      return { error };
    }
  };

  const withOrganization = async <T>(
    organizationId: string,
    work: (tx: Tx) => Promise<T>,
    begun?: Begun,
  ): Promise<T> => {
    for (let tries = 1; ; tries++) {
      const first = tries === 1 ? begun : undefined;
      const tried = await attempt(organizationId, work, async () => first ?? begin(organizationId));
      if ("result" in tried) return tried.result;
      if (tries >= TRIES) throw tried.error;
    }
  };

  const enter = async <R extends Entrant>(from: Prisma.Sql, isOnce: boolean): Promise<Entry<R> | null> => {
    const transaction = await beginTransaction(pool, transactionMs);
    return begunBy(transaction, async () => {
      const plans = isOnce ? Prisma.sql`, ${ONE_PLAN}` : Prisma.empty;
      const [row] = await transaction.client.$queryRaw<(R & { content_keys: string | null })[]>`
        SELECT who.*, ${settings(Prisma.sql`who.organization_id::text`)}${plans},
          gate.content_keys(who.organization_id) AS content_keys FROM (SELECT * FROM ${from} LIMIT 1) who`;
      if (!row) {
        await transaction.rollback();
        return null;
      }
      if (isOnce) noteOnePlan(bound(transaction, row.organization_id));
      let isTaken = false;
      return {
        row,
        run(work) {
          if (isTaken) throw new Error("a transaction was used twice");
          isTaken = true;
          return withOrganization(row.organization_id, work, { transaction, keys: row.content_keys });
        },
        async leave() {
          if (isTaken) return;
          isTaken = true;
          await transaction.rollback();
        },
      };
    });
  };

  return {
    withOrganization: (organizationId, work) => withOrganization(organizationId, work),
    async enter<R extends Entrant>(from: Prisma.Sql, { planOnce = false }: EnterOptions = {}) {
      for (let tries = 1; ; tries++) {
        try {
          return await enter<R>(from, planOnce);
        } catch (error) {
          if (tries >= TRIES || !isTransient(error)) throw error;
        }
      }
    },
    async gate(query) {
      for (let tries = 1; ; tries++) {
        try {
          return rowsOf(await pool.query(toQuery(statementOf(query, []))));
        } catch (error) {
          if (tries >= TRIES || !isTransient(error)) throw error;
        }
      }
    },
    pool: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async close() {
      if (!pool.ending) await pool.end();
    },
  };
}

/** A transaction of an organization, with the keys of its content (`organization.content_keys`). */
interface Begun {
  transaction: Transaction;
  keys: string | null;
}

/** `error`: nothing was written, and another attempt may succeed. */
type Attempted<T> = { result: T } | { error: unknown };

/** Returns the transaction's client with the organization that it sees. */
function bound({ client }: Transaction, organizationId: string): Tx {
  return Object.assign(client, { organizationId });
}

/** Rolls the transaction back if `work` fails. */
async function begunBy<T>(transaction: Transaction, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
}

/**
 * A transaction failed, and may or may not have been committed, as after a connection that breaks: `isDatabaseDown`,
 * after which everybody looks before they repeat anything.
 */
class OutcomeUnknown extends Error {
  readonly code = OUTCOME_UNKNOWN;
  constructor(cause: unknown) {
    super(`the outcome of a transaction is unknown: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
    this.name = "OutcomeUnknown";
  }
}
const OUTCOME_UNKNOWN = "outcome_unknown";

/** Returns what the work of a transaction returned, or throws what it threw, that was committed, though something failed after its last statement. */
function resultOf<T>(done: { result: T } | null, error: unknown): T {
  // Work that sends its last statement by itself has only read (LAST), and refuses what it found.
  if (!done) throw error;
  log.warn({ err: error }, "a transaction was committed, though something failed behind its last statement");
  return done.result;
}

/** Counts queries in the current scope's `spent`, if set, and the time in which at least one was under way. */
class MeasuredClient extends NamingClient {
  // biome-ignore lint/suspicious/noExplicitAny: forwards every overload of pg's query
  override query(...given: any[]): any {
    const sent = Reflect.apply(super.query, this, given);
    const { spent } = scope();
    if (!spent || !(sent instanceof Promise)) return sent;
    spent.queries++;
    if (spent.underWay++ === 0) spent.since = performance.now();
    return sent.finally(() => {
      if (--spent.underWay === 0) spent.ms += performance.now() - spent.since;
    });
  }
}

/** Returns Postgres' SQLSTATE of a failed statement, e.g. `40P01`, or null. Adapters nest the code. */
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

/** Returns true for a deadlock, a serialization failure, Prisma's write conflict or a lost plan: nothing was written. */
function isTransient(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2034") return true;
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

/** Prisma's codes for failing to reach the database, or to get or keep a connection. */
const PRISMA_DOWN = new Set(["P1001", "P1002", "P1008", "P1017", "P2024", "P2028", "P2037"]);
const ADAPTER_DOWN = new Set([
  "DatabaseNotReachable",
  "ConnectionClosed",
  "SocketTimeout",
  "TooManyConnections",
]);

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

/** Returns true if the database is unreachable or restarting, false for a wrong statement. */
export function isDatabaseDown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const state = sqlState(error);
  // 08: connection; 57P: shutdown, crash or start-up; 57014: a statement that took too long; 53300: too many
  // connections; 25P03: idle in a transaction for too long
  if (state && (/^(08|57P)/.test(state) || ["57014", "53300", "25P03"].includes(state))) return true;
  const { code, kind, meta } = error as {
    code?: unknown;
    kind?: unknown;
    meta?: { driverAdapterError?: { cause?: { kind?: unknown } } };
  };
  if (PRISMA_DOWN.has(String(code)) || code === OUTCOME_UNKNOWN || code === TRANSACTION_ENDED) return true;
  if (ADAPTER_DOWN.has(String(meta?.driverAdapterError?.cause?.kind ?? kind))) return true;
  if (NETWORK_DOWN.has(String(code))) return true;
  // node-postgres has no codes for these errors. A Postgres that was stopped takes its Unix socket away.
  if (
    /connect ENOENT|ECONNREFUSED|ECONNRESET|EPIPE|Connection terminated|connect(ion)? timeout|timeout exceeded when trying to connect|Client has encountered/i.test(
      error.message,
    )
  )
    return true;
  return error.cause !== undefined && isDatabaseDown(error.cause);
}

/** Replaces NUL characters and lone surrogates, which jsonb and text columns reject. Undefined turns null. */
export function storable(value: unknown): Prisma.InputJsonValue | typeof Prisma.JsonNull {
  if (value === null || value === undefined) return Prisma.JsonNull;
  return JSON.parse(JSON.stringify(value), (_key, inner) => {
    if (typeof inner === "string") return storableText(inner);
    const isNamed = typeof inner === "object" && inner !== null && !Array.isArray(inner);
    if (!isNamed || Object.keys(inner).every((name) => storableText(name) === name)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, member]) => [storableText(name), member]));
  });
}

export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}

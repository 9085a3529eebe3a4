/**
 * The database: Postgres, always inside one organization. The pool is not exported: a query outside `withOrganization` would
 * return no rows (row security) and hide the mistake.
 */
import pg from "pg";
import { Prisma } from "../../generated/prisma/client.ts";
import { ContentKeys } from "../content/content-keys.ts";
import { ConfigurationError, readEnvironment } from "../env.ts";
import type { Seal } from "../seal.ts";
import { isTransient, StandbyReached } from "./database-errors.ts";
import { withDeferredWrites } from "./deferred-writes.ts";
import { rowsOf, statementOf, toQuery } from "./raw.ts";
import { Statements } from "./statements.ts";
import { beginTransaction, type Tx } from "./transaction.ts";
import { TRANSACTION_MS } from "./transaction-ms.ts";

export type { Tx };
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
  /** Counts the pool's busy and idle connections, and the callers waiting for one. */
  pool(): { busy: number; idle: number; waiting: number };
  close(): Promise<void>;
}

const TRIES = 4;

/**
 * A host that is lost sends no end of its connections. TCP asks after this silence, each second, and gives up after ten
 * questions; by itself it would ask after two hours.
 */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
/**
 * The part of a transaction's time for which it may stand still (`idle_in_transaction_session_timeout`): a process that
 * stalls inside a transaction blocks its organization by its locks. Two statements follow each other a thousand times
 * faster.
 */
const IDLE_SHARE = 0.5;
/** The part of a transaction's time that one statement may take (`statement_timeout`). */
const STATEMENT_SHARE = 0.85;

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
    /** Runs on each new connection before anybody uses it. Throws to refuse it. */
    admit?: (client: pg.ClientBase) => Promise<void>;
  } = {},
): Database {
  const { transactionMs = TRANSACTION_MS } = options;
  const statementMs = String(Math.round(STATEMENT_SHARE * transactionMs));
  const idleMs = String(Math.round(IDLE_SHARE * transactionMs));
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: connectTimeoutMs(url),
    idleTimeoutMillis: 60_000,
    ...KEEP_ALIVE,
    onConnect: async (client) => {
      await refuseStandby(client, url);
      await options.admit?.(client);
    },
  });
  // A connection that is being handed over has neither the pool's nor anybody's error listener, so its error
  // would end the process. The next statement on the connection reports the error anyway.
  pool.on("connect", (client) => client.on("error", () => undefined));
  // An idle connection that breaks is gone; the next one is made anew.
  pool.on("error", () => undefined);
  const statements = new Statements(options.named ?? readEnvironment().namedStatements);
  const contentKeys = new ContentKeys(options.seal);

  const attempt = async <T>(organizationId: string, work: (tx: Tx) => Promise<T>): Promise<T> => {
    const transaction = await beginTransaction(pool, statements, transactionMs);
    try {
      const tx: Tx = Object.assign(transaction.client, { organizationId });
      // jit: compiling takes longer than any statement of ours, and the estimates of plans that are kept
      // are the high ones that begin it.
      const [{ keys } = { keys: null }] = await tx.$queryRaw<{ keys: string | null }[]>`
        SELECT set_config('app.organization_id', ${organizationId}, true),
          set_config('idle_in_transaction_session_timeout', ${idleMs}, true),
          set_config('statement_timeout', ${statementMs}, true), set_config('jit', 'off', true),
          gate.content_keys(${organizationId}::uuid) AS keys`;
      const opening = keys === null ? tx : await contentKeys.opening(tx, keys);
      const result = await withDeferredWrites(opening, () => work(opening));
      await transaction.commit();
      return result;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  };

  return {
    withOrganization: (organizationId, work) => retried(() => attempt(organizationId, work)),
    gate: (query) =>
      retried(async () => {
        const statement = { ...toQuery(statementOf(query, [])), query_timeout: transactionMs };
        return rowsOf(await statements.send(pool, statement));
      }),
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

/**
 * As libpq does for `target_session_attrs=read-write`, which `pg` does not know: a primary that was replaced comes back as a
 * standby at the same address. Its screens would be old, and its writes would fail.
 */
async function refuseStandby(client: pg.ClientBase, url: string): Promise<void> {
  const { rows } = await client.query({
    text: "SELECT current_setting('transaction_read_only') AS standby",
    query_timeout: connectTimeoutMs(url),
  } as pg.QueryConfig);
  if (rows[0].standby === "on") throw new StandbyReached();
}

async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= TRIES || !isTransient(error)) throw error;
    }
  }
}

/** Replaces NUL characters and lone surrogates, which jsonb and text columns reject. Undefined turns null. */
export function storable(value: unknown): Prisma.InputJsonValue | typeof Prisma.JsonNull {
  if (value === null || value === undefined) return Prisma.JsonNull;
  const text = JSON.stringify(value);
  // Looking at each name and text takes several times as long.
  if (!UNSTORABLE.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, inner) => {
    if (typeof inner === "string") return storableText(inner);
    const isNamed = typeof inner === "object" && inner !== null && !Array.isArray(inner);
    if (!isNamed || Object.keys(inner).every((name) => storableText(name) === name)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, member]) => [storableText(name), member]));
  });
}

/** In JSON, the escapes of NUL and of lone surrogates, the only form in which it can carry them. */
export const UNSTORABLE = /\\u(0000|d[89a-f])/i;

export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}

/**
 * Row security does not bind a superuser, and an owner could lift it, so the role that serves requests must
 * be neither. Throws ConfigurationError. `setting` names the variable for the operator.
 */
export async function refusePowerfulRole(database: Database, setting: string): Promise<void> {
  const [role] = await database.gate<{ powerful: boolean }>(Prisma.sql`
    SELECT r.rolsuper OR r.rolbypassrls OR EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('public.task')
      AND pg_has_role(r.oid, c.relowner, 'MEMBER')) AS powerful
    FROM pg_roles r WHERE r.rolname = current_user`);
  if (role?.powerful !== false)
    throw new ConfigurationError(
      `${setting} names a superuser or the owner of the database, whom row security does not hold: use the role made for it.`,
    );
}

/** Returns the time limit for connecting in ms: the URL's `connect_timeout` (libpq's, in seconds) if set. */
export function connectTimeoutMs(url: string, otherwise = 5_000): number {
  return 1_000 * Number(new URL(url).searchParams.get("connect_timeout")) || otherwise;
}

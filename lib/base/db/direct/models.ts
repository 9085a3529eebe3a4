/**
 * The client's models in a transaction that is not the client's own: Prisma takes the transaction's connection for one of
 * its pool, and what it sends to begin and to end goes nowhere.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { type Prisma, PrismaClient } from "../../../generated/prisma/client.ts";

/** Sends a statement in the transaction. */
type Send = (config: pg.QueryConfig) => Promise<pg.QueryResult>;

/** Whose statements Prisma begins a transaction for. */
const joining = new AsyncLocalStorage<Send>();

/** Prisma's own limits of time; a transaction's own (transaction.ts) is shorter. */
const NEVER_MS = 3_600_000;

/** Made once, at the first use: it knows of no database but the schema's tables, and takes ten ms and megabytes to make. */
let prisma: PrismaClient | undefined;
function client(): PrismaClient {
  prisma ??= new PrismaClient({
    adapter: new PrismaPg(new JoinedConnections()),
    transactionOptions: { maxWait: NEVER_MS, timeout: NEVER_MS },
  });
  return prisma;
}

/** The client in the transaction of `send`, until `end` is called. */
export function joinModels(send: Send): { tx: Promise<Prisma.TransactionClient>; end(): void } {
  const ended = Promise.withResolvers<void>();
  const tx = new Promise<Prisma.TransactionClient>((resolve, reject) => {
    joining
      .run(send, () =>
        client().$transaction((joined) => {
          resolve(joined);
          return ended.promise;
        }),
      )
      // Before it has begun; afterwards nothing of it can fail.
      .catch(reject);
  });
  return { tx, end: ended.resolve };
}

const BOUNDS = new Set(["BEGIN", "COMMIT", "ROLLBACK"]);
const NOTHING = { command: "", rowCount: 0, oid: 0, fields: [], rows: [] };

/** What Prisma takes for a pool. */
class JoinedConnections extends pg.Pool {
  override connect(): Promise<pg.PoolClient> {
    const send = joining.getStore();
    if (!send) throw new Error("the client's models are used within a transaction only");
    const connection = {
      query: (config: pg.QueryConfig) => (BOUNDS.has(config.text) ? Promise.resolve(NOTHING) : send(config)),
      on: () => connection,
      removeListener: () => connection,
      release: () => undefined,
    };
    return Promise.resolve(connection as unknown as pg.PoolClient);
  }
}

/**
 * A transaction on one connection of the pool. Its raw statements go to `pg` directly, and the client's models, where they
 * are used, to Prisma, on the same connection (models.ts).
 */
import type pg from "pg";
import { Prisma } from "../../../generated/prisma/client.ts";
import { isRefusal, NotCommitted } from "../round-trips.ts";
import { joinModels } from "./models.ts";
import { countOf, type RawStatement, rowsOf, statementOf, toQuery } from "./raw.ts";

/** Thrown by a transaction that took too long, or is over: nothing is sent any more. */
class TransactionEnded extends Error {
  override name = "TransactionEnded";
  readonly code = TRANSACTION_ENDED;
}
export const TRANSACTION_ENDED = "transaction_ended";

/** A transaction that has begun. */
export interface Transaction {
  client: Prisma.TransactionClient;
  /** By performance.now(). */
  beganAt: number;
  /** Commits, and gives the connection back. */
  commit(): Promise<void>;
  /** Rolls back unless it was committed, and gives the connection back. */
  rollback(): Promise<void>;
}

/** Begins a transaction, which is rolled back after `ms` if nobody has ended it by then. */
export async function beginTransaction(pool: pg.Pool, ms: number): Promise<Transaction> {
  const connection = await pool.connect();
  let state: "open" | "late" | "ended" = "open";
  /** Set once the connection goes back. */
  let end: Promise<void> | null = null;

  const timer = setTimeout(() => {
    // A COMMIT under way tells by itself how it ended.
    if (state !== "open") return;
    state = "late";
    end ??= rollBack();
  }, ms);
  timer.unref();

  const refuseUnlessOpen = () => {
    if (state === "open") return;
    const why = state === "late" ? `took longer than ${ms} ms and was rolled back` : "is over";
    throw new TransactionEnded(`the transaction ${why}`);
  };
  const query = async (config: pg.QueryConfig): Promise<pg.QueryResult> => {
    refuseUnlessOpen();
    return connection.query(config);
  };
  const release = (isBroken: boolean) => {
    clearTimeout(timer);
    its?.end();
    connection.release(isBroken);
  };
  const rollBack = () =>
    connection.query({ text: "ROLLBACK" }).then(
      () => release(false),
      // The connection's end rolls back too.
      () => release(true),
    );

  /** The models' part of this transaction, from their first use on. */
  let its: ReturnType<typeof joinModels> | null = null;
  const join = () => {
    refuseUnlessOpen();
    its ??= joinModels(query);
    return its.tx;
  };

  // BEGIN goes with the first statement (round-trips.ts).
  await connection.query({ text: "BEGIN" });
  return {
    beganAt: performance.now(),
    client: clientOf((statement) => query(toQuery(statement)), join),
    async commit() {
      refuseUnlessOpen();
      state = "ended";
      try {
        await connection.query({ text: "COMMIT" });
      } catch (error) {
        end = Promise.resolve();
        release(!isRefusal(error) && !(error instanceof NotCommitted));
        throw error;
      }
      end = Promise.resolve();
      release(false);
    },
    async rollback() {
      if (state === "open") state = "ended";
      end ??= rollBack();
      await end;
    },
  };
}

type Send = (statement: RawStatement) => Promise<pg.QueryResult>;

function clientOf(send: Send, join: () => Promise<Prisma.TransactionClient>): Prisma.TransactionClient {
  type Query = TemplateStringsArray | Prisma.Sql;
  const own: Record<string, unknown> = {
    $queryRaw: async (query: Query, ...values: unknown[]) => rowsOf(await send(statementOf(query, values))),
    $executeRaw: async (query: Query, ...values: unknown[]) =>
      countOf(await send(statementOf(query, values))),
    $queryRawUnsafe: async (text: string, ...values: unknown[]) => rowsOf(await send({ text, values })),
    $executeRawUnsafe: async (text: string, ...values: unknown[]) => countOf(await send({ text, values })),
  };
  return new Proxy(own, {
    get(target, name) {
      if (typeof name !== "string") return undefined;
      if (name in target || !MODELS.has(name)) return target[name];
      target[name] = modelOf(name, join);
      return target[name];
    },
  }) as unknown as Prisma.TransactionClient;
}

/** As the client names its models' members. */
const MODELS: ReadonlySet<string> = new Set(
  Object.keys(Prisma.ModelName).map((name) => name.charAt(0).toLowerCase() + name.slice(1)),
);

function modelOf(name: string, join: () => Promise<Prisma.TransactionClient>): object {
  return new Proxy(
    {},
    {
      get: (_, method) =>
        typeof method === "string"
          ? async (...given: unknown[]) => {
              const model = Reflect.get(await join(), name) as Record<
                string,
                (...given: unknown[]) => unknown
              >;
              return model[method]?.(...given);
            }
          : undefined,
    },
  );
}

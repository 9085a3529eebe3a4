/**
 * A transaction on one connection of the pool. Raw statements go to `pg`, because Prisma needs more CPU time for a
 * statement than the statement itself. Models go to Prisma, on the same connection (models.ts).
 */
import type pg from "pg";
import { Prisma } from "../../generated/prisma/client.ts";
import { isRefusal, OutcomeUnknown, TransactionEnded } from "./database-errors.ts";
import { type BorrowedModels, borrowModels } from "./models.ts";
import { countOf, type RawStatement, rowsOf, statementOf, toQuery } from "./raw.ts";
import type { Statement, Statements } from "./statements.ts";

export interface Transaction {
  client: Prisma.TransactionClient;
  /**
   * Commits, and gives the connection back. Throws Postgres' error if it refuses, and `OutcomeUnknown` if the connection
   * broke before Postgres answered.
   */
  commit(): Promise<void>;
  /** Rolls back unless it has ended, and gives the connection back. */
  rollback(): Promise<void>;
}

/** Thrown for a COMMIT to which Postgres answered ROLLBACK, as it does after a statement that failed unnoticed. */
class NotCommitted extends Error {
  override name = "NotCommitted";
  constructor() {
    super("the transaction was rolled back instead of committed: one of its statements had failed");
  }
}

/**
 * As shares of a transaction's time limit: how long Postgres may be silent after its end, and how long a COMMIT may
 * take.
 */
const SILENCE_SHARE = 0.25;
const COMMIT_SHARE = 3;

/** Begins a transaction, which is rolled back after `ms` if nobody has ended it by then. */
export async function beginTransaction(
  pool: pg.Pool,
  statements: Statements,
  ms: number,
): Promise<Transaction> {
  const connection = await pool.connect();
  let state: "open" | "late" | "ended" = "open";
  let models: BorrowedModels | null = null;
  let end: Promise<void> | null = null;

  const refuseUnlessOpen = () => {
    if (state === "open") return;
    throw new TransactionEnded(
      state === "late" ? `took longer than ${ms} ms and was rolled back` : "is over",
    );
  };
  const send = async (statement: Statement) => {
    refuseUnlessOpen();
    return statements.send(connection, statement);
  };
  let isReleased = false;
  let silence: NodeJS.Timeout | undefined;
  const release = (isBroken: boolean) => {
    if (isReleased) return;
    isReleased = true;
    clearTimeout(timer);
    clearTimeout(silence);
    models?.giveBack();
    connection.release(isBroken);
  };
  /**
   * A lost host sends no TCP reset, so TCP alone would wait for a quarter of an hour. Statements that were sent then
   * fail.
   */
  const breakOffAfter = (share: number) => {
    silence = setTimeout(release, share * ms, true);
    silence.unref();
  };
  const rollBack = () =>
    statements.send(connection, { text: "ROLLBACK" }).then(
      () => release(false),
      // If ROLLBACK fails, the connection is closed, and Postgres rolls back.
      () => release(true),
    );
  const timer = setTimeout(() => {
    if (state !== "open") return;
    state = "late";
    breakOffAfter(SILENCE_SHARE);
    end = rollBack();
  }, ms);
  timer.unref();

  const borrow = () => {
    refuseUnlessOpen();
    models ??= borrowModels(send);
    return models;
  };
  try {
    await send({ text: "BEGIN" });
  } catch (error) {
    // If the time limit has passed, the rollback gives the connection back.
    if (state === "open") {
      state = "ended";
      release(true);
    }
    await end;
    throw error;
  }
  return {
    client: clientOf((statement) => send(toQuery(statement)), borrow),
    async commit() {
      refuseUnlessOpen();
      state = "ended";
      end = Promise.resolve();
      let answer: pg.QueryResult;
      breakOffAfter(COMMIT_SHARE);
      try {
        answer = await statements.send(connection, { text: "COMMIT" });
      } catch (error) {
        release(!isRefusal(error));
        throw isRefusal(error) ? error : new OutcomeUnknown(error);
      }
      release(false);
      if (answer.command !== "COMMIT") throw new NotCommitted();
    },
    async rollback() {
      if (state === "open") {
        state = "ended";
        breakOffAfter(SILENCE_SHARE);
        end = rollBack();
      }
      await end;
    },
  };
}

type Send = (statement: RawStatement) => Promise<pg.QueryResult>;

/** Returns a Prisma transaction client: raw statements, and models that are made at their first use. */
function clientOf(send: Send, borrow: () => BorrowedModels): Prisma.TransactionClient {
  type Query = TemplateStringsArray | Prisma.Sql;
  const own: Record<string, unknown> = {
    $queryRaw: async (query: Query, ...values: unknown[]) => rowsOf(await send(statementOf(query, values))),
    $executeRaw: async (query: Query, ...values: unknown[]) =>
      countOf(await send(statementOf(query, values))),
    $queryRawUnsafe: async (text: string, ...values: unknown[]) => rowsOf(await send({ text, values })),
    $executeRawUnsafe: async (text: string, ...values: unknown[]) => countOf(await send({ text, values })),
  };
  for (const name of MODELS) Object.defineProperty(own, name, { get: () => borrow().model(name) });
  return own as unknown as Prisma.TransactionClient;
}

/** The name of a model's member in Prisma's client, which begins with a small letter. */
const MODELS = Object.keys(Prisma.ModelName).map((name) => name.charAt(0).toLowerCase() + name.slice(1));

/**
 * A transaction of one organization. It sees only the rows of that organization. Only `withOrganization` creates one.
 */
export type Tx = Prisma.TransactionClient & { readonly organizationId: string };

/**
 * Spares a transaction the round trips that carry no work of its own: BEGIN goes with the statement that sets
 * its scope, and COMMIT follows its last statement without waiting for the result.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";

/**
 * Begins the text of a transaction's last statement: COMMIT is sent right behind it. If the statement fails, Postgres
 * turns that COMMIT into a ROLLBACK. Of writes only deferred ones begin with it (deferred-writes.ts): a read may as well, if
 * its transaction has only read.
 */
export const LAST = "/* last */ ";

/**
 * The end of a transaction whose COMMIT was sent behind its last statement: whatever fails afterwards, as a time limit
 * of the caller, it may have been committed.
 */
export class Ending {
  /** Resolves with whether it was committed; rejects if the connection broke before Postgres said. */
  #committed: Promise<boolean> | null = null;

  /** `answer`: what Postgres says to the COMMIT. */
  note(answer: Promise<unknown>): void {
    this.#committed = answer.then(isCommit, (error: unknown) => {
      if (isRefusal(error)) return false;
      throw error;
    });
    this.#committed.catch(() => undefined); // asked for only if the transaction fails
  }

  /** Whether the transaction was committed all the same. Waits for Postgres' answer. */
  async outcome(): Promise<"committed" | "not committed" | "unknown"> {
    try {
      return (await this.#committed) ? "committed" : "not committed";
    } catch {
      return "unknown";
    }
  }
}

const endings = new AsyncLocalStorage<Ending>();

/** Runs a transaction, whose end `ending` notes. */
export function withEnding<T>(ending: Ending, transaction: () => Promise<T>): Promise<T> {
  return endings.run(ending, transaction);
}

/** Thrown for a COMMIT to which Postgres answered ROLLBACK, as it does after a statement that failed unnoticed. */
export class NotCommitted extends Error {
  override name = "NotCommitted";
  constructor() {
    super("the transaction was rolled back instead of committed: one of its statements had failed");
  }
}

function isCommit(answer: unknown): boolean {
  return (answer as pg.QueryResult).command === "COMMIT";
}

function committed(answer: unknown): unknown {
  if (!isCommit(answer)) throw new NotCommitted();
  return answer;
}

/** An error that ends the transaction and not the connection, as of a deferred constraint: nothing was written. */
export function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === "ERROR";
}

const SCOPE = /^\s*SELECT set_config\(/;
/** Values that need no quoting but quotes. */
const PLAIN = /^[\w.:-]*$/;

interface Statement {
  text: string;
  values: unknown[];
}

/** What writes statements on the wire. */
interface Wire {
  execute?(config: unknown): void;
  query?(text: string): void;
}

/** What pg answers to a statement without rows. */
const NOTHING = { command: "", rowCount: null, oid: null, fields: [], rows: [] };

type Client = new (...given: never[]) => pg.Client;

/**
 * Returns a client for a pool with `pipeline: true`, which sends a statement without waiting for the one before. Only
 * for callers that await each statement and end each transaction that they begin (transaction.ts).
 */
export function foldingRoundTrips(Base: typeof pg.Client): typeof pg.Client {
  return class extends (Base as Client) {
    /** A BEGIN that has not been sent. */
    #isBeginning = false;
    /** The COMMIT behind the last statement, for which nobody has asked yet. */
    #end: Promise<unknown> | null = null;

    // biome-ignore lint/suspicious/noExplicitAny: forwards every overload of pg's query
    override query(...given: any[]): any {
      const statement = statementOf(given);
      if (!statement) return super.query(...(given as [never]));
      const { text } = statement;
      if (text === "BEGIN") {
        this.#isBeginning = true;
        this.#end = null;
        return Promise.resolve(NOTHING);
      }
      if (this.#end && (text === "COMMIT" || text === "ROLLBACK")) {
        const end = this.#end;
        this.#end = null;
        if (text === "COMMIT") return end.then(committed);
        // The transaction is given up, and may be committed: `Ending` tells.
        return end.catch((error: unknown) => (isRefusal(error) ? NOTHING : Promise.reject(error)));
      }
      // It would be committed by itself.
      if (this.#end)
        return Promise.reject(new Error("a statement came after the last one of its transaction"));
      if (this.#isBeginning) {
        this.#isBeginning = false;
        if (text === "COMMIT" || text === "ROLLBACK") return Promise.resolve(NOTHING);
        const scoped = SCOPE.test(text) ? inlined(statement) : null;
        if (scoped) return this.#begin({ ...given[0], text: `BEGIN; ${scoped}` });
        // Its failure is the next statement's failure too.
        this.#begin({ text: "BEGIN" }).catch(() => undefined);
      }
      if (text === "COMMIT") return Promise.resolve(super.query(...(given as [never]))).then(committed);
      if (!text.startsWith(LAST)) return super.query(...(given as [never]));
      let sent: unknown;
      const isWritten = this.#writes(() => {
        sent = super.query(...(given as [never]));
      });
      // Without it Postgres would commit what came before, though the caller is told of a failure.
      if (!isWritten) return sent;
      const end: Promise<unknown> = Promise.resolve(super.query("COMMIT"));
      // Awaited once the transaction is committed or rolled back.
      end.catch(() => undefined);
      this.#end = end;
      endings.getStore()?.note(end);
      return sent;
    }

    /** Returns whether `send` writes a statement that is carried out: pg holds back one whose values it can't write. */
    #writes(send: () => void): boolean {
      const { connection } = this as unknown as { connection: Wire };
      const { execute, query } = connection;
      let isWritten = false;
      connection.execute = (config) => {
        isWritten = true;
        execute?.call(connection, config);
      };
      connection.query = (text) => {
        isWritten = true;
        query?.call(connection, text);
      };
      try {
        send();
      } finally {
        // The methods of its class are behind these.
        delete connection.execute;
        delete connection.query;
      }
      return isWritten;
    }

    /** A text of several statements has neither a name nor parameters. */
    async #begin(statement: object): Promise<unknown> {
      const results: unknown = await super.query({
        ...statement,
        name: undefined,
        values: undefined,
      } as never);
      return Array.isArray(results) ? results.at(-1) : results;
    }
  } as unknown as typeof pg.Client;
}

/** Returns the statement of a call that answers with a promise; null for other calls. */
function statementOf(given: unknown[]): Statement | null {
  const [config] = given;
  if (given.length !== 1 || typeof config !== "object" || config === null) return null;
  const { text, values } = config as Partial<Statement>;
  return typeof text === "string" ? { text, values: values ?? [] } : null;
}

/** Returns the text with its parameters in it, or null if a value is not plain. */
function inlined({ text, values }: Statement): string | null {
  if (!values.every((value) => typeof value === "string" && PLAIN.test(value))) return null;
  return text.replace(/\$(\d+)/g, (_, place) => pg.escapeLiteral(String(values[Number(place) - 1])));
}

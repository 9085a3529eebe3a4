/**
 * Spares a transaction the round trips that carry no work of its own: BEGIN goes with the statement that sets
 * its scope, and COMMIT follows its last statement without waiting for the result.
 */
import pg from "pg";

/**
 * Begins the text of a transaction's last statement: COMMIT is sent right behind it. If the statement fails, Postgres
 * turns that COMMIT into a ROLLBACK.
 */
export const LAST = "/* last */ ";

const SCOPE = /^\s*SELECT set_config\(/;
/** Values that need no quoting but quotes. */
const PLAIN = /^[\w.:-]*$/;

interface Statement {
  text: string;
  values: unknown[];
}

/** What pg answers to a statement without rows. */
const NOTHING = { command: "", rowCount: null, oid: null, fields: [], rows: [] };

type Client = new (...given: never[]) => pg.Client;

/**
 * Returns a client for a pool with `pipeline: true`, which sends a statement without waiting for the one before. Only
 * for callers that await each statement and end each transaction that they begin, as Prisma's adapter does.
 */
export function foldingRoundTrips(Base: typeof pg.Client): typeof pg.Client {
  return class extends (Base as Client) {
    /** The adapter's BEGIN, which has not been sent. */
    #isBeginning = false;
    /** The COMMIT behind the last statement, for which the adapter has not asked yet. */
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
        return end;
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
      const sent = super.query(...(given as [never]));
      if (text.startsWith(LAST)) {
        const end: Promise<unknown> = Promise.resolve(super.query("COMMIT"));
        // Awaited once the adapter commits or rolls back.
        end.catch(() => undefined);
        this.#end = end;
      }
      return sent;
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

/**
 * Keeps the plans of statements. A statement that is sent under a name is parsed and planned once a connection
 * instead of at every call; most of this database's time was planning. Postgres keeps a named statement until
 * it is closed, so each connection closes the one that was unused for longest.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Writable } from "node:stream";
import pg from "pg";
import { log } from "../log.ts";
import { LAST } from "./round-trips.ts";

/**
 * What a connection keeps at most: so many statements, of so many characters together. A plan takes 100 to 300
 * bytes a character (docs/performance.md, "Plans"), so that a connection's take some 30 MiB at the most.
 */
export const KEPT_STATEMENTS = 200;
export const KEPT_CHARACTERS = 120_000;

/** Losses of names after which a pool goes without. On a connection of its own there are none. */
const LOSSES = 3;

/** What the connections of one pool know about their names. */
export class KeptPlans {
  #named: boolean;
  #losses = 0;
  /** Changes when statements were lost; connections then forget all of theirs. */
  #mark = "";

  constructor(named: boolean) {
    this.#named = named;
  }

  get named(): boolean {
    return this.#named;
  }

  /**
   * Ends each statement, so that it differs from those that were lost. A pooler that keeps statements by their
   * text would else answer with the one it has.
   */
  get mark(): string {
    return this.#mark;
  }

  /** Notes that Postgres does not have, or cannot use, what it should by `mark`. */
  lose(mark: string, loss: Loss): void {
    if (mark !== this.#mark) return; // noted already
    this.#mark = ` /* ${randomBytes(4).toString("hex")} */`;
    if (loss === "changed" || ++this.#losses < LOSSES || !this.#named) return;
    this.#named = false;
    log.warn(
      "A pooler in front of Postgres does not keep prepared statements: they are sent without names from now on, and planned anew each time. Set INTRAY_NAMED_STATEMENTS=0, or let the pooler keep them.",
    );
  }
}

/** `changed`: a table of the statement was changed by a migration. `gone`: another session has the name. */
type Loss = "changed" | "gone";

/** Returns how a statement's plan was lost, or null for any other error. It was not carried out. */
export function planLoss({ code, message }: { code?: string | undefined; message: string }): Loss | null {
  if (code === "0A000" && message.includes("cached plan must not change result type")) return "changed";
  // 26000: there is no such statement. 42P05: there is one.
  if (code === "26000" || code === "42P05") return "gone";
  return null;
}

const names = new Map<string, string>();
/** Names that are remembered instead of computed. */
const REMEMBERED = 5_000;

/** The name of a statement: a digest, so that no two share one. Postgres would cut off what exceeds 63 bytes. */
export function statementName(text: string): string {
  const known = names.get(text);
  if (known) return known;
  const name = `intray_${createHash("sha256").update(text).digest("base64url")}`;
  if (names.size >= REMEMBERED) names.clear();
  names.set(text, name);
  return name;
}

/** Any other comment in front (`plan-mode.ts`) keeps a statement from being kept. */
const KEPT = /^[\s(]*(?:SELECT|INSERT|UPDATE|DELETE|WITH|MERGE)\b/i;

function isKept(text: string, values: unknown[] | undefined): boolean {
  // Without values a text may hold several statements, which cannot have a name.
  if (!values?.length && text.includes(";")) return false;
  return KEPT.test(text.startsWith(LAST) ? text.slice(LAST.length) : text);
}

/** What pg's own types leave out. */
type Query = Omit<pg.Query, "submit"> & {
  name?: string | undefined;
  text?: string;
  values?: unknown[];
  callback?: (error: Error | null | undefined, result?: unknown) => void;
  submit(connection: Connection): unknown;
  handleError(error: Error & { code?: string }, connection: Connection): void;
};
interface Connection {
  stream: Pick<Writable, "cork" | "uncork">;
  /** Those that Postgres has said that it has, */
  parsedStatements: Record<string, string>;
  /** and those of which it has not said so yet. */
  submittedNamedStatements: Record<string, string>;
  close(statement: { type: "S"; name: string }): void;
}

/** A pool's connection that names its statements. The pool's options hold the `plans`. */
export class NamingClient extends pg.Client {
  readonly #plans: KeptPlans;
  /** The names that this connection has, with their texts' lengths, the one unused for longest first. */
  readonly #names = new Map<string, number>();
  #characters = 0;
  #mark = "";
  #isGathering = false;

  constructor(config: pg.ClientConfig & { plans?: KeptPlans } = {}) {
    super(config);
    this.#plans = config.plans ?? new KeptPlans(false);
  }

  // biome-ignore lint/suspicious/noExplicitAny: forwards every overload of pg's query
  override query(...given: any[]): any {
    if (typeof given[0]?.submit === "function") return Reflect.apply(super.query, this, given);
    const query: Query = Reflect.construct(pg.Query, given);
    if (query.callback) {
      this.#send(given, query);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      query.callback = (error, result) => (error ? reject(error) : resolve(result));
      this.#send(given, query);
    }).catch((error: Error) => {
      // Leads to the caller instead of the socket.
      Error.captureStackTrace(error);
      throw error;
    });
  }

  #send(given: unknown[], query: Query, isAgain = false): void {
    const { submit, handleError, callback } = query;
    let sentBy = "";
    let isSubmitting = false;
    /** The one before, which is under way, is to make the statement. If it fails, there is none, and nobody lost it. */
    let isUnsure = false;
    query.submit = (connection) => {
      // Before this statement only, so that they share a packet.
      connection.stream.cork();
      isSubmitting = true;
      try {
        sentBy = this.#plans.mark;
        // What is sent again has no name: behind a pooler the next session may have lost the statement too.
        if (!isAgain) this.#nameOf(query, connection);
        isUnsure = isUnderWay(query.name, connection);
        return submit.call(query, connection);
      } finally {
        isSubmitting = false;
        connection.stream.uncork();
      }
    };
    query.handleError = (error, connection) => {
      // pg could not write the values, and has closed the statement.
      if (isSubmitting) this.#closed(query, connection);
      const loss = query.name ? planLoss(error) : null;
      if (loss && !(loss === "gone" && isUnsure)) this.#plans.lose(sentBy, loss);
      // Inside a transaction it has failed as a whole, so `withOrganization` retries it.
      if (!loss || this.getTransactionStatus() !== "I") return handleError.call(query, error, connection);
      const again: Query = Reflect.construct(pg.Query, given);
      again.callback = query.callback ?? callback;
      this.#send(given, again, true);
    };
    this.#gather();
    super.query(query as unknown as pg.Submittable);
  }

  /** Has what is sent until the event loop goes on leave in one packet: each write costs more than a statement does here. */
  #gather(): void {
    if (this.#isGathering) return;
    const { stream } = (this as unknown as { connection: Connection }).connection;
    this.#isGathering = true;
    stream.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      stream.uncork();
    });
  }

  /** Names the query that is about to be sent, if it is to be kept, and closes statements to make room. */
  #nameOf(query: Query, connection: Connection): void {
    const { named, mark } = this.#plans;
    const isNamed = named && !query.name && isKept(query.text ?? "", query.values);
    // A plain text has no place for what closes names: not every pooler takes that in front of it.
    if (!isNamed && !query.values?.length) return;
    if (mark !== this.#mark) {
      for (const name of [...this.#names.keys()]) this.#forget(name, connection);
      this.#mark = mark;
    }
    if (!isNamed || !query.text) return;
    query.text += mark;
    query.name = statementName(query.text);
    const { length } = query.text;
    if (this.#names.delete(query.name)) this.#characters -= length;
    for (const [eldest] of this.#names) {
      if (this.#names.size < KEPT_STATEMENTS && this.#characters + length <= KEPT_CHARACTERS) break;
      this.#forget(eldest, connection);
    }
    this.#names.set(query.name, length);
    this.#characters += length;
  }

  /** Closes a statement. One that is under way stays until a later one needs its room: pg would think it there. */
  #forget(name: string, connection: Connection): void {
    if (isUnderWay(name, connection)) return;
    this.#characters -= this.#names.get(name) ?? 0;
    this.#names.delete(name);
    if (!connection.parsedStatements[name]) return; // it failed, so Postgres has none
    delete connection.parsedStatements[name];
    connection.close({ type: "S", name });
  }

  /** Forgets the name of a statement that was closed while it was sent. Its answer must not bring the name back. */
  #closed(query: Query, connection: Connection): void {
    const { name } = query;
    if (!name) return;
    this.#characters -= this.#names.get(name) ?? 0;
    this.#names.delete(name);
    delete connection.parsedStatements[name];
    delete connection.submittedNamedStatements[name];
    query.name = undefined;
  }
}

function isUnderWay(name: string | undefined, connection: Connection): boolean {
  return name !== undefined && connection.submittedNamedStatements[name] !== undefined;
}

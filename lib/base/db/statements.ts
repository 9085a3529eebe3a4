/**
 * Sends statements under names. Postgres parses and plans a named statement once a connection instead of at every call; most of
 * this database's time was planning. `pg` prepares a named statement at its first use on a connection.
 */
import { createHash, randomBytes } from "node:crypto";
import type pg from "pg";
import { log } from "../log.ts";
import { scope } from "../process/scope.ts";

export interface Statement {
  text: string;
  values?: unknown[];
  types?: pg.CustomTypesConfig;
  /** `array`: rows are arrays of columns. */
  rowMode?: "array";
  /** How long it may take, in ms. Its connection is broken off then. */
  query_timeout?: number;
}

/**
 * Bounds of what gets a name. Every connection keeps the plans of all of these; a plan takes 100 to 300 bytes a character
 * (docs/performance.md, "Plans"), some 30 MiB a connection at the most.
 */
export const NAMED_STATEMENTS = 200;
export const NAMED_CHARACTERS = 120_000;
/** Uses before a statement gets a name, so that rare ones take no place. */
export const USES_BEFORE_NAMED = 5;
/** Statements whose uses are counted. */
const COUNTED = 5_000;

/** Losses of names after which a process goes without. */
const LOSSES = 3;

/** How the connections of one pool send statements. */
export class Statements {
  #named: boolean;
  #losses = 0;
  /**
   * Ends each named statement once some were lost, so that it differs from them: a pooler that keeps statements by their text
   * would else answer with the one it has.
   */
  #mark = "";
  readonly #names = new Map<string, string>();
  #characters = 0;
  readonly #uses = new Map<string, number>();

  /** `named`: false behind a pooler that does not keep prepared statements. */
  constructor(named: boolean) {
    this.#named = named;
  }

  /** Adds the statement to what the current call has spent. */
  async send(connection: pg.Pool | pg.PoolClient, statement: Statement): Promise<pg.QueryResult> {
    const mark = this.#mark;
    const name = this.#nameOf(statement);
    const named = name === undefined ? statement : { ...statement, name, text: statement.text + mark };
    const { spent } = scope();
    if (spent && spent.underWay++ === 0) spent.since = performance.now();
    try {
      return await connection.query(named);
    } catch (error) {
      if (name !== undefined) this.#noteLoss(mark, error as { code?: string; message: string });
      throw error;
    } finally {
      if (spent) {
        spent.queries++;
        if (--spent.underWay === 0) spent.ms += performance.now() - spent.since;
      }
    }
  }

  #nameOf({ text, values }: Statement): string | undefined {
    if (!this.#named) return undefined;
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const isFull = this.#names.size >= NAMED_STATEMENTS || this.#characters + text.length > NAMED_CHARACTERS;
    if (isFull || !mayHaveName(text, values)) return undefined;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses < USES_BEFORE_NAMED) {
      if (this.#uses.size >= COUNTED) this.#uses.clear();
      this.#uses.set(text, uses);
      return undefined;
    }
    this.#uses.delete(text);
    const name = statementName(text + this.#mark);
    this.#names.set(text, name);
    this.#characters += text.length;
    return name;
  }

  /** Gives all statements other names if Postgres does not have, or cannot use, one that was sent with `mark`. */
  #noteLoss(mark: string, error: { code?: string; message: string }): void {
    const loss = planLoss(error);
    if (loss === null || mark !== this.#mark) return;
    this.#mark = ` /* ${randomBytes(4).toString("hex")} */`;
    for (const text of this.#names.keys()) this.#names.set(text, statementName(text + this.#mark));
    if (loss === "changed" || ++this.#losses < LOSSES || !this.#named) return;
    this.#named = false;
    log.warn(
      "A pooler in front of Postgres does not keep prepared statements: they are sent without names from now on, and planned again each time. Set INTRAY_NAMED_STATEMENTS=0, or let the pooler keep them.",
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

/** Any other comment in front (`plan-mode.ts`) keeps a statement from having a name. */
const QUERY = /^[\s(]*(?:SELECT|INSERT|UPDATE|DELETE|WITH|MERGE)\b/i;

function mayHaveName(text: string, values: unknown[] | undefined): boolean {
  // Without values a text may hold several statements, which cannot have a name.
  const isOne = (values?.length ?? 0) > 0 || !text.includes(";");
  return isOne && QUERY.test(text);
}

/** A digest, so that no two texts share a name, in any process. Postgres would cut off what exceeds 63 bytes. */
export function statementName(text: string): string {
  return `intray_${createHash("sha256").update(text).digest("base64url")}`;
}

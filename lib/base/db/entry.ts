/** Transactions that begin with the look at a credential (`Database.enter`). */
import type { Tx } from "./tx.ts";

/** A row that names the organization whose transaction it begins. */
export interface Entrant {
  organization_id: string;
}

export interface EnterOptions {
  /** As `planOnce`, for the whole transaction. */
  planOnce?: boolean;
  /** The organization that it probably is, in whose turn it begins (lib/web/web-database.ts). What it is, the row says. */
  expected?: string;
}

/** A transaction of one organization that has begun. Either `run` or `leave` has to be called, soon: it holds a connection. */
export interface Entry<R extends Entrant> {
  row: R;
  /** As `withOrganization` of the row's organization. Another attempt begins a transaction of its own. */
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Gives up the transaction. Does nothing once it runs, or was left. */
  leave(): Promise<void>;
}

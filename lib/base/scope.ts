/**
 * What work is done for: the call, or the call that began a task, and the trace that it belongs to. It goes along by
 * itself, so that log lines and rows can name it.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Context } from "@opentelemetry/api";

export interface Scope {
  /** Of the call of the API: its answer's `x-request-id`. */
  requestId: string | null;
  /** Holds the current span; null: nothing is traced. */
  trace: Context | null;
  /** Adds up what this work takes of the database. */
  spent?: Spent;
}

export interface Spent {
  queries: number;
  /** Waited for them. */
  ms: number;
}

// On globalThis, since Next bundles its own copy of this module into the same process.
const key = Symbol.for("intray.scope");
const shared = globalThis as { [key]?: AsyncLocalStorage<Scope> };
shared[key] ??= new AsyncLocalStorage<Scope>();
const storage = shared[key];

const NONE: Scope = { requestId: null, trace: null };

export function scope(): Scope {
  return storage.getStore() ?? NONE;
}

/** Does `work`, and all that it begins, in this scope. */
export function inScope<T>(inner: Scope, work: () => T): T {
  return storage.run(inner, work);
}

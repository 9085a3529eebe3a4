/**
 * The scope of the current work: its API call (or the call that began its task) and its trace. An
 * AsyncLocalStorage carries the scope along, so that log lines and rows can name it.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Context } from "@opentelemetry/api";
import { onePerProcess } from "./process-wide.ts";

export interface Scope {
  /** The API call's id, its answer's `x-request-id`. */
  requestId: string | null;
  /** Holds the current span; null if nothing is traced. */
  trace: Context | null;
  /** Sums up the database queries of this work. */
  spent?: Spent;
  /** Of a read: aborted when the caller has left, so that nobody waits for this work. */
  left?: AbortSignal;
  /** Of an HTTP call, by whom it is told apart from others that wait for the same. */
  caller?: Caller;
}

export interface Caller {
  /** As `rememberedNetworkOf` has it; `unknown` for what has no address. */
  network: string;
  /** Aborted when the caller has left: before anything is done, nobody waits for it any more. */
  left: AbortSignal;
}

export class Spent {
  queries = 0;
  /** The time in which at least one of them was under way. */
  ms = 0;
  underWay = 0;
  /** Since when one has been under way, by performance.now(). */
  since = 0;
}

const storage = onePerProcess("scope", () => new AsyncLocalStorage<Scope>())();

const NONE: Scope = { requestId: null, trace: null };

export function scope(): Scope {
  return storage.getStore() ?? NONE;
}

/** Runs `work`, and everything started by `work`, in this scope. */
export function inScope<T>(inner: Scope, work: () => T): T {
  return storage.run(inner, work);
}

import { createDatabase, type Database, refusePowerfulRole } from "../base/db/db.ts";
import { need } from "../base/env.ts";
import { AppError } from "../base/errors.ts";
import { forget, onePerProcess } from "../base/process/process-wide.ts";
import { scope } from "../base/process/scope.ts";
import { DATABASE_CONNECTIONS, DATABASE_RETRY_AFTER_MS, DATABASE_SHARES, GATE_SHARES } from "./tunables.ts";

/** The web's database, as a role that row security binds, shared fairly among organizations. Throws ConfigurationError for any other role. */
export const database: () => Promise<Database> = onePerProcess("web database", () =>
  open().catch((error: unknown) => {
    forget("web database"); // a database that is down now may be back at the next call
    throw error;
  }),
);

async function open(): Promise<Database> {
  const opened = createDatabase(need("appDatabaseUrl"), { connections: DATABASE_CONNECTIONS });
  try {
    await refusePowerfulRole(opened, "APP_DATABASE_URL");
    return fairDatabase(opened, DATABASE_SHARES, GATE_SHARES);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

export interface Shares {
  /** Transactions, or statements, at once. */
  atOnce: number;
  /** The same of one owner; at most half of `atOnce`, so that another's begins without waiting. */
  ofOne: number;
  /** The longest wait in a line that stands still. */
  stillMs: number;
  /** The longest wait in a line that moves: a machine is busy, and each gets a turn. */
  waitMs: number;
}

/**
 * Shares the connections of the web's pool, so that nobody's slow reads, and no flood, keep others waiting: transactions among
 * organizations, and statements before an organization is known among the networks that call.
 */
export function fairDatabase(database: Database, transactions: Shares, statements: Shares): Database {
  const byOrganization = fairTurns(transactions);
  const byNetwork = fairTurns(statements);
  return {
    ...database,
    withOrganization: (organizationId, work) =>
      byOrganization(organizationId, () => database.withOrganization(organizationId, work)),
    gate: (query) => byNetwork(scope().caller?.network ?? "none", () => database.gate(query)),
  };
}

interface Waiting {
  begin(): void;
}

/** Who waits of an owner, in the order of turns. */
interface Line {
  callers: Set<Waiting>;
  /** When somebody of this line got a turn last, or the first one came; monotonic, in ms. */
  movedAt: number;
}

/**
 * Returns a function that runs work in turn: each owner has `ofOne` at most, the rest queue by owner and take turns. Who waited
 * `waitMs`, or `stillMs` in a line of which nobody got a turn meanwhile, gets 503 `database_busy`, and a read whose caller has
 * left 499 `caller_left`. While nobody has to wait it counts, no more.
 */
function fairTurns({
  atOnce,
  ofOne,
  stillMs,
  waitMs,
}: Shares): <T>(owner: string, work: () => Promise<T>) => Promise<T> {
  /** What runs, by owner. */
  const running = new Map<string, number>();
  /** Waiting callers by owner, in the order of turns. */
  const waiting = new Map<string, Line>();
  let free = atOnce;

  const mayBegin = (owner: string) => free > 0 && (running.get(owner) ?? 0) < ofOne;
  const begin = (owner: string) => {
    free--;
    running.set(owner, (running.get(owner) ?? 0) + 1);
  };
  const end = (owner: string) => {
    free++;
    const left = (running.get(owner) ?? 1) - 1;
    if (left > 0) running.set(owner, left);
    else running.delete(owner);
    beginNext();
  };
  const beginNext = () => {
    for (const [owner, line] of waiting) {
      if (free === 0) return;
      if (!mayBegin(owner)) continue;
      const [next] = line.callers;
      if (!next) continue;
      line.callers.delete(next);
      line.movedAt = performance.now();
      // An owner with more waiting callers goes to the back.
      waiting.delete(owner);
      if (line.callers.size > 0) waiting.set(owner, line);
      begin(owner);
      next.begin();
    }
  };
  const turn = (owner: string) =>
    new Promise<void>((resolve, reject) => {
      const cameAt = performance.now();
      const line = waiting.get(owner) ?? { callers: new Set(), movedAt: cameAt };
      waiting.set(owner, line);
      const { left } = scope();
      let timer: NodeJS.Timeout | undefined;
      const settle = () => {
        clearTimeout(timer);
        left?.removeEventListener("abort", leave);
      };
      const endWith = (error: AppError) => {
        settle();
        line.callers.delete(its);
        if (line.callers.size === 0 && waiting.get(owner) === line) waiting.delete(owner);
        reject(error);
      };
      const refuse = () =>
        endWith(
          new AppError("database_busy", "Too many calls wait for the database just now. Try again.", {
            retryAfterMs: DATABASE_RETRY_AFTER_MS,
          }),
        );
      const leave = () => endWith(new AppError("caller_left", "The caller closed the connection."));
      const watch = () => {
        const restMs = () =>
          Math.min(cameAt + waitMs, Math.max(cameAt, line.movedAt) + stillMs) - performance.now();
        timer = setTimeout(() => (restMs() > 0 ? watch() : refuse()), Math.max(1, restMs()));
      };
      const its: Waiting = {
        begin: () => {
          settle();
          resolve();
        },
      };
      line.callers.add(its);
      left?.addEventListener("abort", leave);
      if (left?.aborted) leave();
      else watch();
    });

  return async (owner, work) => {
    if (mayBegin(owner)) begin(owner);
    else await turn(owner);
    try {
      return await work();
    } finally {
      end(owner);
    }
  };
}

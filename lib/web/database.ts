import { createDatabase, type Database, refusePowerfulRole } from "../base/db/db.ts";
import { need } from "../base/env.ts";
import { AppError } from "../base/errors.ts";
import { forget, onePerProcess } from "../base/process/process-wide.ts";
import { scope } from "../base/process/scope.ts";
import { DATABASE_CONNECTIONS, DATABASE_RETRY_AFTER_MS, DATABASE_SHARES } from "./tunables.ts";

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
    return fairDatabase(opened, DATABASE_SHARES);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

export interface Shares {
  /** Transactions at once; fewer than the pool has connections, so that credentials are looked up meanwhile. */
  atOnce: number;
  /** Transactions at once of one organization; at most half of `atOnce`, so that another's begins without waiting. */
  ofOne: number;
  /** The longest wait in a line that stands still. */
  stillMs: number;
  /** The longest wait in a line that moves: a machine is busy, and each gets a turn. */
  waitMs: number;
}

interface Waiting {
  begin(): void;
}

/** Who waits of an organization, in the order of turns. */
interface Line {
  callers: Set<Waiting>;
  /** When somebody of this line got a turn last, or the first one came; monotonic, in ms. */
  movedAt: number;
}

/**
 * Shares the connections of the web's pool among organizations, so that one whose reads are slow does not keep the
 * others waiting: each has `ofOne` transactions at most, the rest queue by organization and take turns. Who waited
 * `waitMs`, or `stillMs` in a line of which nobody got a turn meanwhile, gets 503 `database_busy`, and a read whose caller has
 * left 499 `caller_left`. While nobody has to wait it counts, no more.
 */
export function fairDatabase(database: Database, { atOnce, ofOne, stillMs, waitMs }: Shares): Database {
  /** Running transactions by organization. */
  const running = new Map<string, number>();
  /** Waiting callers by organization, in the order of turns. */
  const waiting = new Map<string, Line>();
  let free = atOnce;

  const mayBegin = (organizationId: string) => free > 0 && (running.get(organizationId) ?? 0) < ofOne;
  const begin = (organizationId: string) => {
    free--;
    running.set(organizationId, (running.get(organizationId) ?? 0) + 1);
  };
  const end = (organizationId: string) => {
    free++;
    const left = (running.get(organizationId) ?? 1) - 1;
    if (left > 0) running.set(organizationId, left);
    else running.delete(organizationId);
    beginNext();
  };
  const beginNext = () => {
    for (const [organizationId, line] of waiting) {
      if (free === 0) return;
      if (!mayBegin(organizationId)) continue;
      const [next] = line.callers;
      if (!next) continue;
      line.callers.delete(next);
      line.movedAt = performance.now();
      // An organization with more waiting callers goes to the back.
      waiting.delete(organizationId);
      if (line.callers.size > 0) waiting.set(organizationId, line);
      begin(organizationId);
      next.begin();
    }
  };
  const turn = (organizationId: string) =>
    new Promise<void>((resolve, reject) => {
      const cameAt = performance.now();
      const line = waiting.get(organizationId) ?? { callers: new Set(), movedAt: cameAt };
      waiting.set(organizationId, line);
      const { left } = scope();
      let timer: NodeJS.Timeout | undefined;
      const settle = () => {
        clearTimeout(timer);
        left?.removeEventListener("abort", leave);
      };
      const endWith = (error: AppError) => {
        settle();
        line.callers.delete(its);
        if (line.callers.size === 0 && waiting.get(organizationId) === line) waiting.delete(organizationId);
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

  return {
    ...database,
    async withOrganization(organizationId, work) {
      if (mayBegin(organizationId)) begin(organizationId);
      else await turn(organizationId);
      try {
        return await database.withOrganization(organizationId, work);
      } finally {
        end(organizationId);
      }
    },
  };
}

import type { Database } from "../base/db/db.ts";
import { AppError } from "../base/errors.ts";
import { DATABASE_RETRY_AFTER_MS } from "./tunables.ts";

export interface Shares {
  /** Transactions at once; fewer than the pool has connections, so that credentials are looked up meanwhile. */
  atOnce: number;
  /** Transactions at once of one organization; fewer than `atOnce`, so that another's begins without waiting. */
  ofOne: number;
  /** The longest wait for a turn. */
  waitMs: number;
}

interface Waiting {
  begin(): void;
}

/**
 * Shares the connections of the web's pool among organizations, so that one whose reads are slow does not keep the
 * others waiting: each has `ofOne` transactions at most, the rest queue by organization and take turns. Who waited
 * `waitMs` gets 503 `database_busy`; nothing of the call was done then. While nobody has to wait it counts, no more.
 */
export function fairDatabase(database: Database, { atOnce, ofOne, waitMs }: Shares): Database {
  /** Running transactions by organization. */
  const running = new Map<string, number>();
  /** Waiting callers by organization, in the order of turns. */
  const waiting = new Map<string, Set<Waiting>>();
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
      const [next] = line;
      if (!next) continue;
      line.delete(next);
      // An organization with more waiting callers goes to the back.
      waiting.delete(organizationId);
      if (line.size > 0) waiting.set(organizationId, line);
      begin(organizationId);
      next.begin();
    }
  };
  const turn = (organizationId: string) =>
    new Promise<void>((resolve, reject) => {
      const line = waiting.get(organizationId) ?? new Set();
      waiting.set(organizationId, line);
      const timer = setTimeout(() => {
        line.delete(caller);
        if (line.size === 0 && waiting.get(organizationId) === line) waiting.delete(organizationId);
        reject(
          new AppError(
            "database_busy",
            "Too many calls wait for the database just now. Nothing was done: try again.",
            {
              retryAfterMs: DATABASE_RETRY_AFTER_MS,
            },
          ),
        );
      }, waitMs);
      const caller: Waiting = {
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      line.add(caller);
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

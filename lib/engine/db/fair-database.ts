import type { Database } from "../../base/db/db.ts";
import { TRANSACTIONS_AT_ONCE } from "../tunables.ts";

/**
 * Limits concurrent transactions, round-robin per organization. Excess callers queue here because pg's pool
 * times out. One place is never an organization's that has all others: its transactions may all wait for one lock of its own.
 */
export function fairDatabase(database: Database, atOnce = TRANSACTIONS_AT_ONCE): Database {
  const ofOne = Math.max(1, atOnce - 1);
  /** What runs, by organization. */
  const running = new Map<string, number>();
  /** Waiting callers by organization, in the order of turns. */
  const waiting = new Map<string, (() => void)[]>();
  let free = atOnce;

  const mayBegin = (organizationId: string) => free > 0 && (running.get(organizationId) ?? 0) < ofOne;
  const begin = (organizationId: string) => {
    free--;
    running.set(organizationId, (running.get(organizationId) ?? 0) + 1);
  };
  const slot = (organizationId: string): Promise<void> | null => {
    if (mayBegin(organizationId)) {
      begin(organizationId);
      return null;
    }
    return new Promise((resolve) => {
      const line = waiting.get(organizationId);
      if (line) line.push(resolve);
      else waiting.set(organizationId, [resolve]);
    });
  };
  const leave = (organizationId: string) => {
    free++;
    const left = (running.get(organizationId) ?? 1) - 1;
    if (left > 0) running.set(organizationId, left);
    else running.delete(organizationId);
    for (const [id, line] of waiting) {
      if (!mayBegin(id)) continue;
      const next = line.shift();
      // An organization with more waiting callers goes to the back.
      waiting.delete(id);
      if (line.length > 0) waiting.set(id, line);
      begin(id);
      next?.();
      return;
    }
  };

  return {
    ...database,
    async withOrganization(organizationId, work) {
      const turn = slot(organizationId);
      if (turn) await turn;
      try {
        return await database.withOrganization(organizationId, work);
      } finally {
        leave(organizationId);
      }
    },
  };
}

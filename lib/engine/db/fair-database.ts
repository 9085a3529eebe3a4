import type { Database } from "../../base/db/db.ts";
import { TRANSACTIONS_AT_ONCE } from "../tunables.ts";

/**
 * Limits concurrent transactions, round-robin per organization. Excess callers queue here because pg's pool
 * times out.
 */
export function fairDatabase(database: Database, atOnce = TRANSACTIONS_AT_ONCE): Database {
  /** Waiting callers by organization, in the order of turns. */
  const waiting = new Map<string, (() => void)[]>();
  let free = atOnce;

  const slot = (organizationId: string): Promise<void> | null => {
    if (free > 0) {
      free--;
      return null;
    }
    return new Promise((resolve) => {
      const line = waiting.get(organizationId);
      if (line) line.push(resolve);
      else waiting.set(organizationId, [resolve]);
    });
  };
  const leave = () => {
    const [organizationId, line] = waiting.entries().next().value ?? [];
    if (organizationId === undefined || !line) {
      free++;
      return;
    }
    const next = line.shift();
    // An organization with more waiting callers goes to the back.
    waiting.delete(organizationId);
    if (line.length > 0) waiting.set(organizationId, line);
    next?.();
  };

  return {
    ...database,
    async withOrganization(organizationId, work) {
      const turn = slot(organizationId);
      if (turn) await turn;
      try {
        return await database.withOrganization(organizationId, work);
      } finally {
        leave();
      }
    },
  };
}

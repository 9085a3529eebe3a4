import type { Database } from "../../base/db/db.ts";
import { TRANSACTIONS_AT_ONCE } from "../tunables.ts";

/**
 * The same database, with so many transactions at once; the others wait here, where they wait as long as it takes, for
 * the pool gives up after seconds. Organizations take turns: one with thousands of steps holds up no other.
 */
export function fairDatabase(database: Database, atOnce = TRANSACTIONS_AT_ONCE): Database {
  /** Who waits, by organization; the organization whose turn is next comes first. */
  const waiting = new Map<string, (() => void)[]>();
  let free = atOnce;

  const place = (organizationId: string): Promise<void> | null => {
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
    // Behind the others, if it has more.
    waiting.delete(organizationId);
    if (line.length > 0) waiting.set(organizationId, line);
    next?.();
  };

  return {
    ...database,
    async withOrganization(organizationId, work) {
      const turn = place(organizationId);
      if (turn) await turn;
      try {
        return await database.withOrganization(organizationId, work);
      } finally {
        leave();
      }
    },
  };
}

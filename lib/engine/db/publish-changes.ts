import { type Database, Prisma } from "../../base/db/db.ts";
import { hasDeferredWrites } from "../../base/db/deferred-writes.ts";

const BATCH = 500;
/** Keeps payloads below Postgres's limit of 8,000 bytes. */
const IDS_A_PAYLOAD = 100;

/**
 * Publishes the outbox of live-update hints, batched per organization as NOTIFY payloads `{o, c: [[topic,
 * id], …]}`. A crash between the two statements loses hints, which only delays a reader's refetch.
 */
export async function publishChanges(database: Database): Promise<void> {
  for (;;) {
    const rows = await database.gate<{ organization_id: string; topic: string; entity_id: string }>(
      Prisma.sql`SELECT * FROM gate.take_changes(${BATCH}::integer)`,
    );
    if (rows.length === 0) return;
    const byOrganization = Map.groupBy(rows, (row) => row.organization_id);
    const payloads: string[] = [];
    for (const [o, changes] of byOrganization) {
      for (let at = 0; at < changes.length; at += IDS_A_PAYLOAD) {
        const c = changes.slice(at, at + IDS_A_PAYLOAD).map((change) => [change.topic, change.entity_id]);
        payloads.push(JSON.stringify({ o, c }));
      }
    }
    await database.gate(
      Prisma.sql`SELECT pg_notify('intray_change', payload)::text FROM unnest(${payloads}::text[]) payload`,
    );
  }
}

/**
 * Wraps a database to call `committed` after each transaction that has left hints to publish or history to follow.
 * An engine's transactions send no notice of their own (migration 0097).
 */
export function publishingAfterCommit(database: Database, committed: () => void): Database {
  return {
    ...database,
    async withOrganization(organizationId, work) {
      let wrote = false;
      const result = await database.withOrganization(organizationId, async (tx) => {
        const done = await work(tx);
        wrote = hasDeferredWrites(tx);
        return done;
      });
      if (wrote) committed();
      return result;
    },
  };
}

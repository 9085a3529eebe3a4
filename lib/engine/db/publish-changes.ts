import { type Database, Prisma } from "../../base/db/db.ts";

const BATCH = 500;
/** Postgres refuses payloads of 8,000 bytes. */
const IDS_A_PAYLOAD = 100;

/**
 * Empties the outbox of live hints: each organization's become few NOTIFYs `{o, c: [[topic, id], …]}`. A hint lost
 * between the two statements costs its reader a refetch later, no more.
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

/** The same database, which calls `committed` after each transaction: there may be hints to send. */
export function publishingAfterCommit(database: Database, committed: () => void): Database {
  return {
    ...database,
    async withOrganization(organizationId, work) {
      const result = await database.withOrganization(organizationId, work);
      committed();
      return result;
    },
  };
}

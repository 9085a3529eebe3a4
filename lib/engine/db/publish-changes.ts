import { type Database, Prisma } from "../../base/db/db.ts";
import { hasDeferredWrites } from "../../base/db/deferred-writes.ts";

const BATCH = 500;
/** Keeps payloads below Postgres's limit of 8,000 bytes. */
const IDS_A_PAYLOAD = 100;

/**
 * Publishes the outbox of live-update hints, batched per organization as NOTIFY payloads `{o, c: [[topic,
 * id], …]}`. Hints are taken and sent by one statement: a crash loses none.
 */
export async function publishChanges(database: Database): Promise<void> {
  for (;;) {
    const [taken] = await database.gate<{ rows: number }>(Prisma.sql`
      WITH taken AS MATERIALIZED (SELECT organization_id AS o, topic, entity_id AS id, rows_taken,
          (row_number() OVER (PARTITION BY organization_id) - 1) / ${IDS_A_PAYLOAD}::integer AS part
          FROM gate.take_changes(${BATCH}::integer)),
        payload AS (SELECT max(rows_taken) AS rows,
            json_build_object('o', o, 'c', json_agg(json_build_array(topic, id)))::text AS words
          FROM taken GROUP BY o, part),
        sent AS MATERIALIZED (SELECT rows, pg_notify('intray_change', words)::text FROM payload)
      SELECT coalesce(max(rows), 0)::integer AS rows FROM sent`);
    if (!taken || taken.rows < BATCH) return;
  }
}

/**
 * Wraps a database to call `committed` after each transaction that has left hints to publish or history to follow.
 * An engine's transactions send no notice of their own.
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

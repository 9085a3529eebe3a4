import { type Database, Prisma } from "../../base/db/db.ts";
import { hasDeferredWrites } from "../../base/db/deferred-writes.ts";

const BATCH = 500;
/** From here on there may be more, where some hints of a batch were the same. */
const MANY = 50;
/** Keeps payloads below Postgres's limit of 8,000 bytes. */
const IDS_A_PAYLOAD = 100;

/**
 * Publishes the outbox of live-update hints, batched per organization as NOTIFY payloads `{o, c: [[topic,
 * id], …]}`. Hints are taken and sent by one statement: a crash loses none.
 */
export async function publishChanges(database: Database): Promise<void> {
  for (;;) {
    const [sent] = await database.gate<{ hints: number }>(Prisma.sql`
      WITH taken AS MATERIALIZED (SELECT organization_id AS o, topic, entity_id AS id,
          (row_number() OVER (PARTITION BY organization_id) - 1) / ${IDS_A_PAYLOAD}::integer AS part
          FROM gate.take_changes(${BATCH}::integer)),
        payload AS (SELECT count(*) AS hints,
            json_build_object('o', o, 'c', json_agg(json_build_array(topic, id)))::text AS words
          FROM taken GROUP BY o, part),
        sent AS MATERIALIZED (SELECT hints, pg_notify('intray_change', words)::text FROM payload)
      SELECT coalesce(sum(hints), 0)::integer AS hints FROM sent`);
    // Fewer than a batch, since `take_changes` takes each hint once: the outbox is empty, or nearly.
    if (!sent || sent.hints < MANY) return;
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

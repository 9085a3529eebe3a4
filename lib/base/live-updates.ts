/** Live-update hints: they tell browsers and web processes that something changed, and carry ids alone. */
import type { Tx } from "./db/db.ts";
import { type DeferredWrite, deferWrite } from "./db/deferred-writes.ts";

/**
 * A `notice` hint's id is its recipient's, and the hint reaches nobody else. An `agent_call` is one that its client has given up, by a
 * name that only the process knows that holds it: of no use to browsers, which are not told.
 */
export type Topic =
  | "task"
  | "input_request"
  | "server"
  | "member"
  | "notice"
  | "bulk_operation"
  | "agent"
  | "agent_call";

/** Adds live-update hints to the outbox, committed together with the change. */
export async function publishChange(tx: Tx, topic: Topic, ids: string[]): Promise<void> {
  const hints = ids.map((id) => ({ topic, id }));
  if (hints.length > 0) deferWrite(tx, HINTS, hints);
}

/** Written with the history (lib/history/events/event-writes.ts) by transactions that have lines for it. */
export const HINTS: DeferredWrite<{ topic: Topic; id: string }> = {
  name: "hints",
  order: 4,
  async write(tx, hints) {
    await tx.$executeRaw`INSERT INTO change (organization_id, topic, entity_id)
      SELECT DISTINCT ${tx.organizationId}::uuid, topic, id
      FROM unnest(${hints.map(({ topic }) => topic)}::text[], ${hints.map(({ id }) => id)}::uuid[]) AS hint (topic, id)`;
  },
};

/** Sends hints with the commit itself, for changes that must not wait for an engine to read the outbox. */
export async function publishChangeNow(tx: Tx, topic: Topic, ids: string[]): Promise<void> {
  const hint = JSON.stringify({ o: tx.organizationId, c: ids.map((id) => [topic, id]) });
  await tx.$executeRaw`SELECT pg_notify('intray_change', ${hint})`;
}

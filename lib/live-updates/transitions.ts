import type { Tx } from "../base/db/db.ts";
import { type DeferredWrite, deferWrite } from "../base/db/deferred-writes.ts";

/** A hint of `notice` has the id of whom it is for, and reaches nobody else. */
export type Topic = "task" | "input_request" | "server" | "member" | "notice" | "bulk_operation";

/** Leaves live hints in the outbox, committed with the change that they tell of. */
export async function publishChange(
  _organizationId: string,
  tx: Tx,
  topic: Topic,
  ids: string[],
): Promise<void> {
  const hints = ids.map((id) => ({ topic, id }));
  if (hints.length > 0) deferWrite(tx, HINTS, hints);
}

const HINTS: DeferredWrite<{ topic: Topic; id: string }> = {
  name: "hints",
  order: 1,
  async write(organizationId, tx, hints) {
    await tx.$executeRaw`INSERT INTO change (organization_id, topic, entity_id)
      SELECT DISTINCT ${organizationId}::uuid, topic, id
      FROM unnest(${hints.map(({ topic }) => topic)}::text[], ${hints.map(({ id }) => id)}::uuid[]) AS hint (topic, id)`;
  },
};

/** The same for what must not wait for an engine: the hint itself, sent by the commit. */
export async function publishChangeNow(
  organizationId: string,
  tx: Tx,
  topic: Topic,
  ids: string[],
): Promise<void> {
  const hint = JSON.stringify({ o: organizationId, c: ids.map((id) => [topic, id]) });
  await tx.$executeRaw`SELECT pg_notify('intray_change', ${hint})`;
}

/** Wakes the engine when the transaction commits. Lost wake-ups are found by its slow scan. */
export async function wakeEngine(tx: Tx, connectionId: string, taskId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify('intray_wake', ${`${connectionId} ${taskId}`})`;
}

/** In place of a task's id: the connection's tokens were replaced or taken away. */
export const TOKENS = "tokens";

/** Has the engine look at a connection's tokens again. Calls that are open stay open. */
export async function renewAccess(tx: Tx, connectionId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify('intray_wake', ${`${connectionId} ${TOKENS}`})`;
}

/** In place of a task's id: the server was paused, or goes on. */
export const PAUSE = "pause";

/** Has the engine look whether a connection's server is paused. */
export async function lookAtPause(tx: Tx, connectionId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify('intray_wake', ${`${connectionId} ${PAUSE}`})`;
}

/** In place of a task's id: something came on the connection's streams, and was stored by who does not watch it any more. */
export const STREAMS = "streams";

/** Has the engine look at what is stored of a connection's streams. */
export async function lookAtStreams(tx: Tx, connectionId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify('intray_wake', ${`${connectionId} ${STREAMS}`})`;
}

/** In place of a task's id: the server, which is left alone, is to be tried now. */
export const TRY = "try";

/** Has the engine try a server that it leaves alone after failures. */
export async function tryServer(tx: Tx, connectionId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify('intray_wake', ${`${connectionId} ${TRY}`})`;
}

/** In place of a connection's id: leases were given back, and wait for whoever has room. */
export const LEASES = "leases";

/** Has the engine take the connection anew, with the address and the credentials that are committed with this. */
export async function rewatchConnection(tx: Tx, connectionId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify('intray_wake', ${connectionId})`;
}

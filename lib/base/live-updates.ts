import { Prisma, type Tx } from "../base/db/db.ts";
import { type DeferredWrite, deferWrite } from "../base/db/deferred-writes.ts";

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

/** Wakes the engine when the transaction commits. The engine's slow scan makes up for lost wake-ups. */
export async function wakeEngine(tx: Tx, connectionId: string, taskId: string): Promise<void> {
  deferWrite(tx, WAKE_UPS, [`${connectionId} ${taskId}`]);
}

/** Sent with the history, as HINTS. */
export const WAKE_UPS: DeferredWrite<string> = {
  name: "wake-ups",
  order: 5,
  async write(tx, payloads) {
    await tx.$executeRaw`SELECT ${wakeUps(payloads)}`;
  },
};

/** SQL that sends wake-ups. */
export function wakeUps(payloads: string[]): Prisma.Sql {
  return Prisma.sql`(SELECT count(pg_notify('intray_wake', payload)) FROM unnest(${payloads}::text[]) payload)`;
}

/** Replaces the task id in a wake-up: the connection's tokens were replaced or removed. */
export const TOKENS = "tokens";

/** Makes the engine re-read a connection's tokens. Open calls stay open. */
export async function renewAccess(tx: Tx, connectionId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify('intray_wake', ${`${connectionId} ${TOKENS}`})`;
}

/** Replaces the task id in a wake-up: the server was paused or resumed. */
export const PAUSE = "pause";

/** Makes the engine check whether a connection's server is paused. */
export async function hintPause(tx: Tx, connectionId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify('intray_wake', ${`${connectionId} ${PAUSE}`})`;
}

/** Replaces the task id in a wake-up: an earlier watcher stored messages from the connection's streams. */
export const STREAMS = "streams";

/** Makes the engine process the stored messages of a connection's streams. */
export async function hintStreams(tx: Tx, connectionId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify('intray_wake', ${`${connectionId} ${STREAMS}`})`;
}

/** Replaces the task id in a wake-up: a server in back-off should be tried now. */
export const TRY = "try";

/** Makes the engine try a server that is in back-off after failures. */
export async function tryServer(tx: Tx, connectionId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify('intray_wake', ${`${connectionId} ${TRY}`})`;
}

/** Replaces the connection id in a wake-up: leases were released and are free to take. */
export const LEASES = "leases";

/** Makes the engine reload the connection, with the address and credentials committed in this transaction. */
export async function rewatchConnection(tx: Tx, connectionId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify('intray_wake', ${connectionId})`;
}

/**
 * Wake-ups: they tell the engine that watches a connection what to look at. Each is sent with the commit. The engine's slow scan
 * makes up for lost ones.
 */
import { Prisma, type Tx } from "./db/db.ts";
import { type DeferredWrite, deferWrite } from "./db/deferred-writes.ts";

/** Wakes the engine for one task. */
export async function wakeEngine(tx: Tx, connectionId: string, taskId: string): Promise<void> {
  deferWrite(tx, WAKE_UPS, [`${connectionId} ${taskId}`]);
}

/** Sent with the history, as `HINTS` of live-updates.ts. */
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

/** Makes engines check whether these connections' server is paused. */
export async function hintPause(tx: Tx, connectionIds: string[]): Promise<void> {
  await tx.$executeRaw`SELECT ${wakeUps(connectionIds.map((id) => `${id} ${PAUSE}`))}`;
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

/** Makes the engine reload the connection, with the address and credentials committed in this transaction. */
export async function rewatchConnection(tx: Tx, connectionId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify('intray_wake', ${connectionId})`;
}

/** Replaces the connection id in a wake-up: leases were released and are free to take. */
export const LEASES = "leases";

import type { Actor } from "../../access/access-schema.ts";
import type { Content } from "../../base/content/content.ts";
import { contentOf } from "../../base/content/content-keys.ts";
import { Prisma, storable, type Tx } from "../../base/db/db.ts";
import { type DeferredWrite, deferWrite } from "../../base/db/deferred-writes.ts";
import { READINGS, readColumns, sendReading } from "../../base/db/readings.ts";
import { WAKE_UPS, wakeUps } from "../../base/engine-hints.ts";
import { HINTS } from "../../base/live-updates.ts";
import { kept, MESSAGES } from "../protocol-messages/protocol-message-writes.ts";
import type { EventType, Verification } from "./event-schema.ts";

/** The engine as an actor. */
export const ENGINE_ACTOR: Actor = { kind: "engine", id: null, name: "Intray" };

export interface NewEvent {
  type: EventType;
  actor: Actor;
  taskId?: string;
  inputRequestId?: string;
  data?: Record<string, unknown>;
}

/** Appends events to the organization's hash chain, at the end of the transaction. */
export async function appendEvents(tx: Tx, events: NewEvent[]): Promise<void> {
  if (events.length > 0) deferWrite(tx, HISTORY, events);
}

/**
 * Locks the chain's head, so the organization's other writers wait until the commit. Takes hints, wake-ups, messages and
 * readings along.
 */
const HISTORY: DeferredWrite<NewEvent> = {
  name: "history",
  order: 2,
  async write(tx, events, take) {
    const content = contentOf(tx);
    const lines = events.map((event) => ({
      type: event.type,
      actor: event.actor,
      task: event.taskId ?? null,
      request: event.inputRequestId ?? null,
      data: storedData(content, event),
    }));
    const hints = take(HINTS).map(({ topic, id }) => [topic, id]);
    const messages = take(MESSAGES);
    const readings = take(READINGS);
    const wakes = wakeUps(take(WAKE_UPS));
    // Postgres carries out what is written beside the query after it: the head is held for no other round trip.
    const beside =
      messages.length > 0 ? Prisma.sql`WITH ${kept(tx.organizationId, content, messages)}` : Prisma.empty;
    const appended = Prisma.sql`append_lines(${JSON.stringify(lines)}::jsonb, ${JSON.stringify(hints)}::jsonb)`;
    if (readings.length === 0) await tx.$executeRaw`${beside} SELECT ${wakes}, ${appended}`;
    // The columns are computed in this order: what is read is read before the head is locked.
    else
      await sendReading(
        tx,
        Prisma.sql`${beside} SELECT ${wakes}, ${readColumns(readings)}, ${appended}::text`,
        readings,
      );
  },
};

/** Members of a line about a task that never tell what the task is about: codes, ids, counts and times. */
const READABLE = new Set([
  ...[
    "id",
    "from",
    "to",
    "state",
    "code",
    "reason",
    "attempt",
    "attempts",
    "repeats",
    "durable",
    "isError",
    "holdMs",
  ],
  ...[
    "rung",
    "askId",
    "reply",
    "ended",
    "answer",
    "askedAgain",
    "replaces",
    "questionHash",
    "contentDigest",
    "answerId",
    "voteId",
    "commentId",
    "signedIn",
    "stage",
    "action",
    "taken",
    "via",
  ],
  ...[
    "tool",
    "serverId",
    "restartOf",
    "retryOf",
    "nextTaskId",
    "raceId",
    "startAfter",
    "retry",
    "started",
    "ttlMs",
  ],
  ...[
    "userId",
    "serverState",
    "taskIds",
    "people",
    "by",
    "network",
    "kind",
    "connectionId",
    "retryInMs",
    "waits",
  ],
]);

/**
 * Returns the details of a line as they are stored and digested: where the organization seals content, a line about a task
 * is sealed but for its codes and ids.
 */
function storedData(content: Content, event: NewEvent): unknown {
  const data = storable(event.data ?? {});
  const row = event.inputRequestId ?? event.taskId;
  if (content.kid === null || row === undefined) return data;
  const members = Object.entries(data as Record<string, unknown>);
  const readable = members.filter(([name]) => READABLE.has(name));
  if (readable.length === members.length) return data;
  return content.json("event.data", row, data, Object.fromEntries(readable));
}

/** Repeated reads of one thing by one person within this time make one line. */
const READS_ARE_ONE_FOR_MS = 10 * 60_000;

/**
 * Appends a line about a read, unless the same person or key has left the same line (type, task and `data.id`, where
 * a task has several things to read) recently, since pages refetch. Returns true if the line is new.
 */
export async function appendRead(tx: Tx, event: NewEvent): Promise<boolean> {
  const who = event.actor.id ?? event.actor.name;
  const id = typeof event.data?.id === "string" ? event.data.id : null;
  // Locks, so that two simultaneous calls make one line too.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(
    ${`${tx.organizationId} ${event.type} ${who} ${event.taskId ?? ""} ${id ?? ""}`}, 0))`;
  const [left] = await tx.$queryRaw<unknown[]>`SELECT seq FROM event
    WHERE organization_id = ${tx.organizationId}::uuid AND type = ${event.type} AND actor->>'name' = ${event.actor.name}
      AND actor_id IS NOT DISTINCT FROM ${event.actor.id} AND task_id IS NOT DISTINCT FROM ${event.taskId ?? null}::uuid
      AND (${id}::text IS NULL OR data->>'id' = ${id})
      AND at > clock_timestamp() - ${READS_ARE_ONE_FOR_MS} * interval '1 ms' LIMIT 1`;
  if (left) return false;
  await appendEvents(tx, [event]);
  return true;
}

/** Appends a line about a broken chain: the finder and the position. Does nothing for an intact chain. */
export async function reportBroken(
  tx: Tx,
  actor: Actor,
  { ok, brokenAt, fault }: Verification,
): Promise<void> {
  if (!ok) await appendRead(tx, { type: "events.verified", actor, data: { brokenAt, fault } });
}

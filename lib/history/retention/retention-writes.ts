/**
 * Deletes data past its retention, in small batches with a transaction each. Locked rows are skipped, so that
 * several engines may work at once and nobody waits for them.
 */

import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { AppError } from "../../base/errors.ts";
import { appendEvents } from "../events/event-writes.ts";
import { cutoff, FLOORED, FOLLOWER, keptNow, oldTasks, readRetention } from "./retention-reads.ts";
import { type Retention, shortens, type UpdateRetention } from "./retention-schema.ts";

/** Rows that one transaction deletes, or lines that it empties. */
const ROWS = 500;
/** A task has about ten rows, besides its messages. */
const TASKS = 25;
/** Details that an audit stream does not have yet are kept for this long beyond their time. */
const UNDELIVERED_DAYS = 30;

/** Throws `invalid_input` if a period becomes shorter and the slug is not typed with it. */
export async function updateRetention(
  tx: Tx,
  { actor }: Principal,
  { slug, ...changes }: UpdateRetention,
): Promise<void> {
  // One change at a time, since a shorter period is judged against the current one.
  await tx.$queryRaw`SELECT FROM organization WHERE id = ${tx.organizationId}::uuid FOR UPDATE`;
  const before = await readRetention(tx);
  const after: Retention = { ...before, ...changes };
  const organization = await tx.organization.findUniqueOrThrow({
    where: { id: tx.organizationId },
    select: { slug: true },
  });
  if (shortens(before, after) && slug !== organization.slug)
    throw new AppError("invalid_input", "Some values are not valid.", {
      errors: [{ field: "slug", message: `Type ${organization.slug}` }],
    });
  refuseBelowFloor(changes);
  const same = (Object.keys(after) as (keyof Retention)[]).every((kind) => after[kind] === before[kind]);
  if (same) return;
  await tx.organization.update({
    where: { id: tx.organizationId },
    data: {
      keepMessagesDays: after.messageDays,
      keepPayloadsDays: after.payloadDays,
      keepTasksDays: after.taskDays,
    },
  });
  await appendEvents(tx, [{ type: "organization.retention_changed", actor, data: { ...after } }]);
}

/** An admin does not shorten what is kept of their own deeds below what the operator requires. */
function refuseBelowFloor(changes: Partial<Retention>): void {
  const { keepAtLeastDays } = env();
  const errors = FLOORED.filter((kind) => (changes[kind] ?? keepAtLeastDays) < keepAtLeastDays).map(
    (field) => ({
      field,
      message: `At least ${keepAtLeastDays} days, as the operator of this Intray requires`,
    }),
  );
  if (errors.length > 0) throw new AppError("invalid_input", "Some values are not valid.", { errors });
}

/** Returns the number of deleted messages; fewer than a batch: none is left. Ids are in order of time. */
export async function deleteMessages(tx: Tx): Promise<number> {
  const { messageDays } = await keptNow(tx);
  if (messageDays === null) return 0;
  return tx.$executeRaw`DELETE FROM protocol_message WHERE organization_id = ${tx.organizationId}::uuid AND id IN (
    SELECT id FROM (SELECT id, at FROM protocol_message WHERE organization_id = ${tx.organizationId}::uuid
      ORDER BY id LIMIT ${ROWS} FOR UPDATE SKIP LOCKED) first WHERE at < ${cutoff(messageDays)})`;
}

/** Returns the number of lines processed. One engine at a time: the position is locked. */
export async function dropPayloads(tx: Tx): Promise<number> {
  const { payloadDays } = await keptNow(tx);
  if (payloadDays === null) return 0;
  await tx.$executeRaw`INSERT INTO event_follower (organization_id, follower, seq)
    VALUES (${tx.organizationId}::uuid, ${FOLLOWER}, 0) ON CONFLICT DO NOTHING`;
  const [place] = await tx.$queryRaw<{ seq: bigint }[]>`SELECT seq FROM event_follower
    WHERE organization_id = ${tx.organizationId}::uuid AND follower = ${FOLLOWER} FOR UPDATE SKIP LOCKED`;
  if (!place) return 0;
  const limit = await sweepable(tx, place.seq, payloadDays);
  if (limit <= 0) return 0;
  const [done] = await tx.$queryRaw<{ reached: bigint | null }[]>`
    SELECT reached FROM drop_event_payloads(${place.seq}, ${limit}::integer, ${env().keepAtLeastDays}::integer)`;
  if (!done || done.reached === null) return 0;
  await tx.$executeRaw`UPDATE event_follower SET seq = ${done.reached}
    WHERE organization_id = ${tx.organizationId}::uuid AND follower = ${FOLLOWER}`;
  return Number(done.reached - place.seq);
}

/**
 * Returns how many lines after `after` may be processed: details wait until every audit stream has them, but no
 * longer than `UNDELIVERED_DAYS` beyond their time. The stream tells what it then gets without details.
 */
async function sweepable(tx: Tx, after: bigint, days: number): Promise<number> {
  const [row] = await tx.$queryRaw<{ delivered: bigint | null; overdue: bigint | null }[]>`
    SELECT (SELECT min(seq) FROM audit_stream WHERE organization_id = ${tx.organizationId}::uuid) AS delivered,
      (SELECT max(seq) FROM (SELECT seq, at FROM event WHERE organization_id = ${tx.organizationId}::uuid
        AND seq > ${after} ORDER BY seq LIMIT ${ROWS}) next WHERE at < ${cutoff(days + UNDELIVERED_DAYS)}) AS overdue`;
  if (!row || row.delivered === null) return ROWS;
  const last = Math.max(Number(row.delivered), Number(row.overdue ?? 0));
  return Math.min(ROWS, last - Number(after));
}

/** Returns the number of deleted messages or tasks. Tasks restarted from a deleted one lose only the link. */
export async function deleteTasks(tx: Tx): Promise<number> {
  const { organizationId } = tx;
  const { taskDays } = await keptNow(tx);
  if (taskDays === null) return 0;
  const rows = await tx.$queryRaw<
    { id: string; raceId: string | null }[]
  >`SELECT t.id, t.race_id AS "raceId" ${oldTasks(organizationId, taskDays)}
    ORDER BY t.finished_at LIMIT ${TASKS} FOR UPDATE OF t SKIP LOCKED`;
  if (rows.length === 0) return 0;
  const taskId = { in: rows.map(({ id }) => id) };
  // Some tasks have hundreds of messages: those go first, and the task with a later batch.
  const messages =
    await tx.$executeRaw`DELETE FROM protocol_message WHERE organization_id = ${organizationId}::uuid
    AND id IN (SELECT id FROM protocol_message WHERE organization_id = ${organizationId}::uuid
      AND task_id = ANY (${taskId.in}::uuid[]) LIMIT ${ROWS})`;
  if (messages === ROWS) return messages;
  const ofTasks = { organizationId, taskId };
  await tx.streamMessage.deleteMany({
    where: { organizationId, OR: [{ taskId }, { streamTaskId: taskId }] },
  });
  const requests = await tx.inputRequest.findMany({ where: ofTasks, select: { id: true } });
  const ofRequests = { organizationId, inputRequestId: { in: requests.map(({ id }) => id) } };
  await tx.delivery.deleteMany({ where: ofTasks });
  await tx.ask.deleteMany({ where: ofTasks });
  await tx.elicitationTask.deleteMany({ where: ofTasks });
  await tx.answer.deleteMany({ where: ofRequests });
  await tx.draft.deleteMany({ where: ofRequests });
  await tx.claim.deleteMany({ where: ofRequests });
  await tx.inputRequest.deleteMany({ where: ofTasks });
  await tx.foundTask.deleteMany({ where: ofTasks });
  await tx.acknowledgement.deleteMany({ where: ofTasks });
  await tx.task.updateMany({ where: { organizationId, restartOf: taskId }, data: { restartOf: null } });
  await tx.$executeRaw`SELECT drop_private_payloads(${taskId.in}::uuid[])`;
  const { count } = await tx.task.deleteMany({ where: { organizationId, id: taskId } });
  await deleteEmptyRaces(
    tx,
    rows.flatMap(({ raceId }) => raceId ?? []),
  );
  return messages + count;
}

/** Locks the races first: of two engines that delete a race's last tasks, one sees that none is left. */
async function deleteEmptyRaces(tx: Tx, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.$queryRaw`SELECT FROM race WHERE organization_id = ${tx.organizationId}::uuid AND id = ANY (${ids}::uuid[])
    ORDER BY id FOR UPDATE`;
  await tx.$executeRaw`DELETE FROM race WHERE organization_id = ${tx.organizationId}::uuid AND id = ANY (${ids}::uuid[])
    AND NOT EXISTS (SELECT FROM task WHERE task.organization_id = race.organization_id AND task.race_id = race.id)`;
}

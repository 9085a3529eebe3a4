import { Prisma, type Tx } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { PREVIEW_LIMIT, type Preview, type Retention } from "./retention-schema.ts";

/** The name of the follower of the history that drops payloads; its row holds its position. */
export const FOLLOWER = "retention";

export async function readRetention(tx: Tx): Promise<Retention> {
  const row = await tx.organization.findUniqueOrThrow({
    where: { id: tx.organizationId },
    select: { keepMessagesDays: true, keepPayloadsDays: true, keepTasksDays: true },
  });
  return {
    messageDays: row.keepMessagesDays,
    payloadDays: row.keepPayloadsDays,
    taskDays: row.keepTasksDays,
  };
}

/** What the operator's floor is for: an admin's traces. Protocol messages are the servers'. */
export const FLOORED = ["payloadDays", "taskDays"] as const;

/** How long things are kept just now: no shorter than the operator's floor, and for ever under a legal hold. */
export async function keptNow(tx: Tx): Promise<Retention> {
  const held = await tx.organization.count({ where: { id: tx.organizationId, holdAt: { not: null } } });
  if (held > 0) return { messageDays: null, payloadDays: null, taskDays: null };
  const kept = await readRetention(tx);
  for (const kind of FLOORED)
    if (kept[kind] !== null) kept[kind] = Math.max(kept[kind], env().keepAtLeastDays);
  return kept;
}

/** The oldest time that is kept, by the database's clock. */
export const cutoff = (days: number) => Prisma.sql`(now() - ${days} * interval '1 day')`;

/**
 * Tasks that may be deleted: ended for this long, nothing of them on its way to a server, no running task
 * restarted from them, and their race settled with all of its tasks ended.
 */
export const oldTasks = (organizationId: string, days: number) => Prisma.sql`
  FROM task t WHERE t.organization_id = ${organizationId}::uuid AND t.finished_at < ${cutoff(days)} AND NOT t.watched
    AND NOT EXISTS (SELECT FROM delivery d WHERE d.organization_id = t.organization_id AND d.task_id = t.id
      AND d.state IN ('held', 'pending', 'sending', 'accepted'))
    AND NOT EXISTS (SELECT FROM input_request r WHERE r.organization_id = t.organization_id AND r.task_id = t.id
      AND r.state IN ('open', 'answered'))
    AND NOT EXISTS (SELECT FROM task again WHERE again.organization_id = t.organization_id
      AND again.restart_of = t.id AND (again.finished_at IS NULL OR again.watched))
    AND (t.race_id IS NULL OR (SELECT race.settled_at IS NOT NULL FROM race
        WHERE race.organization_id = t.organization_id AND race.id = t.race_id)
      AND (SELECT bool_and(other.finished_at IS NOT NULL AND NOT other.watched) FROM task other
        WHERE other.organization_id = t.organization_id AND other.race_id = t.race_id))`;

/** Counts the rows that would be deleted. Messages and lines are in order of time, so few are read. */
export async function previewRetention(
  tx: Tx,
  { messageDays, payloadDays, taskDays }: Retention,
): Promise<Preview> {
  const { organizationId } = tx;
  const limit = PREVIEW_LIMIT + 1;
  const count = async (days: number | null, from: (days: number) => Prisma.Sql) => {
    if (days === null) return 0;
    const [row] = await tx.$queryRaw<
      { count: number }[]
    >`SELECT count(*)::integer AS count FROM ${from(days)}`;
    return row?.count ?? 0;
  };
  return {
    messages: await count(
      messageDays,
      (days) => Prisma.sql`(SELECT at FROM protocol_message WHERE organization_id = ${organizationId}::uuid
        ORDER BY id LIMIT ${limit}) first WHERE at < ${cutoff(days)}`,
    ),
    payloads: await count(
      payloadDays,
      (
        days,
      ) => Prisma.sql`(SELECT at, data, payload_digest FROM event WHERE organization_id = ${organizationId}::uuid
        AND seq > coalesce((SELECT seq FROM event_follower
          WHERE organization_id = ${organizationId}::uuid AND follower = ${FOLLOWER}), 0)
        ORDER BY seq LIMIT ${limit}) next
        WHERE at < ${cutoff(days)} AND data IS NOT NULL AND payload_digest IS NOT NULL`,
    ),
    tasks: await count(
      taskDays,
      (days) => Prisma.sql`(SELECT ${oldTasks(organizationId, days)} LIMIT ${limit}) old`,
    ),
  };
}

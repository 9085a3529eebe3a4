/**
 * Lets followers read the history. A follower's position is committed together with its results, so each line
 * counts once, whichever engine reads the line and even if an engine crashes.
 */

import { type Actor, actorSchema } from "../../access/access-schema.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import type { EventType } from "./event-schema.ts";

export interface FollowedEvent {
  seq: bigint;
  at: Date;
  type: EventType;
  actor: Actor;
  taskId: string | null;
  inputRequestId: string | null;
  /** Empty if retention has dropped the details. */
  data: Record<string, unknown>;
}

/** Where a new follower begins: `first` at the first line, `now` after the newest. */
export type Beginning = "first" | "now";

/** A query for the organizations whose history has lines that the follower has not read. */
export function organizationsBehind(follower: string): Prisma.Sql {
  return Prisma.sql`SELECT id FROM gate.organizations_behind(${follower})`;
}

/**
 * Returns the next lines, oldest first, at most `limit`. They count as read once the transaction commits.
 * Returns none if another engine is reading them, or the follower has just begun at `now`.
 */
export async function takeEvents(
  tx: Tx,
  { follower, begins }: { follower: string; begins: Beginning },
  limit: number,
): Promise<FollowedEvent[]> {
  const { organizationId } = tx;
  await tx.$executeRaw`INSERT INTO event_follower (organization_id, follower, seq)
    SELECT ${organizationId}::uuid, ${follower}, CASE WHEN ${begins} = 'now' THEN
      coalesce((SELECT seq FROM event_head WHERE organization_id = ${organizationId}::uuid), 0) ELSE 0 END
    ON CONFLICT DO NOTHING`;
  const [place] = await tx.$queryRaw<{ seq: bigint }[]>`SELECT seq FROM event_follower
    WHERE organization_id = ${organizationId}::uuid AND follower = ${follower} FOR UPDATE SKIP LOCKED`;
  if (!place) return [];
  const rows = await tx.event.findMany({
    where: { organizationId, seq: { gt: place.seq } },
    select: { seq: true, at: true, type: true, actor: true, taskId: true, inputRequestId: true, data: true },
    orderBy: { seq: "asc" },
    take: limit,
  });
  const last = rows.at(-1);
  if (!last) return [];
  await tx.$executeRaw`UPDATE event_follower SET seq = ${last.seq}
    WHERE organization_id = ${organizationId}::uuid AND follower = ${follower}`;
  return rows.map((row) => ({
    ...row,
    type: row.type as EventType,
    actor: actorSchema.parse(row.actor),
    data: (row.data ?? {}) as Record<string, unknown>,
  }));
}

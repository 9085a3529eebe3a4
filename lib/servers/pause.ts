/** Pausing a server: from the commit to the end of the pause nothing new is sent, and work waits. */

import type { Principal } from "../access/principal.ts";
import { type Database, Prisma, storableText, type Tx } from "../base/db/db.ts";
import { hintPause, tryServer } from "../base/engine-hints.ts";
import { notFound } from "../base/errors.ts";
import { publishChange } from "../base/live-updates.ts";
import { appendEvents } from "../history/events/event-writes.ts";

/** Limits hints, so that open pages are not flooded. Pages refetch everything else within half a minute. */
const MOST_HINTS = 500;
/**
 * Engines believe the highest count of pauses that they have seen (db/fence.ts). A database that lost its last moments counts
 * again from before. This is more than anybody pauses and resumes in such moments.
 */
const BEYOND_WHAT_WAS_LOST = 1_000;

/** Pauses a server. An already paused server keeps its first reason. Throws `not_found`. */
export async function pauseServer(
  tx: Tx,
  principal: Principal,
  serverId: string,
  reason: string | null,
): Promise<void> {
  const words = reason === null ? null : storableText(reason);
  const rows = await tx.$queryRaw<{ name: string }[]>`
    UPDATE server SET paused_at = now(), paused_by = ${JSON.stringify(principal.actor)}::jsonb,
      pause_reason = ${words}, pauses = pauses + 1
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${serverId}::uuid AND removed_at IS NULL
      AND NOT builtin AND paused_at IS NULL RETURNING name`;
  if (!rows[0]) return refuseUnlessThere(tx, serverId);
  await tellOf(tx, serverId);
  await appendEvents(tx, [
    {
      type: "server.paused",
      actor: principal.actor,
      data: { serverId, name: rows[0].name, ...(words !== null && { reason: words }) },
    },
  ]);
}

/**
 * Pauses all servers of an organization that can be paused, where nobody knows what was sent to them. One that was paused before
 * takes this reason. Each has a transaction of its own, since a large organization's servers take long.
 */
export async function pauseEveryServer(
  database: Database,
  organizationId: string,
  actor: Principal["actor"],
  reason: string,
): Promise<void> {
  const servers = await database.withOrganization(organizationId, (tx) =>
    tx.server.findMany({
      where: { organizationId, removedAt: null, builtin: false },
      select: { id: true },
      orderBy: { id: "asc" },
    }),
  );
  for (const { id } of servers)
    await database.withOrganization(organizationId, (tx) => pauseAnyway(tx, id, actor, reason));
}

async function pauseAnyway(
  tx: Tx,
  serverId: string,
  actor: Principal["actor"],
  reason: string,
): Promise<void> {
  const by = Prisma.sql`${JSON.stringify(actor)}::jsonb`;
  const rows = await tx.$queryRaw<{ name: string; isNews: boolean }[]>`
    UPDATE server s SET pauses = s.pauses + ${BEYOND_WHAT_WAS_LOST}::integer, paused_by = ${by}, pause_reason = ${reason},
      paused_at = CASE WHEN was."isNews" THEN now() ELSE s.paused_at END
    FROM (SELECT id, (paused_at IS NULL OR paused_by <> ${by} OR pause_reason IS DISTINCT FROM ${reason}) AS "isNews"
      FROM server WHERE organization_id = ${tx.organizationId}::uuid AND id = ${serverId}::uuid FOR UPDATE) was
    WHERE s.organization_id = ${tx.organizationId}::uuid AND s.id = was.id AND s.removed_at IS NULL
    RETURNING s.name, was."isNews"`;
  const [row] = rows;
  // Removed meanwhile.
  if (!row) return;
  await tellOf(tx, serverId);
  if (!row.isNews) return;
  const data = { serverId, name: row.name, reason };
  await appendEvents(tx, [{ type: "server.paused", actor, data }]);
}

/** Ends a pause. Does nothing for a server that is not paused. Throws `not_found`. */
export async function resumeServer(tx: Tx, principal: Principal, serverId: string): Promise<void> {
  const rows = await tx.$queryRaw<{ name: string; pausedMs: number }[]>`
    UPDATE server s SET paused_at = NULL, paused_by = NULL, pause_reason = NULL, pauses = s.pauses + 1
    FROM server was WHERE was.organization_id = s.organization_id AND was.id = s.id
      AND s.organization_id = ${tx.organizationId}::uuid AND s.id = ${serverId}::uuid AND s.paused_at IS NOT NULL
    RETURNING s.name, (extract(epoch FROM now() - was.paused_at) * 1000)::float8 AS "pausedMs"`;
  if (!rows[0]) return refuseUnlessThere(tx, serverId);
  await tellOf(tx, serverId);
  const { name, pausedMs } = rows[0];
  await appendEvents(tx, [
    {
      type: "server.resumed",
      actor: principal.actor,
      data: { serverId, name, pausedMs: Math.round(pausedMs) },
    },
  ]);
}

/** Makes the engine try a server that is in back-off after failures. Throws `not_found`. */
export async function tryServerNow(tx: Tx, serverId: string): Promise<void> {
  await refuseUnlessThere(tx, serverId);
  for (const id of await connectionsOf(tx, serverId)) await tryServer(tx, id);
}

/** Notifies engines, and the screens that show the server or its tasks. */
async function tellOf(tx: Tx, serverId: string): Promise<void> {
  const { organizationId } = tx;
  const connections = await connectionsOf(tx, serverId);
  await hintPause(tx, connections);
  await publishChange(tx, "server", [serverId]);
  await tx.$executeRaw`
    WITH open AS (SELECT id FROM task WHERE organization_id = ${organizationId}::uuid
      AND connection_id = ANY (${connections}::uuid[]) AND watched LIMIT ${MOST_HINTS})
    INSERT INTO change (organization_id, topic, entity_id)
    SELECT ${organizationId}::uuid, 'task', id FROM open
    UNION ALL SELECT ${organizationId}::uuid, 'input_request', r.id FROM open JOIN input_request r
      ON r.organization_id = ${organizationId}::uuid AND r.task_id = open.id AND r.state IN ('open', 'answered')`;
}

async function connectionsOf(tx: Tx, serverId: string): Promise<string[]> {
  const rows = await tx.connection.findMany({
    where: { organizationId: tx.organizationId, serverId },
    select: { id: true },
  });
  return rows.map(({ id }) => id);
}

async function refuseUnlessThere(tx: Tx, serverId: string): Promise<void> {
  const there = await tx.server.count({
    where: { organizationId: tx.organizationId, id: serverId, removedAt: null, builtin: false },
  });
  if (there === 0) throw notFound("server");
}

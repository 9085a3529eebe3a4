/** Scoped reads of tasks. Every one carries the organization and what the principal may see. */
import { z } from "zod";
import { JOIN_GRANT, SHOWN_STATE } from "../connections/list.ts";
import { connectionStateSchema } from "../connections/schema.ts";
import { type Position, readPosition, toPage } from "../cursor.ts";
import { Prisma, type Tx } from "../db.ts";
import { notFound } from "../errors.ts";
import { listCandidates } from "../found-tasks/queries.ts";
import { may } from "../members/permissions.ts";
import type { Page, PageQuery } from "../page.ts";
import type { Principal } from "../principal.ts";
import { containing } from "../search.ts";
import { JOINS, SUMMARY, type TaskRow, toNumber, toSummary } from "./row.ts";
import {
  TASK_STATES,
  type TaskDetail,
  type TaskListQuery,
  type TaskState,
  type TaskSummary,
  taskStateSchema,
} from "./schema.ts";
import { visibleTask } from "./visibility.ts";

/** Newest first. */
export async function listTasks(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  query: TaskListQuery & PageQuery,
): Promise<Page<TaskSummary>> {
  const after = readPosition(query.cursor);
  // State by state, so that each runs along its index whatever the others hold.
  const rows = await tx.$queryRaw<TaskRow[]>`
    WITH page AS (
      SELECT found.id, found.created_at FROM unnest(${query.state ?? [...TASK_STATES]}::text[]) AS wanted(state),
      LATERAL (
        SELECT t.id, t.created_at FROM task t
        WHERE t.organization_id = ${organizationId}::uuid AND t.state = wanted.state AND ${visibleTask(principal)}
          AND ${filters(principal, query)}
          ${after ? Prisma.sql`AND ${before(after)}` : Prisma.empty}
        ORDER BY t.created_at DESC, t.id DESC LIMIT ${query.limit + 1}
      ) found
      ORDER BY found.created_at DESC, found.id DESC LIMIT ${query.limit + 1}
    )
    SELECT ${SUMMARY} FROM page JOIN task t ON t.organization_id = ${organizationId}::uuid AND t.id = page.id ${JOINS}
    ORDER BY page.created_at DESC, page.id DESC`;
  return toPage(rows, query.limit, (row) => row, toSummary(new Date()));
}

/** Throws `not_found`, for invisible ones too. */
export async function readTask(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  taskId: string,
): Promise<TaskDetail> {
  const [row] = await tx.$queryRaw<DetailRow[]>`
    SELECT ${SUMMARY}, t.arguments, t.result, holder.id AS "ownerId", holder.name AS "ownerName",
      ${SHOWN_STATE} AS "connectionState" FROM task t ${JOINS}
      JOIN connection link ON link.organization_id = t.organization_id AND link.id = t.connection_id ${JOIN_GRANT}
      LEFT JOIN "user" holder ON holder.id = link.user_id
    WHERE t.organization_id = ${organizationId}::uuid AND t.id = ${taskId}::uuid AND ${visibleTask(principal)}`;
  if (!row) throw notFound("task");
  const inputRequests = await tx.inputRequest.findMany({
    where: { organizationId, taskId },
    select: { id: true, state: true, message: true },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
  return {
    ...toSummary(new Date())(row),
    arguments: z.record(z.string(), z.unknown()).parse(row.arguments),
    result: row.result,
    inputRequests,
    connection: {
      owner: row.ownerId && row.ownerName ? { id: row.ownerId, name: row.ownerName } : null,
      state: connectionStateSchema.parse(row.connectionState),
    },
    candidates:
      row.state === "start_unknown" && may(principal.role, "tasks:manage")
        ? await listCandidates(organizationId, tx, taskId)
        : [],
    restarts: await listRestarts(organizationId, tx, principal, taskId),
  };
}

interface DetailRow extends TaskRow {
  arguments: unknown;
  result: unknown;
  ownerId: string | null;
  ownerName: string | null;
  connectionState: string;
}

const MOST_RESTARTS = 20;

/** Those started again from this one that the principal may see, newest first. */
async function listRestarts(organizationId: string, tx: Tx, principal: Principal, taskId: string) {
  const rows = await tx.$queryRaw<{ id: string; state: string; createdAt: Date }[]>`
    SELECT t.id, t.state, t.created_at AS "createdAt" FROM task t
    WHERE t.organization_id = ${organizationId}::uuid AND t.restart_of = ${taskId}::uuid AND ${visibleTask(principal)}
    ORDER BY t.created_at DESC, t.id DESC LIMIT ${MOST_RESTARTS}`;
  return rows.map(({ id, state, createdAt }) => ({
    id,
    state: taskStateSchema.parse(state),
    createdAt: createdAt.toISOString(),
  }));
}

/** What a task was started with, to start it again. Throws `not_found`. */
export async function readStart(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  taskId: string,
): Promise<{ serverId: string; tool: string; arguments: Record<string, unknown>; ttlMs: number | null }> {
  const [row] = await tx.$queryRaw<
    { serverId: string; tool: string; arguments: unknown; ttlMs: bigint | null }[]
  >`
    SELECT t.server_id AS "serverId", t.tool, t.arguments, t.requested_ttl_ms AS "ttlMs" FROM task t
    WHERE t.organization_id = ${organizationId}::uuid AND t.id = ${taskId}::uuid AND ${visibleTask(principal)}`;
  if (!row) throw notFound("task");
  return {
    ...row,
    arguments: z.record(z.string(), z.unknown()).parse(row.arguments),
    ttlMs: toNumber(row.ttlMs),
  };
}

/** Throws `not_found` unless the principal may see the task. */
export async function requireVisibleTask(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  taskId: string,
): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT 1 FROM task t
    WHERE t.organization_id = ${organizationId}::uuid AND t.id = ${taskId}::uuid AND ${visibleTask(principal)}`;
  if (rows.length === 0) throw notFound("task");
}

/** When it began and ended here. Throws `not_found` unless the principal may see the task. */
export async function readLife(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  taskId: string,
): Promise<{ createdAt: Date; finishedAt: Date | null }> {
  const [life] = await tx.$queryRaw<{ createdAt: Date; finishedAt: Date | null }[]>`
    SELECT t.created_at AS "createdAt", t.finished_at AS "finishedAt" FROM task t
    WHERE t.organization_id = ${organizationId}::uuid AND t.id = ${taskId}::uuid AND ${visibleTask(principal)}`;
  if (!life) throw notFound("task");
  return life;
}

/** Counting stops here: nobody needs to know more than that there are many. */
export const MOST_COUNTED = 1001;

/** Tasks a state, each at most MOST_COUNTED. */
export async function countTasks(
  organizationId: string,
  tx: Tx,
  principal: Principal,
): Promise<Record<TaskState, number>> {
  const rows = await tx.$queryRaw<{ state: string; count: number }[]>`
    SELECT wanted.state, (SELECT count(*)::integer FROM (SELECT FROM task t
      WHERE t.organization_id = ${organizationId}::uuid AND t.state = wanted.state AND ${visibleTask(principal)}
      LIMIT ${MOST_COUNTED}) capped) AS count
    FROM unnest(${[...TASK_STATES]}::text[]) AS wanted(state)`;
  const counts = Object.fromEntries(rows.map((row) => [row.state, row.count]));
  return z.record(taskStateSchema, z.number()).parse(counts);
}

/** The first half lets the index find the place; the OR alone would read everything before it. */
function before({ createdAt, id }: Position): Prisma.Sql {
  const at = createdAt.toISOString();
  return Prisma.sql`t.created_at <= ${at}::timestamptz AND (t.created_at < ${at}::timestamptz OR t.id < ${id}::uuid)`;
}

function filters(principal: Principal, query: TaskListQuery): Prisma.Sql {
  const conditions = [Prisma.sql`true`];
  if (query.serverId) conditions.push(Prisma.sql`t.server_id = ${query.serverId}::uuid`);
  if (query.tool) conditions.push(Prisma.sql`t.tool = ${query.tool}`);
  if (query.createdAfter) conditions.push(Prisma.sql`t.created_at > ${query.createdAfter}::timestamptz`);
  if (query.createdBefore) conditions.push(Prisma.sql`t.created_at < ${query.createdBefore}::timestamptz`);
  if (query.requester) conditions.push(requestedBy(principal));
  if (query.q?.trim()) {
    const pattern = containing(query.q);
    conditions.push(Prisma.sql`(t.tool ILIKE ${pattern} OR t.label ILIKE ${pattern} OR t.status_message ILIKE ${pattern}
      OR t.arguments::text ILIKE ${pattern} OR EXISTS (SELECT FROM server s WHERE s.organization_id = t.organization_id
        AND s.id = t.server_id AND s.name ILIKE ${pattern}))`);
  }
  return Prisma.join(conditions, " AND ");
}

function requestedBy(principal: Principal): Prisma.Sql {
  if (principal.userId) return Prisma.sql`t.requester_user_id = ${principal.userId}::uuid`;
  return Prisma.sql`(t.requested_by->>'kind' = 'key' AND t.requested_by->>'id' = ${principal.actor.id})`;
}

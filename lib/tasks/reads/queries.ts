/**
 * Who looked at what of somebody's, out of the history: what a line of it says of a reader is kept there, and as long
 * as its details are (docs/event-log.md). A look at a request or a list leaves no line.
 */
import { allows } from "../../access/key-scope.ts";
import type { Principal } from "../../access/principal.ts";
import { actorSchema } from "../../access/schema.ts";
import { readSequence, toPage } from "../../base/cursor.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import type { Page, PageQuery } from "../../base/page.ts";
import type { EventType } from "../../events/schema.ts";
import { REQUESTER } from "../../members/person-behind.ts";
import { requestedBy } from "../requester.ts";
import { visibleTask } from "../visibility.ts";
import type { Read, ReadKind } from "./schema.ts";

/**
 * Lists who looked at a task, newest first. Throws `not_found` for an invisible task, and `forbidden` for who neither
 * asked for it nor reads the organization's history.
 */
export async function listTaskReads(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  taskId: string,
  query: PageQuery,
): Promise<Page<Read>> {
  const [task] = await tx.$queryRaw<TaskRow[]>`
    SELECT t.id, t.label, t.tool, t.visibility = 'organization' AS "isOpen", t.created_at AS "createdAt",
      ${REQUESTER} AS "requesterId", ${requestedBy(principal)} AS "isOwn"
    FROM task t WHERE t.organization_id = ${organizationId}::uuid AND t.id = ${taskId}::uuid
      AND ${visibleTask(principal)}`;
  if (!task) throw notFound("task");
  if (!task.isOwn && !allows(principal, "events:read"))
    throw new AppError("forbidden", "Who asked for the task, and admins, see who looked at it.");
  const since = Prisma.sql`AND e.at >= ${task.createdAt}`;
  const of = Prisma.sql`AND e.task_id = ${taskId}::uuid`;
  const parts = [
    lines("protocol.read", of),
    lines("document.read", of),
    lines("tasks.exported", Prisma.sql`AND e.seq = ANY (ARRAY(SELECT exports_of_task(${taskId}::uuid)))`),
    lines("organization.export_begun", since),
    // The details of a private task are in the command line's export alone.
    lines("events.exported", task.isOpen ? since : Prisma.sql`${since} AND e.actor ->> 'kind' = 'system'`),
    // A view shows nothing private.
    ...(task.isOpen && task.requesterId ? [views(task.requesterId, since)] : []),
  ];
  return page(organizationId, tx, parts, query, () => task);
}

interface NamedTask {
  id: string;
  label: string | null;
  tool: string;
}

interface TaskRow extends NamedTask {
  isOpen: boolean;
  createdAt: Date;
  requesterId: string | null;
  isOwn: boolean;
}

/**
 * Lists who looked at what is a member's, newest first, the member apart: tasks that they started, and those of
 * requests that they answered or have; exports with such tasks in them; everything that left since they joined; and
 * views as them. Tasks that they may not see any more are left out, and deleted ones.
 */
export async function listOwnReads(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  userId: string,
  query: PageQuery,
): Promise<Page<Read>> {
  const member = await tx.membership.findFirst({
    where: { organizationId, userId },
    select: { createdAt: true },
  });
  if (!member) throw notFound("membership");
  const others = Prisma.sql`AND e.actor_id IS DISTINCT FROM ${userId}`;
  const since = Prisma.sql`${others} AND e.at >= ${member.createdAt}`;
  const own = Prisma.sql`${others} AND e.task_id IN (SELECT id FROM own)`;
  const parts = [
    lines("protocol.read", own),
    lines("document.read", own),
    lines(
      "tasks.exported",
      Prisma.sql`${others} AND e.seq = ANY (ARRAY(SELECT exports_of_person(${userId}::uuid)))`,
    ),
    lines("organization.export_begun", since),
    lines("events.exported", since),
    views(userId, others),
  ];
  const tasks = new Map<string, NamedTask>();
  const before = readSequence(query.cursor);
  const rows = await readRows(
    organizationId,
    tx,
    parts,
    query.limit,
    before,
    ownTasks(organizationId, userId, principal),
  );
  const ids = [...new Set(rows.flatMap(({ taskId }) => taskId ?? []))];
  for (const task of await tx.task.findMany({
    where: { organizationId, id: { in: ids } },
    select: { id: true, label: true, tool: true },
  }))
    tasks.set(task.id, task);
  return toReads(rows, query.limit, (taskId) => tasks.get(taskId));
}

/** Ids of the tasks of which something is the member's, of those that they may see. */
function ownTasks(organizationId: string, userId: string, principal: Principal): Prisma.Sql {
  return Prisma.sql`WITH own AS MATERIALIZED (SELECT t.id FROM task t
    WHERE t.organization_id = ${organizationId}::uuid AND ${visibleTask(principal)} AND t.id IN (
      SELECT started.id FROM task started
        WHERE started.organization_id = ${organizationId}::uuid AND started.requester_user_id = ${userId}::uuid
      UNION SELECT r.task_id FROM input_request r
        WHERE r.organization_id = ${organizationId}::uuid AND r.assignee_user_id = ${userId}::uuid
      UNION SELECT e.task_id FROM event e WHERE e.organization_id = ${organizationId}::uuid
        AND e.actor_id = ${userId} AND e.type = 'answer.recorded'))`;
}

const KINDS = {
  "protocol.read": "protocol",
  "document.read": "document",
  "tasks.exported": "tasks_export",
  "organization.export_begun": "organization_export",
  "events.exported": "history_export",
  "member.view_begun": "view_as",
} as const satisfies Partial<Record<EventType, ReadKind>>;

/** A condition on the alias `e`. Each type is asked for by itself, since an index has its lines in order. */
function lines(type: keyof typeof KINDS, condition: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`e.type = ${type} ${condition}`;
}

function views(userId: string, condition: Prisma.Sql): Prisma.Sql {
  return lines("member.view_begun", Prisma.sql`AND e.data ->> 'userId' = ${userId} ${condition}`);
}

interface Row {
  seq: bigint;
  at: Date;
  type: keyof typeof KINDS;
  actor: unknown;
  taskId: string | null;
  name: string | null;
}

async function page(
  organizationId: string,
  tx: Tx,
  parts: Prisma.Sql[],
  { cursor, limit }: PageQuery,
  taskOf: (id: string) => NamedTask | undefined,
): Promise<Page<Read>> {
  return toReads(await readRows(organizationId, tx, parts, limit, readSequence(cursor)), limit, taskOf);
}

function readRows(
  organizationId: string,
  tx: Tx,
  parts: Prisma.Sql[],
  limit: number,
  before: bigint | null,
  first: Prisma.Sql = Prisma.empty,
): Promise<Row[]> {
  const earlier = before === null ? Prisma.empty : Prisma.sql`AND e.seq < ${before}`;
  const each = parts.map(
    (part) => Prisma.sql`(SELECT e.seq, e.at, e.type, e.actor, e.task_id AS "taskId",
      CASE e.type WHEN 'document.read' THEN e.data ->> 'name' END AS name
    FROM event e WHERE e.organization_id = ${organizationId}::uuid AND ${part} ${earlier}
    ORDER BY e.seq DESC LIMIT ${limit + 1})`,
  );
  return tx.$queryRaw<Row[]>`${first} SELECT * FROM (${Prisma.join(each, " UNION ALL ")}) looked
    ORDER BY seq DESC LIMIT ${limit + 1}`;
}

function toReads(rows: Row[], limit: number, taskOf: (id: string) => NamedTask | undefined): Page<Read> {
  return toPage(
    rows,
    limit,
    (row) => row.seq,
    ({ seq, at, type, actor, taskId, name }) => {
      const task = taskId === null ? undefined : taskOf(taskId);
      return {
        seq: Number(seq),
        at: at.toISOString(),
        kind: KINDS[type],
        by: actorSchema.parse(actor),
        task: task ? { id: task.id, label: task.label, tool: task.tool } : null,
        document: name,
      };
    },
  );
}

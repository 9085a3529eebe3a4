/**
 * Who looked at what of somebody's, out of the history: what a line of it says of a reader is kept there, and as long
 * as its details are (docs/event-log.md). A look at a request or a list leaves no line.
 */
import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import { allows } from "../../access/key-scope.ts";
import type { Principal } from "../../access/principal.ts";
import { readSequence, toPage } from "../../base/cursor.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import type { Page, PageQuery } from "../../base/page.ts";
import type { EventType } from "../../history/events/event-schema.ts";
import { REQUESTER } from "../../people/members/one-maker.ts";
import { requestedBy, visibleTask } from "../visibility.ts";
import type { Read, ReadKind } from "./access-log-schema.ts";

/**
 * Lists who looked at a task, newest first. Throws `not_found` for an invisible task, and `forbidden` for who neither
 * asked for it nor reads the organization's history.
 */
export async function listTaskReads(
  tx: Tx,
  principal: Principal,
  taskId: string,
  query: PageQuery,
): Promise<Page<Read>> {
  const [task] = await tx.$queryRaw<TaskRow[]>`
    SELECT t.id, t.label, t.tool, t.visibility = 'organization' AS "isOpen", t.created_at AS "createdAt",
      ${REQUESTER} AS "requesterId", ${requestedBy(principal)} AS "isOwn"
    FROM task t WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid
      AND ${visibleTask(principal)}`;
  if (!task) throw notFound("task");
  if (!task.isOwn && !allows(principal, "events:read"))
    throw new AppError("forbidden", "Who asked for the task, and admins, see who looked at it.");
  const since = Prisma.sql`AND e.at >= ${task.createdAt}`;
  const parts = [
    ofTasks(Prisma.sql`AND e.task_id = ${taskId}::uuid`),
    lines("tasks.exported", Prisma.sql`AND e.seq = ANY (ARRAY(SELECT exports_of_task(${taskId}::uuid)))`),
    lines("organization.export_begun", since),
    // The details of a private task are in the command line's export alone.
    lines("events.exported", task.isOpen ? since : Prisma.sql`${since} AND e.actor ->> 'kind' = 'system'`),
    // A view shows nothing private.
    ...(task.isOpen && task.requesterId ? [views(task.requesterId, since)] : []),
  ];
  return page(tx, parts, query, () => task);
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
 * Lists reads of a member's data, newest first, without the member's own reads: tasks that they started, and those of
 * requests that they answered or have; exports with such tasks in them; everything that left since they joined; and
 * views as them. Tasks that they may not see any more are left out, and deleted ones.
 */
export async function listOwnReads(
  tx: Tx,
  principal: Principal,
  userId: string,
  query: PageQuery,
): Promise<Page<Read>> {
  const member = await tx.membership.findFirst({
    where: { organizationId: tx.organizationId, userId },
    select: { createdAt: true },
  });
  if (!member) throw notFound("membership");
  const others = Prisma.sql`AND e.actor_id IS DISTINCT FROM ${userId}`;
  const since = Prisma.sql`${others} AND e.at >= ${member.createdAt}`;
  const own = ownTasks(tx.organizationId, userId, principal);
  const few = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM (${own}) own LIMIT ${MOST_ASKED_FOR + 1}`;
  const isFew = few.length <= MOST_ASKED_FOR;
  const reads = isFew
    ? [ofTasks(Prisma.sql`AND e.task_id = ANY (${few.map(({ id }) => id)}::uuid[]) ${others}`)]
    : // IS TRUE keeps the planner from asking for each of the tasks.
      READS_OF_TASKS.map((type) =>
        lines(type, Prisma.sql`AND (e.task_id IN (SELECT id FROM own)) IS TRUE ${others}`),
      );
  const parts = [
    ...reads,
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
  const first = isFew ? Prisma.empty : Prisma.sql`WITH own AS MATERIALIZED (${own})`;
  const rows = await readRows(tx, parts, query.limit, before, first);
  const ids = [...new Set(rows.flatMap(({ taskId }) => taskId ?? []))];
  for (const task of await tx.task.findMany({
    where: { organizationId: tx.organizationId, id: { in: ids } },
    select: { id: true, label: true, tool: true },
  }))
    tasks.set(task.id, task);
  return toReads(rows, query.limit, (taskId) => tasks.get(taskId));
}

/**
 * Ids of the tasks of which something is the member's. Who started one, or has a request of it, sees it; who answered
 * may not any more.
 */
function ownTasks(organizationId: string, userId: string, principal: Principal): Prisma.Sql {
  return Prisma.sql`SELECT t.id FROM task t
      WHERE t.organization_id = ${organizationId}::uuid AND t.requester_user_id = ${userId}::uuid
    UNION SELECT r.task_id FROM input_request r
      WHERE r.organization_id = ${organizationId}::uuid AND r.assignee_user_id = ${userId}::uuid
    UNION SELECT t.id FROM event e JOIN task t ON t.organization_id = e.organization_id AND t.id = e.task_id
      WHERE e.organization_id = ${organizationId}::uuid AND e.actor_id = ${userId} AND e.type = 'answer.recorded'
        AND ${visibleTask(principal)}`;
}

/** The lines of so many tasks are looked up one by one; of more, all reads are gone through, newest first. */
const MOST_ASKED_FOR = 2_000;

const KINDS = {
  "protocol.read": "protocol",
  "document.read": "document",
  "tasks.exported": "tasks_export",
  "organization.export_begun": "organization_export",
  "events.exported": "history_export",
  "member.view_begun": "view_as",
} as const satisfies Partial<Record<EventType, ReadKind>>;

const READS_OF_TASKS = ["protocol.read", "document.read"] as const;

/** Conditions on the alias `e`: the reads of tasks, and lines of one other type, which an index has in their order. */
function ofTasks(condition: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`e.type = ANY (${[...READS_OF_TASKS]}::text[]) ${condition}`;
}

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
  document: unknown;
}

async function page(
  tx: Tx,
  parts: Prisma.Sql[],
  { cursor, limit }: PageQuery,
  taskOf: (id: string) => NamedTask | undefined,
): Promise<Page<Read>> {
  return toReads(await readRows(tx, parts, limit, readSequence(cursor)), limit, taskOf);
}

function readRows(
  tx: Tx,
  parts: Prisma.Sql[],
  limit: number,
  before: bigint | null,
  first: Prisma.Sql = Prisma.empty,
): Promise<Row[]> {
  const earlier = before === null ? Prisma.empty : Prisma.sql`AND e.seq < ${before}`;
  const each = parts.map(
    (part) => Prisma.sql`(SELECT e.seq, e.at, e.type, e.actor, e.task_id AS "taskId",
      e.input_request_id AS "requestId", CASE WHEN e.type <> 'document.read' THEN NULL
        WHEN jsonb_exists(e.data, 'sealed') THEN e.data
        ELSE jsonb_build_object('name', e.data ->> 'name') END AS document
    FROM event e WHERE e.organization_id = ${tx.organizationId}::uuid AND ${part} ${earlier}
    ORDER BY e.seq DESC LIMIT ${limit + 1})`,
  );
  return tx.$queryRaw<Row[]>`${first} SELECT * FROM (${Prisma.join(each, " UNION ALL ")}) looked
    ORDER BY seq DESC LIMIT ${limit + 1}`;
}

const documentSchema = z.object({ name: z.string().nullable() }).nullable();

function toReads(rows: Row[], limit: number, taskOf: (id: string) => NamedTask | undefined): Page<Read> {
  return toPage(
    rows,
    limit,
    (row) => row.seq,
    ({ seq, at, type, actor, taskId, document }) => {
      const task = taskId === null ? undefined : taskOf(taskId);
      return {
        seq: Number(seq),
        at: at.toISOString(),
        kind: KINDS[type],
        by: actorSchema.parse(actor),
        task: task ? { id: task.id, label: task.label, tool: task.tool } : null,
        document: documentSchema.catch(null).parse(document)?.name ?? null,
      };
    },
  );
}

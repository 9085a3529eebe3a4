/** Reads a task's history, and the organization's with the names of its tasks. */
import type { Principal } from "../access/principal.ts";
import { readSequence, toPage } from "../base/cursor.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import type { Page, SearchedPage } from "../base/page.ts";
import { listEvents, readEvent } from "../history/events/event-reads.ts";
import type { EventQuery, EventType, ListedEvent, TaskEvent } from "../history/events/event-schema.ts";
import { PHASE_EVENTS, type PhaseEvent } from "./phases.ts";
import type { TaskEventQuery } from "./task-schema.ts";
import { ofHiddenTask, visibleTask } from "./visibility.ts";

/**
 * The organization's events, newest first, each with its task's name. Of a task that the principal may not see, an
 * event says no more than its type, actor and time, and is found by no more.
 */
export async function listOrganizationEvents(
  tx: Tx,
  principal: Principal,
  query: EventQuery,
): Promise<SearchedPage<ListedEvent>> {
  const { items, ...page } = await listEvents(tx, query, ofHiddenTask(principal));
  const ids = [...new Set(items.flatMap(({ taskId }) => taskId ?? []))];
  const rows = await tx.$queryRaw<{ id: string; label: string | null; tool: string; visible: boolean }[]>`
    SELECT t.id, t.label, t.tool, ${visibleTask(principal)} AS visible FROM task t
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ANY(${ids}::uuid[])`;
  const tasks = new Map(rows.map(({ id, ...task }) => [id, task]));
  // A private task may have been deleted since, and what its lines said with it: read again.
  const orphans = items.flatMap(({ seq, taskId }) => (taskId && !tasks.has(taskId) ? BigInt(seq) : []));
  const kept = await tx.event.findMany({
    where: { organizationId: tx.organizationId, seq: { in: orphans }, data: { not: Prisma.AnyNull } },
    select: { seq: true },
  });
  const readable = new Set(kept.map(({ seq }) => Number(seq)));
  return {
    items: items.map((event) => {
      const task = tasks.get(event.taskId ?? "");
      if (!task)
        return { ...event, task: null, ...(event.taskId && !readable.has(event.seq) && { data: {} }) };
      const { visible, ...named } = task;
      return visible ? { ...event, task: named } : { ...event, task: null, data: {} };
    }),
    ...page,
  };
}

const READS = ["protocol.read", "document.read"] satisfies EventType[];

/**
 * The task's events, oldest first unless asked otherwise. Reads are left out: who sees them is another matter
 * (access-log/access-log-reads.ts). The caller has checked that the task may be seen.
 */
export async function listTaskEvents(
  tx: Tx,
  taskId: string,
  query: TaskEventQuery,
): Promise<Page<TaskEvent>> {
  const after = readSequence(query.cursor);
  const newest = query.order === "newest";
  const rows = await tx.event.findMany({
    where: {
      organizationId: tx.organizationId,
      taskId,
      ...(after !== null && { seq: newest ? { lt: after } : { gt: after } }),
      type: { notIn: READS },
    },
    select: { seq: true, at: true, type: true, actor: true, taskId: true, inputRequestId: true, data: true },
    orderBy: { seq: newest ? "desc" : "asc" },
    take: query.limit + 1,
  });
  return toPage(rows, query.limit, (row) => row.seq, readEvent);
}

/** The newest events of a task that begin or end a phase, oldest first. `cut`: earlier ones exist. */
export async function listPhaseEvents(
  tx: Tx,
  taskId: string,
): Promise<{ events: PhaseEvent[]; cut: boolean }> {
  const rows = await tx.event.findMany({
    where: { organizationId: tx.organizationId, taskId, type: { in: [...PHASE_EVENTS] } },
    select: { type: true, at: true, inputRequestId: true },
    orderBy: { seq: "desc" },
    take: MOST_PHASE_EVENTS + 1,
  });
  return { events: rows.slice(0, MOST_PHASE_EVENTS).reverse(), cut: rows.length > MOST_PHASE_EVENTS };
}

const MOST_PHASE_EVENTS = 1_000;

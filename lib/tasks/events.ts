/** Reads a task's history. */
import { readSequence, toPage } from "../base/cursor.ts";
import type { Tx } from "../base/db/db.ts";
import type { Page } from "../base/page.ts";
import { readEvent } from "../events/queries.ts";
import type { EventType, TaskEvent } from "../events/schema.ts";
import { PHASE_EVENTS, type PhaseEvent } from "./phases.ts";
import type { TaskEventQuery } from "./schema.ts";

/**
 * The task's events, oldest first unless asked otherwise. Reads of the protocol are left out: they belong to
 * the organization's history. The caller has checked that the task may be seen.
 */
export async function listTaskEvents(
  organizationId: string,
  tx: Tx,
  taskId: string,
  query: TaskEventQuery,
): Promise<Page<TaskEvent>> {
  const after = readSequence(query.cursor);
  const newest = query.order === "newest";
  const rows = await tx.event.findMany({
    where: {
      organizationId,
      taskId,
      ...(after !== null && { seq: newest ? { lt: after } : { gt: after } }),
      type: { not: "protocol.read" satisfies EventType },
    },
    select: { seq: true, at: true, type: true, actor: true, inputRequestId: true, data: true },
    orderBy: { seq: newest ? "desc" : "asc" },
    take: query.limit + 1,
  });
  return toPage(rows, query.limit, (row) => row.seq, readEvent);
}

/** The newest events of a task that begin or end a phase, oldest first. `cut`: earlier ones exist. */
export async function listPhaseEvents(
  organizationId: string,
  tx: Tx,
  taskId: string,
): Promise<{ events: PhaseEvent[]; cut: boolean }> {
  const rows = await tx.event.findMany({
    where: { organizationId, taskId, type: { in: [...PHASE_EVENTS] } },
    select: { type: true, at: true, inputRequestId: true },
    orderBy: { seq: "desc" },
    take: MOST_PHASE_EVENTS + 1,
  });
  return { events: rows.slice(0, MOST_PHASE_EVENTS).reverse(), cut: rows.length > MOST_PHASE_EVENTS };
}

const MOST_PHASE_EVENTS = 1_000;

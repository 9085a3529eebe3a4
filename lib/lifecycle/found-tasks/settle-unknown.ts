/** A person's decision on a start of unknown outcome: which found task it made, or that it made none. */

import { actorWords } from "../../access/actor-words.ts";
import type { Principal } from "../../access/principal.ts";
import { contentOf } from "../../base/content/content-keys.ts";
import type { Tx } from "../../base/db/db.ts";
import { wakeEngine } from "../../base/engine-hints.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { publishChange } from "../../base/live-updates.ts";
import type { Seal } from "../../base/seal.ts";
import { appendEvents, type NewEvent } from "../../history/events/event-writes.ts";
import { closeRequest } from "../../requests/capture/close-request.ts";
import { visibleTask } from "../../tasks/visibility.ts";
import { endInRace } from "../races/race-writes.ts";
import { storedError } from "../task-write-helpers.ts";
import { holdConnection, refuseUnlessUnknown } from "./guards.ts";
import { resealed } from "./handle.ts";

const NOT_STARTED = "not_started";

/**
 * Settles a start of unknown outcome as `foundTaskId`, or as never started if null. Throws `not_found`,
 * `not_start_unknown`, `task_known`, `start_under_way`.
 */
export async function settleStart(
  tx: Tx,
  principal: Principal,
  seal: Seal,
  taskId: string,
  foundTaskId: string | null,
): Promise<void> {
  const task = await lockTask(tx, principal, taskId);
  if (task.state !== "start_unknown")
    throw new AppError("not_start_unknown", "The start of this task is no longer in doubt. Reload the page.");
  const events =
    foundTaskId === null
      ? await neverStarted(tx, principal, taskId)
      : await startedAs(tx, principal, seal, task, foundTaskId);
  // The other candidates belong to no start any more.
  await tx.foundTask.updateMany({
    where: { organizationId: tx.organizationId, taskId },
    data: { taskId: null },
  });
  await publishChange(tx, "task", [taskId]);
  await publishChange(tx, "server", [task.serverId]);
  await appendEvents(tx, [
    {
      type: "task.start_settled",
      actor: principal.actor,
      taskId,
      data: { started: foundTaskId !== null },
    },
    ...events,
  ]);
}

interface LockedTask {
  id: string;
  state: string;
  connectionId: string;
  serverId: string;
}

/** Locks the connection, then the task: the lock order everywhere. */
async function lockTask(tx: Tx, principal: Principal, taskId: string): Promise<LockedTask> {
  const rows = await tx.$queryRaw<{ connectionId: string }[]>`
    SELECT t.connection_id AS "connectionId" FROM task t
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid AND ${visibleTask(principal)}`;
  if (!rows[0]) throw notFound("task");
  await holdConnection(tx, rows[0].connectionId);
  const locked = await tx.$queryRaw<LockedTask[]>`
    SELECT id, state, connection_id AS "connectionId", server_id AS "serverId" FROM task
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid FOR NO KEY UPDATE`;
  if (!locked[0]) throw notFound("task");
  return locked[0];
}

async function startedAs(
  tx: Tx,
  principal: Principal,
  seal: Seal,
  task: LockedTask,
  foundTaskId: string,
): Promise<NewEvent[]> {
  const { organizationId } = tx;
  const { id, connectionId } = task;
  const where = { organizationId, connectionId, id: foundTaskId, OR: [{ taskId: null }, { taskId: id }] };
  const find = await tx.foundTask.findFirst({ where });
  if (!find) throw notFound("task on the server");
  await refuseUnlessUnknown(tx, connectionId, find);
  const sealed = resealed(organizationId, seal, find, id);
  mustChange(
    await tx.$executeRaw`
      UPDATE task SET state = 'working', watched = true, adopted = true, durable = true, error = NULL,
        sealed_request_state = NULL, sealed_handle = ${sealed.handle},
        sealed_session = ${sealed.session}, handle_digest = ${find.handleDigest}, era = '2025-11-25',
        status_message = ${contentOf(tx).text("task.status_message", id, find.statusMessage)}, started_at = coalesce(${find.serverCreatedAt}, now()),
        changed_at = now()
      WHERE organization_id = ${organizationId}::uuid AND id = ${id}::uuid AND state = 'start_unknown'`,
  );
  await tx.foundTask.deleteMany({ where: { organizationId, id: find.id } });
  await wakeEngine(tx, connectionId, id);
  return [{ type: "task.adopted", actor: principal.actor, taskId: id }];
}

async function neverStarted(tx: Tx, principal: Principal, taskId: string): Promise<NewEvent[]> {
  const error = {
    code: NOT_STARTED,
    message: `It never started, as ${actorWords(principal.actor)} found out.`,
  };
  const rows = await tx.$queryRaw<{ raceId: string | null }[]>`
      UPDATE task SET state = 'failed', watched = false, error = ${storedError(contentOf(tx), taskId, error)}::jsonb, finished_at = now(),
        changed_at = now()
      WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND state = 'start_unknown'
      RETURNING race_id AS "raceId"`;
  mustChange(rows.length);
  const raceId = rows[0]?.raceId ?? null;
  const requests = await tx.inputRequest.findMany({
    where: { organizationId: tx.organizationId, taskId, state: { in: ["open", "answered"] } },
    select: { id: true },
  });
  const events: NewEvent[] = [{ type: "task.failed", actor: principal.actor, taskId, data: error }];
  for (const { id } of requests) {
    const closed = await closeRequest(tx, taskId, id, "withdrawn", NOT_STARTED, {
      notTaken: true,
    });
    events.push(...closed.map((event) => ({ ...event, actor: principal.actor })));
  }
  events.push(...(await endInRace(tx, taskId, { raceId, succeeded: false })));
  return events;
}

function mustChange(count: number): void {
  if (count !== 1) throw new Error("a start was settled by another although its lock is held");
}

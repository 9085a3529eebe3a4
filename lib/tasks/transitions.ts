/**
 * All writes to tasks. Each carries the state it expects in its `where`; a count of 0 says that somebody else was
 * first. Lock order everywhere: connection, task, input request, delivery, chain head.
 */
import { createHash } from "node:crypto";
import { announce, wakeEngine } from "../changes/transitions.ts";
import { storable, type Tx } from "../db.ts";
import { AppError, notFound } from "../errors.ts";
import { appendEvents } from "../events/transitions.ts";
import { uuidv7 } from "../ids.ts";
import { withdrawOpenRequests } from "../input-requests/transitions.ts";
import type { Tool } from "../mcp/peer.ts";
import type { Principal } from "../principal.ts";
import { refuseBeyondQuota } from "./quota.ts";
import { labelOf } from "./status.ts";
import { visibleTask } from "./visibility.ts";

export interface NewTask {
  /** Chosen beforehand, so that a second one of the same can't be; else a new one. */
  id?: string;
  principal: Principal;
  server: { id: string };
  connectionId: string;
  tool: Tool;
  arguments: Record<string, unknown>;
  ttlMs: number | null;
  /** The caller's `Idempotency-Key`. */
  idempotencyKey: string | null;
  restartOf: string | null;
}

/**
 * Queues a task. With an idempotency key that was used before, the task of then (`created: false`), or
 * `idempotency_mismatch` where the body differs. Throws `quota_exceeded` for one more than may be.
 */
export async function createTask(
  organizationId: string,
  tx: Tx,
  input: NewTask,
): Promise<{ id: string; created: boolean }> {
  const digest = requestDigest(input);
  // The advisory lock makes two requests with one key wait for each other instead of failing on the unique index.
  if (input.idempotencyKey !== null) {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`${organizationId} ${input.idempotencyKey}`}, 0))`;
    const earlier = await tx.task.findFirst({
      where: { organizationId, idempotencyKey: input.idempotencyKey },
      select: { id: true, requestDigest: true },
    });
    if (earlier && Buffer.from(earlier.requestDigest ?? []).equals(digest))
      return { id: earlier.id, created: false };
    if (earlier)
      throw new AppError(
        "idempotency_mismatch",
        "This Idempotency-Key was used before, with another request.",
      );
  }
  const connection = await tx.connection.findFirstOrThrow({
    where: { organizationId, id: input.connectionId },
    select: { userId: true },
  });
  const id = input.id ?? uuidv7();
  await tx.task.create({
    data: {
      organizationId,
      id,
      serverId: input.server.id,
      connectionId: input.connectionId,
      tool: input.tool.name,
      toolHints: storable({
        annotations: input.tool.annotations,
        taskSupport: input.tool.taskSupport,
        honoursIdempotencyKey: input.tool.honoursIdempotencyKey,
        // Only a schema that sends arguments as headers is needed again at the call.
        inputSchema: JSON.stringify(input.tool.inputSchema).includes('"x-mcp-header"')
          ? input.tool.inputSchema
          : null,
      }),
      arguments: storable(input.arguments),
      label: labelOf(input.arguments),
      state: "queued",
      watched: true,
      visibility: connection.userId === null ? "organization" : "private",
      requestedBy: storable(input.principal.actor),
      requesterUserId: input.principal.userId,
      restartOf: input.restartOf,
      idempotencyKey: input.idempotencyKey,
      requestDigest: input.idempotencyKey === null ? null : Uint8Array.from(digest),
      requestedTtlMs: input.ttlMs,
    },
  });
  await tx.taskWatch.create({ data: { organizationId, taskId: id } });
  await announce(organizationId, tx, "task", [id]);
  await wakeEngine(tx, input.connectionId, id);
  await refuseBeyondQuota(organizationId, tx, input.principal);
  await appendEvents(organizationId, tx, [
    {
      type: "task.queued",
      actor: input.principal.actor,
      taskId: id,
      data: {
        tool: input.tool.name,
        serverId: input.server.id,
        ...(input.restartOf && { restartOf: input.restartOf }),
      },
    },
  ]);
  return { id, created: true };
}

function requestDigest(input: NewTask): Buffer {
  const body = [input.server.id, input.tool.name, input.arguments, input.ttlMs, input.restartOf];
  return createHash("sha256").update(JSON.stringify(body)).digest();
}

/**
 * Asks for a task's end. A queued one ends at once; any other keeps running until the engine has told the server.
 * From here on nothing can be answered any more. Repeating it changes nothing.
 */
export async function requestCancel(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  taskId: string,
): Promise<void> {
  const task = await lockVisibleTask(organizationId, tx, principal, taskId);
  if (task.cancelRequestedAt) return;
  if (task.state === "queued") {
    await tx.$executeRaw`UPDATE task SET state = 'cancelled', watched = false, cancel_requested_at = now(),
        cancel_requested_by = ${JSON.stringify(principal.actor)}::jsonb, changed_at = now(), finished_at = now()
      WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND state = 'queued'`;
    await announce(organizationId, tx, "task", [taskId]);
    await appendEvents(organizationId, tx, [{ type: "task.cancelled", actor: principal.actor, taskId }]);
    return;
  }
  if (!["starting", "working", "input_required"].includes(task.state))
    throw new AppError("task_ended", "The task has ended already; there is nothing to cancel.");
  await tx.$executeRaw`UPDATE task SET cancel_requested_at = now(),
      cancel_requested_by = ${JSON.stringify(principal.actor)}::jsonb
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid`;
  const events = await withdrawOpenRequests(organizationId, tx, taskId, "task_cancelled", principal.actor);
  await announce(organizationId, tx, "task", [taskId]);
  await wakeEngine(tx, task.connectionId, taskId);
  await appendEvents(organizationId, tx, [
    { type: "task.cancel_requested", actor: principal.actor, taskId },
    ...events,
  ]);
}

/** Has the watcher look at the task now. */
export async function requestRefresh(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  taskId: string,
): Promise<void> {
  const task = await lockVisibleTask(organizationId, tx, principal, taskId);
  await tx.taskWatch.updateMany({
    where: { organizationId, taskId },
    data: { refreshRequestedAt: new Date() },
  });
  await wakeEngine(tx, task.connectionId, taskId);
}

async function lockVisibleTask(organizationId: string, tx: Tx, principal: Principal, taskId: string) {
  const rows = await tx.$queryRaw<{ state: string; connectionId: string; cancelRequestedAt: Date | null }[]>`
    SELECT t.state, t.connection_id AS "connectionId", t.cancel_requested_at AS "cancelRequestedAt" FROM task t
    WHERE t.organization_id = ${organizationId}::uuid AND t.id = ${taskId}::uuid AND ${visibleTask(principal)}
    FOR NO KEY UPDATE OF t`;
  if (!rows[0]) throw notFound("task");
  return rows[0];
}

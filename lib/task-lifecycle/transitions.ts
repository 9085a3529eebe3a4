/**
 * Writes of people to tasks (start, cancel, refresh), and the cancel of a race's losers. The engine's writes
 * are in attempts.ts, progress.ts and retry.ts; tasks found in a server's list are in lib/tasks/found. Each
 * write expects a state; a count of 0 means that another write came first. Lock order everywhere: connection
 * (and its server, lib/servers/locks.ts), task, input request, delivery, chain head.
 */
import { createHash } from "node:crypto";
import type { Principal } from "../access/principal.ts";
import type { Actor } from "../access/schema.ts";
import { contentOf } from "../base/db/content-keys.ts";
import { Prisma, storable, type Tx } from "../base/db/db.ts";
import { AppError, notFound } from "../base/errors.ts";
import { uuidv7 } from "../base/ids.ts";
import { scope } from "../base/scope.ts";
import { appendEvents, ENGINE_ACTOR, type NewEvent } from "../events/transitions.ts";
import { withdrawOpenRequests } from "../input-requests/transitions.ts";
import { publishChange, wakeEngine } from "../live-updates/transitions.ts";
import type { Tool } from "../mcp/peer.ts";
import { endInRace } from "../tasks/races/ending.ts";
import type { ConnectionKind, Retry } from "../tasks/schema.ts";
import { isRepeatable, labelOf } from "../tasks/status.ts";
import { visibleTask } from "../tasks/visibility.ts";
import { currentTraceparent } from "../tracing/span.ts";
import { findEarlier } from "./idempotency.ts";
import { refuseBeyondQuota } from "./quota.ts";
import { refuseOtherConnection } from "./same-connection.ts";

export interface NewTask {
  /** An id chosen in advance to prevent duplicates; a new one by default. */
  id?: string;
  principal: Principal;
  server: { id: string };
  connectionId: string;
  /** The connection is a member's own, and so is the task; read from the connection by default. */
  isPrivate?: boolean;
  tool: Tool;
  arguments: Record<string, unknown>;
  ttlMs: number | null;
  /** The caller's `Idempotency-Key`. */
  idempotencyKey: string | null;
  restartOf: string | null;
  /** The connection that the caller has agreed to, if it is another than that of the restarted task. */
  acknowledgeConnectionChange?: ConnectionKind | undefined;
  /** Retry plan for failures. */
  retry?: Retry | null;
  /** The race that the task belongs to, whose row exists already. */
  raceId?: string;
}

/**
 * Queues a task. With an idempotency key that the caller used before, returns that task (`created: false`). Throws
 * `idempotency_mismatch` if the body differs, `connection_changed`, and `quota_exceeded`.
 */
export async function createTask(
  organizationId: string,
  tx: Tx,
  input: NewTask,
): Promise<{ id: string; created: boolean }> {
  if (input.idempotencyKey !== null) {
    const earlier = await findEarlier(
      organizationId,
      tx,
      "task",
      input.principal.actor,
      input.idempotencyKey,
    );
    if (earlier && isSameDigest(tx, requestDigest(input), earlier.requestDigest))
      return { id: earlier.id, created: false };
    if (earlier)
      throw new AppError(
        "idempotency_mismatch",
        "This Idempotency-Key was used before, with another request.",
      );
  }
  const { restartOf, connectionId, acknowledgeConnectionChange: acknowledged } = input;
  if (restartOf !== null) {
    await lockForRestart(organizationId, tx, restartOf);
    await refuseOtherConnection(organizationId, tx, restartOf, connectionId, acknowledged);
  }
  const { id, event } = await insertTask(organizationId, tx, input);
  await refuseBeyondQuota(organizationId, tx, input.principal, 1);
  await appendEvents(organizationId, tx, [event]);
  return { id, created: true };
}

/** Makes restarts of one task wait for each other: its foreign key alone would let them pass. */
export async function lockForRestart(organizationId: string, tx: Tx, taskId: string): Promise<void> {
  await tx.$queryRaw`SELECT FROM task
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid FOR NO KEY UPDATE`;
}

/**
 * Inserts a queued task and returns the first line of its history. The caller then checks the quota and
 * appends the lines, once for all tasks of the transaction.
 */
export async function insertTask(
  organizationId: string,
  tx: Tx,
  input: NewTask,
): Promise<{ id: string; event: NewEvent }> {
  const isPrivate = input.isPrivate ?? (await isOwn(organizationId, tx, input.connectionId));
  const { retry = null } = input;
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
      visibility: isPrivate ? "private" : "organization",
      requestedBy: storable(input.principal.actor),
      requesterUserId: input.principal.userId,
      restartOf: input.restartOf,
      idempotencyKey: input.idempotencyKey,
      requestDigest: input.idempotencyKey === null ? null : storedDigest(tx, requestDigest(input)),
      requestedTtlMs: input.ttlMs,
      raceId: input.raceId ?? null,
      ...(retry && { attempts: retry.attempts, retryBackoffMs: retry.backoffMs, retryErrors: retry.errors }),
      requestId: scope().requestId,
      traceparent: currentTraceparent(),
    },
  });
  await tx.$executeRaw`INSERT INTO task_watch (organization_id, task_id)
    VALUES (${organizationId}::uuid, ${id}::uuid)`;
  await wakeEngine(tx, input.connectionId, id);
  // The page of the restarted task links to the new one.
  await publishChange(organizationId, tx, "task", input.restartOf === null ? [id] : [id, input.restartOf]);
  const event: NewEvent = {
    type: "task.queued",
    actor: input.principal.actor,
    taskId: id,
    data: {
      tool: input.tool.name,
      serverId: input.server.id,
      ...(input.restartOf && { restartOf: input.restartOf }),
      ...(input.raceId && { raceId: input.raceId }),
      ...(retry && { retry: { ...retry, insist: retry.insist && !isRepeatable(input.tool.annotations) } }),
    },
  };
  return { id, event };
}

async function isOwn(organizationId: string, tx: Tx, connectionId: string): Promise<boolean> {
  const { userId } = await tx.connection.findFirstOrThrow({
    where: { organizationId, id: connectionId },
    select: { userId: true },
  });
  return userId !== null;
}

/** A digest of content as it is stored: keyed where the organization seals. */
export function storedDigest(tx: Tx, digest: Buffer): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(contentOf(tx).hash(digest.toString("hex")), "hex"));
}

export function isSameDigest(tx: Tx, digest: Buffer, stored: Uint8Array | null): boolean {
  const known = Buffer.from(stored ?? []).toString("hex");
  return contentOf(tx).hashes(digest.toString("hex")).includes(known);
}

function requestDigest({ server, tool, arguments: args, ttlMs, restartOf, retry }: NewTask): Buffer {
  const body = [server.id, tool.name, args, ttlMs, restartOf, ...(retry ? [retry] : [])];
  return createHash("sha256").update(JSON.stringify(body)).digest();
}

/**
 * Requests a task's cancellation. A queued task ends at once; any other runs until the engine has told the
 * server. Its open requests are withdrawn at once. Idempotent.
 */
export async function requestCancel(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  taskId: string,
): Promise<void> {
  const task = await lockVisibleTask(organizationId, tx, principal, taskId);
  if (task.cancelRequestedAt) return;
  if (!CANCELLABLE.has(task.state))
    throw new AppError("task_ended", "The task has ended already; there is nothing to cancel.");
  await cancelLocked(organizationId, tx, task, principal.actor, {});
}

const CANCELLABLE = new Set(["queued", "starting", "working", "input_required"]);

/** Cancels a task on the engine's account because its race is decided. Does nothing if the task has ended. */
export async function cancelLoser(
  organizationId: string,
  tx: Tx,
  taskId: string,
  race: { raceId: string; winnerTaskId: string | null },
): Promise<void> {
  const [task] = await tx.$queryRaw<LockedTask[]>`SELECT ${LOCKED} FROM task t
    WHERE t.organization_id = ${organizationId}::uuid AND t.id = ${taskId}::uuid FOR NO KEY UPDATE`;
  if (!task || task.cancelRequestedAt || !CANCELLABLE.has(task.state)) return;
  await cancelLocked(organizationId, tx, task, ENGINE_ACTOR, race);
}

/** Cancels a locked task that is cancellable. `data` goes into the history. */
async function cancelLocked(
  organizationId: string,
  tx: Tx,
  task: LockedTask,
  actor: Actor,
  data: Record<string, unknown>,
): Promise<void> {
  const { id: taskId, raceId } = task;
  const by = JSON.stringify(actor);
  await publishChange(organizationId, tx, "task", [taskId]);
  if (task.state === "queued") {
    await tx.$executeRaw`UPDATE task SET state = 'cancelled', watched = false, cancel_requested_at = now(),
        cancel_requested_by = ${by}::jsonb, changed_at = now(), finished_at = now()
      WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND state = 'queued'`;
    const decided = await endInRace(organizationId, tx, taskId, { raceId, succeeded: false });
    await appendEvents(organizationId, tx, [{ type: "task.cancelled", actor, taskId, data }, ...decided]);
    return;
  }
  await tx.$executeRaw`UPDATE task SET cancel_requested_at = now(), cancel_requested_by = ${by}::jsonb
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid`;
  const events = await withdrawOpenRequests(organizationId, tx, taskId, "task_cancelled", actor);
  await wakeEngine(tx, task.connectionId, taskId);
  await appendEvents(organizationId, tx, [{ type: "task.cancel_requested", actor, taskId, data }, ...events]);
}

/** Makes the engine poll the task now. */
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

interface LockedTask {
  id: string;
  state: string;
  connectionId: string;
  cancelRequestedAt: Date | null;
  raceId: string | null;
}
const LOCKED = Prisma.sql`t.id, t.state, t.connection_id AS "connectionId", t.cancel_requested_at AS "cancelRequestedAt",
  t.race_id AS "raceId"`;

async function lockVisibleTask(organizationId: string, tx: Tx, principal: Principal, taskId: string) {
  const rows = await tx.$queryRaw<LockedTask[]>`
    SELECT ${LOCKED} FROM task t
    WHERE t.organization_id = ${organizationId}::uuid AND t.id = ${taskId}::uuid AND ${visibleTask(principal)}
    FOR NO KEY UPDATE OF t`;
  if (!rows[0]) throw notFound("task");
  return rows[0];
}

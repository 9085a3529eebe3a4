/**
 * Writes of people to tasks (start, cancel, refresh), and the cancel of a race's losers. The engine's writes
 * are in call-attempt-writes.ts, running-task-writes.ts, end-task.ts and retry-task.ts; found tasks are in found-tasks/. Each
 * write expects a state; a count of 0 means that another write came first. Lock order everywhere: connection
 * (and its server, lib/servers/locks.ts), task, input request, delivery, chain head.
 */
import { createHash } from "node:crypto";
import type { Actor } from "../access/access-schema.ts";
import { agentOf, type Principal } from "../access/principal.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { wakeEngine } from "../base/engine-hints.ts";
import { AppError, notFound } from "../base/errors.ts";
import { uuidv7 } from "../base/ids.ts";
import { publishChange } from "../base/live-updates.ts";
import { scope } from "../base/process/scope.ts";
import { currentTraceparent } from "../base/tracing/span.ts";
import { appendEvents, ENGINE_ACTOR, type NewEvent } from "../history/events/event-writes.ts";
import type { Tool } from "../mcp/peer.ts";
import { judgeCall } from "../policy/call-rules/judge-call.ts";
import { withdrawOpenRequests } from "../requests/capture/close-request.ts";
import {
  type Cover,
  passByStandingApproval,
} from "../requests/standing-approvals/standing-approval-writes.ts";
import type { ConnectionKind, Retry } from "../tasks/task-schema.ts";
import { isRepeatable, labelOf } from "../tasks/task-status.ts";
import { visibleTask } from "../tasks/visibility.ts";
import { askBefore, type Gate, gateColumns, refuseWithoutApprover } from "./call-approval-question.ts";
import { findEarlier, storedDigest } from "./idempotency.ts";
import { insertTaskRow, storedContent } from "./insert-task-row.ts";
import { endInRace } from "./races/race-writes.ts";
import { refuseOtherConnection } from "./restart-connection.ts";
import { refuseBeyondQuota } from "./start-quota.ts";

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
  /** A person has to approve the call first, also where no rule says so. */
  gate?: Gate | null;
}

/**
 * Queues a task. With an idempotency key that the caller used before, returns that task (`created: false`). `read` reads
 * what is to be shown of it, in here, since appending the history locks its head for all others until the commit. Throws
 * `idempotency_mismatch` if the body differs, `connection_changed`, `denied_by_rule`, and `quota_exceeded`.
 */
export async function createTask<T = undefined>(
  tx: Tx,
  input: NewTask,
  read: (id: string) => Promise<T | undefined> = async () => undefined,
): Promise<{ id: string; created: boolean; task: T }> {
  const { actor } = input.principal;
  const earlier = await findEarlier(tx, "task", actor, input.idempotencyKey, requestDigest(input));
  if (earlier !== null) return { id: earlier, created: false, task: (await read(earlier)) as T };
  const { restartOf, connectionId, acknowledgeConnectionChange: acknowledged } = input;
  if (restartOf !== null) {
    await lockForRestart(tx, restartOf);
    await refuseOtherConnection(tx, restartOf, connectionId, acknowledged);
  }
  const isPrivate = input.isPrivate ?? (await isOwn(tx, connectionId));
  const id = input.id ?? uuidv7();
  const asked = await gateOf(tx, { ...input, isPrivate });
  const cover = asked && (await coverOf(tx, input, asked));
  const gate = cover ? null : asked;
  const { events } = await insertTask(tx, { ...input, id, isPrivate, gate, cover });
  await refuseBeyondQuota(tx, input.principal, 1);
  const task = await read(id);
  await appendEvents(tx, events);
  return { id, created: true, task: task as T };
}

/** Makes restarts of one task wait for each other: its foreign key alone would let them pass. */
export async function lockForRestart(tx: Tx, taskId: string): Promise<void> {
  await tx.$queryRaw`SELECT FROM task
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid FOR NO KEY UPDATE`;
}

/**
 * Inserts a queued task and, where its call has to be approved (`gate`), the question (`askBefore()`). Returns the first lines of its
 * history. The caller then checks the quota and appends the lines, once for all tasks of the transaction.
 */
export async function insertTask(
  tx: Tx,
  input: NewTask & { isPrivate: boolean; gate: Gate | null; cover?: Cover | null },
): Promise<{ id: string; events: NewEvent[] }> {
  const { retry = null, gate, cover = null, tool, server, connectionId, principal } = input;
  const id = input.id ?? uuidv7();
  const call = { serverId: server.id, tool: tool.name, arguments: input.arguments };
  await insertTaskRow(
    tx,
    {
      ...{ id, connectionId, serverId: server.id, tool: tool.name, toolHints: hintsOf(tool) },
      ...storedContent(tx, id, input.arguments, labelOf(input.arguments)),
      recipeVersion: tool.recipe?.version ?? null,
      state: "queued",
      // No engine learns of a call that is not approved: it is not watched.
      watched: gate === null,
      visibility: input.isPrivate ? "private" : "organization",
      requestedBy: principal.actor,
      requesterUserId: principal.userId,
      agentId: agentOf(principal),
      gate: gate && (await gateColumns(tx, gate, call)),
      retry,
      restartOf: input.restartOf,
      raceId: input.raceId ?? null,
      standingApprovalId: cover?.standingApprovalId ?? null,
      idempotencyKey: input.idempotencyKey,
      requestDigest: input.idempotencyKey === null ? null : storedDigest(tx, requestDigest(input)),
      requestedTtlMs: input.ttlMs,
      requestId: scope().requestId,
      traceparent: currentTraceparent(),
    },
    Prisma.sql`clock_timestamp()`,
  );
  if (!gate) await wakeEngine(tx, connectionId, id);
  // The page of the restarted task links to the new one.
  await publishChange(tx, "task", input.restartOf === null ? [id] : [id, input.restartOf]);
  const event: NewEvent = {
    type: "task.queued",
    actor: principal.actor,
    taskId: id,
    data: {
      tool: tool.name,
      serverId: server.id,
      ...(input.restartOf && { restartOf: input.restartOf }),
      ...(input.raceId && { raceId: input.raceId }),
      ...(retry && { retry: { ...retry, insist: retry.insist && !isRepeatable(tool.annotations) } }),
      ...(gate && { gate: gate.rule && { name: gate.rule.name, version: gate.rule.version } }),
    },
  };
  if (cover) {
    const { standingApprovalId, by } = cover;
    const data = { standingApprovalId, by };
    return {
      id,
      events: [event, { type: "standing_approval.used", actor: principal.actor, taskId: id, data }],
    };
  }
  if (!gate) return { id, events: [event] };
  const task = { id, connectionId, tool: tool.name, arguments: input.arguments };
  return { id, events: [event, await askBefore(tx, task, gate, principal.actor)] };
}

/** What the call needs to know of its tool, however the server lists it by then. */
function hintsOf(tool: Tool): Record<string, unknown> {
  const { annotations, taskSupport, honoursIdempotencyKey, inputSchema, calls } = tool;
  return {
    ...{ annotations, taskSupport, honoursIdempotencyKey },
    // Only a schema that sends arguments as headers is needed again at the call.
    inputSchema: JSON.stringify(inputSchema).includes('"x-mcp-header"') ? inputSchema : null,
    ...(calls && { calls }),
  };
}

/** Returns what a call has to wait for: by the rules, by an agent's grant, or by the caller's own wish. Throws `denied_by_rule`. */
export async function gateOf(tx: Tx, input: NewTask & { isPrivate: boolean }): Promise<Gate | null> {
  const call = { serverId: input.server.id, tool: input.tool, arguments: input.arguments };
  const gate = (await judgeCall(tx, input.principal, call)) ?? input.gate ?? null;
  if (gate) await refuseWithoutApprover(tx, gate, input.isPrivate);
  return gate;
}

/** What lets a call pass that has to be approved. A tool that changed, and a rule that can't be read, ask each time. */
function coverOf(tx: Tx, { principal, server, tool, arguments: args }: NewTask, { why, message }: Gate) {
  if (why !== "rule" && why !== "grant") return null;
  return passByStandingApproval(
    tx,
    principal,
    { serverId: server.id, tool: tool.name, arguments: args },
    message,
  );
}

async function isOwn(tx: Tx, connectionId: string): Promise<boolean> {
  const { userId } = await tx.connection.findFirstOrThrow({
    where: { organizationId: tx.organizationId, id: connectionId },
    select: { userId: true },
  });
  return userId !== null;
}

function requestDigest({ server, tool, arguments: args, ttlMs, restartOf, retry }: NewTask): Buffer {
  const body = [server.id, tool.name, args, ttlMs, restartOf, ...(retry ? [retry] : [])];
  return createHash("sha256").update(JSON.stringify(body)).digest();
}

/**
 * Requests a task's cancellation. A queued task, and one of the built-in server, ends at once; any other runs until the
 * engine has told the server. Its open requests are withdrawn at once. Idempotent.
 */
export async function requestCancel(tx: Tx, principal: Principal, taskId: string): Promise<void> {
  const task = await lockVisibleTask(tx, principal, taskId);
  if (task.cancelRequestedAt) return;
  if (!CANCELLABLE.has(task.state))
    throw new AppError("task_ended", "The task has ended already; there is nothing to cancel.");
  await cancelLocked(tx, task, principal.actor, {});
}

const CANCELLABLE = new Set(["queued", "starting", "working", "input_required"]);

/** Cancels a task on the engine's account because its race is decided. Does nothing if the task has ended. */
export async function cancelLoser(
  tx: Tx,
  taskId: string,
  race: { raceId: string; winnerTaskId: string | null },
): Promise<void> {
  await cancelIfRunning(tx, taskId, ENGINE_ACTOR, race);
}

/** Cancels a task as a rule of the policy says, whose time is over. Does nothing if the task has ended. */
export async function cancelByRule(
  tx: Tx,
  taskId: string,
  { rule, version, after }: { rule: string; version: number; after: string },
): Promise<void> {
  const actor = { ...ENGINE_ACTOR, name: `Rule “${rule}”, version ${version}` };
  await cancelIfRunning(tx, taskId, actor, { rule, version, after });
}

async function cancelIfRunning(
  tx: Tx,
  taskId: string,
  actor: Actor,
  data: Record<string, unknown>,
): Promise<void> {
  const [task] = await tx.$queryRaw<LockedTask[]>`SELECT ${LOCKED} FROM task t
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid FOR NO KEY UPDATE`;
  if (!task || task.cancelRequestedAt || !CANCELLABLE.has(task.state)) return;
  await cancelLocked(tx, task, actor, data);
}

/** Cancels a task that no engine has started yet. Does nothing otherwise. */
export async function cancelUnsent(
  tx: Tx,
  taskId: string,
  actor: Actor,
  data: Record<string, unknown>,
): Promise<void> {
  const [task] = await tx.$queryRaw<LockedTask[]>`SELECT ${LOCKED} FROM task t
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid FOR NO KEY UPDATE`;
  if (task?.state === "queued") await cancelLocked(tx, task, actor, data);
}

/** Cancels a locked task that is cancellable. `data` goes into the history. */
async function cancelLocked(
  tx: Tx,
  task: LockedTask,
  actor: Actor,
  data: Record<string, unknown>,
): Promise<void> {
  const { id: taskId, raceId } = task;
  const by = JSON.stringify(actor);
  await publishChange(tx, "task", [taskId]);
  if (task.state === "queued" || task.builtin) {
    await tx.$executeRaw`UPDATE task SET state = 'cancelled', watched = false, cancel_requested_at = now(),
        cancel_requested_by = ${by}::jsonb, changed_at = now(), finished_at = now(),
        gate = CASE WHEN gate = 'waiting' THEN 'withdrawn' ELSE gate END
      WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND state = ${task.state}`;
    const withdrawn =
      task.builtin || task.gate === "waiting"
        ? await withdrawOpenRequests(tx, taskId, "task_cancelled", actor)
        : [];
    const decided = await endInRace(tx, taskId, { raceId, succeeded: false });
    const cancelled = { type: "task.cancelled" as const, actor, taskId, data };
    await appendEvents(tx, [...withdrawn, cancelled, ...decided]);
    return;
  }
  await tx.$executeRaw`UPDATE task SET cancel_requested_at = now(), cancel_requested_by = ${by}::jsonb
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid`;
  const events = await withdrawOpenRequests(tx, taskId, "task_cancelled", actor);
  await wakeEngine(tx, task.connectionId, taskId);
  await appendEvents(tx, [{ type: "task.cancel_requested", actor, taskId, data }, ...events]);
}

/** Makes the engine poll the task now. */
export async function requestRefresh(tx: Tx, principal: Principal, taskId: string): Promise<void> {
  const task = await lockVisibleTask(tx, principal, taskId);
  await tx.taskWatch.updateMany({
    where: { organizationId: tx.organizationId, taskId },
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
  builtin: boolean;
  gate: string | null;
}
const LOCKED = Prisma.sql`t.id, t.state, t.connection_id AS "connectionId", t.cancel_requested_at AS "cancelRequestedAt",
  t.race_id AS "raceId", t.builtin, t.gate`;

async function lockVisibleTask(tx: Tx, principal: Principal, taskId: string) {
  const rows = await tx.$queryRaw<LockedTask[]>`
    SELECT ${LOCKED} FROM task t
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid AND ${visibleTask(principal)}
    FOR NO KEY UPDATE OF t`;
  if (!rows[0]) throw notFound("task");
  return rows[0];
}

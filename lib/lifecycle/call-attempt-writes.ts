/**
 * The engine's writes to tasks whose call is being made. The caller holds the connection's fence, except to
 * store a call's outcome, which is true whichever engine has the lease. Each write expects a state and, if
 * there is one, an attempt.
 */

import { contentOf } from "../base/content/content-keys.ts";
import { Prisma, storable, type Tx } from "../base/db/db.ts";
import { wakeEngine } from "../base/engine-hints.ts";
import { publishChange } from "../base/live-updates.ts";
import type { Era, RemoteTask } from "../mcp/peer.ts";
import { connectionsToSameServer } from "../servers/connections/connection-reads.ts";
import { isRemoved } from "../servers/recipes/recipe-reads.ts";
import { endTask } from "./end-task.ts";
import { endInRace } from "./races/race-writes.ts";
import { record, storedError, text, wholeMs } from "./task-write-helpers.ts";
import { timeLimit } from "./time-limit.ts";

export interface Attempt {
  id: string;
  deadlineMs: number;
  sealedSession: string | null;
}

/** `repeats`: the attempt before it may have run at the server. */
const attemptColumns = ({ id, deadlineMs, sealedSession }: Attempt, repeats = false) =>
  Prisma.sql`attempt_id = ${id}::uuid, attempt_at = now(), sealed_session = ${sealedSession},
    attempt_repeats = ${repeats}, attempt_deadline_at = now() + ${deadlineMs} * interval '1 ms'`;

/**
 * Commits the first attempt before its call. Returns false if the task is not queued, not due, or cancelled, or its call
 * is not approved.
 */
export async function markStarting(
  tx: Tx,
  taskId: string,
  attempt: Attempt & { era: Era },
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET state = 'starting', ${attemptColumns(attempt)}, era = ${attempt.era}, error = NULL,
      changed_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND state = 'queued'
      AND cancel_requested_at IS NULL AND (start_after IS NULL OR start_after <= now())
      AND (gate IS NULL OR gate = 'approved')`;
  if (marked !== 1) return false;
  await record(tx, taskId, [{ type: "task.starting", data: { attempt: attempt.id } }]);
  return true;
}

/** As `markStarting`, of a recipe's task. Ends the task instead if the recipe was removed while it was queued. */
export async function markStartingOfRecipe(
  tx: Tx,
  taskId: string,
  attempt: Attempt & { era: Era },
): Promise<boolean> {
  if (!(await markStarting(tx, taskId, attempt))) return false;
  if (!(await isRemoved(tx, taskId))) return true;
  const message = "The recipe was removed before the task was started. Nothing was called.";
  await endTask(tx, taskId, { state: "failed", error: { code: "recipe_removed", message } });
  return false;
}

/**
 * Commits another attempt at a repeatable call, whose last outcome does not matter. Returns false if the last
 * attempt is no longer current.
 */
export async function renewAttempt(tx: Tx, taskId: string, last: string, attempt: Attempt): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET ${attemptColumns(attempt, true)}
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND state = 'starting'
      AND attempt_id = ${last}::uuid`;
  if (marked !== 1) return false;
  await record(tx, taskId, [{ type: "task.starting", data: { attempt: attempt.id, repeats: last } }]);
  return true;
}

/**
 * Queues the task again because the call did not reach the server, or ends it if a cancel came meanwhile. Returns false if the
 * attempt is not the current one, or repeats one that may have run: the outcome stays unknown then.
 */
export async function markNotStarted(
  tx: Tx,
  taskId: string,
  attemptId: string,
  why: { code: string; message: string },
): Promise<boolean> {
  const rows = await tx.$queryRaw<{ state: string; raceId: string | null }[]>`
    UPDATE task SET error = ${storedError(contentOf(tx), taskId, why)}::jsonb, changed_at = now(), attempt_id = NULL,
      state = CASE WHEN cancel_requested_at IS NULL THEN 'queued' ELSE 'cancelled' END,
      watched = (cancel_requested_at IS NULL),
      finished_at = CASE WHEN cancel_requested_at IS NULL THEN NULL ELSE now() END
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND state = 'starting'
      AND attempt_id = ${attemptId}::uuid AND NOT attempt_repeats RETURNING state, race_id AS "raceId"`;
  if (!rows[0]) return false;
  const { state, raceId } = rows[0];
  const data = { code: why.code, message: why.message };
  if (state === "queued") await record(tx, taskId, [{ type: "task.not_started", data }]);
  else {
    const decided = await endInRace(tx, taskId, { raceId, succeeded: false });
    await record(tx, taskId, [{ type: "task.cancelled", data }, ...decided]);
  }
  return true;
}

/** Stores why a queued task waits, as for an unreachable server. */
export async function noteWaiting(
  tx: Tx,
  taskId: string,
  why: { code: string; message: string },
): Promise<void> {
  const reason = storedError(contentOf(tx), taskId, why);
  const noted = await tx.$executeRaw`UPDATE task SET error = ${reason}::jsonb
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND state = 'queued'
      AND error IS DISTINCT FROM ${reason}::jsonb`;
  if (noted === 1) await publishChange(tx, "task", [taskId]);
}

/**
 * Stores the handle of the task that the server made. The next step applies the server's status. `adopted`:
 * the call's reply was lost and the task was found in the server's list. Returns false if nobody awaits this attempt's
 * outcome. With `onlyStarting`, also false if an open call awaits it.
 */
export async function markStarted(
  tx: Tx,
  taskId: string,
  attemptId: string,
  remote: RemoteTask,
  sealed: { handle: string; digest: Buffer; session: string | null },
  { adopted = false, onlyStarting = false } = {},
): Promise<boolean> {
  const startedAt = madeAt(remote.createdAt, adopted);
  const statusMessage = contentOf(tx).text("task.status_message", taskId, text(remote.statusMessage));
  const marked = await tx.$executeRaw`
    UPDATE task t SET state = 'working', sealed_handle = ${sealed.handle}, sealed_session = ${sealed.session},
      handle_digest = ${sealed.digest}, durable = true, adopted = ${adopted}, sealed_request_state = NULL,
      error = NULL, started_at = ${startedAt}, changed_at = now(), ttl_ms = ${remote.ttlMs}::bigint,
      status_message = ${statusMessage}, poll_interval_ms = ${wholeMs(remote.pollIntervalMs)}::integer,
      expires_at = ${timeLimit(startedAt, Prisma.sql`${remote.ttlMs}::float8`)}
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND attempt_id = ${attemptId}::uuid
      AND (state = 'starting' OR (${!onlyStarting} AND state IN ('working', 'input_required') AND NOT durable))`;
  if (marked !== 1) return false;
  await record(tx, taskId, [
    {
      type: adopted ? "task.adopted" : "task.started",
      data: { statusMessage: remote.statusMessage, ttlMs: remote.ttlMs },
    },
  ]);
  return true;
}

/**
 * Returns when the server made the task, from which its ttl counts. The server's own time is limited to the
 * span from the attempt to now, because its clock may be wrong. Without one, counts from now, or from the
 * attempt for a task found later.
 */
function madeAt(createdAt: string | null, adopted: boolean): Prisma.Sql {
  const ms = createdAt === null ? Number.NaN : Date.parse(createdAt);
  if (Number.isNaN(ms)) return adopted ? Prisma.sql`attempt_at` : Prisma.sql`now()`;
  return Prisma.sql`least(now(), greatest(attempt_at, to_timestamp(${Math.max(0, ms) / 1000}::float8)))`;
}

/** Marks a call that takes longer than making a task as an open call, which ends with its connection. */
export async function markOpenCall(
  tx: Tx,
  taskId: string,
  attemptId: string,
  sealedSession: string | null,
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET state = 'working', durable = false, started_at = now(), changed_at = now(), error = NULL,
      sealed_session = ${sealedSession}
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND state = 'starting'
      AND attempt_id = ${attemptId}::uuid`;
  if (marked !== 1) return false;
  await record(tx, taskId, [{ type: "task.started", data: { durable: false } }]);
  return true;
}

/**
 * Makes an open call that broke off and may be repeated a start of unknown outcome. Returns false if the call
 * waits for an answer or has ended.
 */
export async function markRepeating(tx: Tx, taskId: string, attemptId: string): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET state = 'starting', durable = true, attempt_deadline_at = now(), changed_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND attempt_id = ${attemptId}::uuid
      AND state = 'working' AND NOT durable`;
  if (marked !== 1) return false;
  await record(tx, taskId, [{ type: "task.state", data: { from: "working", to: "starting" } }]);
  return true;
}

/** Moves an open call between waiting for an answer and working. */
export async function setOpenCallState(
  tx: Tx,
  taskId: string,
  state: "working" | "input_required",
): Promise<void> {
  const from = state === "working" ? "input_required" : "working";
  const moved = await tx.$executeRaw`
    UPDATE task SET state = ${state}, changed_at = now() WHERE organization_id = ${tx.organizationId}::uuid
      AND id = ${taskId}::uuid AND state = ${from} AND NOT durable`;
  if (moved === 1) await record(tx, taskId, [{ type: "task.state", data: { from, to: state } }]);
}

/**
 * Stores that the tool asks before it makes a task, with the opaque state to return with the answers. The
 * caller stores the questions in the same transaction.
 */
export async function markAsking(
  tx: Tx,
  taskId: string,
  attemptId: string,
  sealedRequestState: string | null,
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET state = 'input_required', sealed_request_state = ${sealedRequestState}, error = NULL,
      sealed_session = NULL, durable = true, started_at = coalesce(started_at, now()), changed_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND attempt_id = ${attemptId}::uuid
      AND (state = 'starting' OR (state = 'working' AND NOT durable))`;
  if (marked !== 1) return false;
  await record(tx, taskId, [{ type: "task.asking" }]);
  return true;
}

/** Commits the attempt of the repeated call that carries a round's answers. */
export async function markRetrying(tx: Tx, taskId: string, attempt: Attempt): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET state = 'starting', ${attemptColumns(attempt)}, changed_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND state = 'input_required'
      AND sealed_handle IS NULL AND durable AND cancel_requested_at IS NULL`;
  if (marked !== 1) return false;
  await record(tx, taskId, [{ type: "task.starting", data: { attempt: attempt.id } }]);
  return true;
}

/** Returns the task to waiting because the call with the answers did not reach the server. Returns false as `markNotStarted` does. */
export async function markNotRetried(
  tx: Tx,
  taskId: string,
  attemptId: string,
  why: { code: string; message: string },
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET state = 'input_required', error = ${storedError(contentOf(tx), taskId, why)}::jsonb, changed_at = now(),
      sealed_session = NULL
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND state = 'starting'
      AND attempt_id = ${attemptId}::uuid AND NOT attempt_repeats`;
  if (marked !== 1) return false;
  await record(tx, taskId, [{ type: "task.not_started", data: why }]);
  return true;
}

/**
 * Locks the task if it still awaits this attempt's outcome. A start that counted as unknown is reopened,
 * because its own reply is the best evidence. Returns false if the attempt was settled already.
 */
export async function lockAwaited(
  tx: Tx,
  connectionId: string,
  taskId: string,
  attemptId: string,
): Promise<boolean> {
  const [task] = await tx.$queryRaw<{ state: string; isElsewhere: boolean }[]>`
    SELECT state, coalesce(error->>'code' = ${RESULT_AWAITED.code}, false) AS "isElsewhere" FROM task WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid
      AND attempt_id = ${attemptId}::uuid AND (state IN ('starting', 'start_unknown')
        OR (state IN ('working', 'input_required') AND NOT durable)) FOR NO KEY UPDATE`;
  if (!task) return false;
  // The engine that has the connection did not make the call.
  if (task.isElsewhere) await wakeEngine(tx, connectionId, taskId);
  if (task.state !== "start_unknown") return true;
  // The caller stores the outcome next: an open call can move to any state, `start_unknown` can't.
  await tx.$executeRaw`UPDATE task SET state = 'working', durable = false, watched = true
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND state = 'start_unknown'`;
  await tx.$executeRaw`UPDATE found_task SET task_id = NULL
    WHERE organization_id = ${tx.organizationId}::uuid AND task_id = ${taskId}::uuid`;
  await wakeEngine(tx, connectionId, taskId);
  return true;
}

const RESULT_AWAITED = {
  code: "result_awaited",
  message:
    "The engine that made this call does not answer. The call counts as lost unless its result comes soon, or that engine does.",
};

/** Starts the time within which another engine must report an open call, or store its result. */
export async function awaitElsewhere(
  tx: Tx,
  taskId: string,
  attemptId: string,
  forMs: number,
): Promise<void> {
  const marked = await tx.$executeRaw`
    UPDATE task SET error = ${storedError(contentOf(tx), taskId, RESULT_AWAITED)}::jsonb,
      attempt_deadline_at = now() + ${forMs} * interval '1 ms'
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND attempt_id = ${attemptId}::uuid
      AND state IN ('working', 'input_required') AND NOT durable`;
  if (marked === 1) await publishChange(tx, "task", [taskId]);
}

/** Reports an open call to the engine that awaits its result, which extends that engine's wait. */
export async function stillAwaited(tx: Tx, taskId: string, attemptId: string, forMs: number): Promise<void> {
  await tx.$executeRaw`
    UPDATE task SET attempt_deadline_at = now() + ${forMs} * interval '1 ms'
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND attempt_id = ${attemptId}::uuid
      AND error->>'code' = ${RESULT_AWAITED.code} AND finished_at IS NULL`;
}

/** Gives up open calls that end with their engine, so that the next engine need not wait for them. */
export async function leaveOpenCalls(tx: Tx, taskIds: string[]): Promise<void> {
  await tx.$executeRaw`
    UPDATE task SET attempt_deadline_at = NULL WHERE organization_id = ${tx.organizationId}::uuid
      AND id = ANY (${taskIds}::uuid[]) AND state IN ('working', 'input_required') AND NOT durable`;
}

/** Counts the other starts on the same server that may have made an unknown task. */
export async function otherUnknownStarts(tx: Tx, connectionId: string, taskId: string): Promise<number> {
  const rows = await tx.$queryRaw<{ count: number }[]>`
    SELECT count(*)::integer AS count FROM task WHERE organization_id = ${tx.organizationId}::uuid
      AND connection_id IN ${connectionsToSameServer(tx.organizationId, connectionId)}
      AND id <> ${taskId}::uuid AND state IN ('starting', 'start_unknown')`;
  return rows[0]?.count ?? 0;
}

/** Stores the tool's schema as just read, for the next attempt's headers. */
export async function renewInputSchema(
  tx: Tx,
  taskId: string,
  inputSchema: Record<string, unknown>,
): Promise<void> {
  await tx.$executeRaw`UPDATE task
    SET tool_hints = tool_hints || jsonb_build_object('inputSchema', ${JSON.stringify(storable(inputSchema))}::jsonb)
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid`;
}

/**
 * Marks a start whose outcome can't be known, for a person to decide. The call is never repeated. With `onlyRepeated`, returns false
 * for an attempt that repeats none.
 */
export async function markStartUnknown(
  tx: Tx,
  taskId: string,
  attemptId: string,
  { onlyRepeated = false } = {},
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET state = 'start_unknown', watched = false, changed_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND state = 'starting'
      AND attempt_id = ${attemptId}::uuid AND (attempt_repeats OR NOT ${onlyRepeated})`;
  if (marked !== 1) return false;
  await record(tx, taskId, [{ type: "task.start_unknown" }]);
  return true;
}

/**
 * What the engine does to tasks whose call is being made. The caller holds the fence of the connection, but for what the
 * call came to, which is true whoever has the lease. Each write carries the state, and where there is one the attempt, that it
 * expects.
 */

import { Prisma, storable, type Tx } from "../base/db/db.ts";
import { publishChange, wakeEngine } from "../live-updates/transitions.ts";
import type { Era, RemoteTask } from "../mcp/peer.ts";
import { connectionsToSameServer } from "../servers/connections/same-server.ts";
import { endInRace } from "../tasks/races/ending.ts";
import { record, text, wholeMs } from "./record.ts";
import { timeLimit } from "./time-limit.ts";

/** Commits the one attempt at the call before it is made. False: not queued any more, or cancelled. */
export async function markStarting(
  organizationId: string,
  tx: Tx,
  taskId: string,
  attempt: { id: string; deadlineMs: number; era: Era; sealedSession: string | null },
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET state = 'starting', attempt_id = ${attempt.id}::uuid, attempt_at = now(),
      attempt_deadline_at = now() + ${attempt.deadlineMs} * interval '1 ms', era = ${attempt.era},
      sealed_session = ${attempt.sealedSession}, error = NULL, changed_at = now()
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND state = 'queued'
      AND cancel_requested_at IS NULL AND (start_after IS NULL OR start_after <= now())`;
  if (marked !== 1) return false;
  await record(organizationId, tx, taskId, [{ type: "task.starting", data: { attempt: attempt.id } }]);
  return true;
}

/** A new attempt where the last one's outcome does not matter: the call may be repeated. */
export async function renewAttempt(
  organizationId: string,
  tx: Tx,
  taskId: string,
  last: string,
  attempt: { id: string; deadlineMs: number; sealedSession: string | null },
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET attempt_id = ${attempt.id}::uuid, attempt_at = now(), sealed_session = ${attempt.sealedSession},
      attempt_deadline_at = now() + ${attempt.deadlineMs} * interval '1 ms'
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND state = 'starting'
      AND attempt_id = ${last}::uuid`;
  if (marked !== 1) return false;
  await record(organizationId, tx, taskId, [
    { type: "task.starting", data: { attempt: attempt.id, repeats: last } },
  ]);
  return true;
}

/** The call is known not to have reached the server. A cancel that came meanwhile is carried out here. */
export async function markNotStarted(
  organizationId: string,
  tx: Tx,
  taskId: string,
  attemptId: string,
  why: { code: string; message: string },
): Promise<boolean> {
  const rows = await tx.$queryRaw<{ state: string; raceId: string | null }[]>`
    UPDATE task SET error = ${JSON.stringify(storable(why))}::jsonb, changed_at = now(), attempt_id = NULL,
      state = CASE WHEN cancel_requested_at IS NULL THEN 'queued' ELSE 'cancelled' END,
      watched = (cancel_requested_at IS NULL),
      finished_at = CASE WHEN cancel_requested_at IS NULL THEN NULL ELSE now() END
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND state = 'starting'
      AND attempt_id = ${attemptId}::uuid RETURNING state, race_id AS "raceId"`;
  if (!rows[0]) return false;
  const { state, raceId } = rows[0];
  const data = { code: why.code, message: why.message };
  if (state === "queued") await record(organizationId, tx, taskId, [{ type: "task.not_started", data }]);
  else {
    const decided = await endInRace(organizationId, tx, taskId, { raceId, succeeded: false });
    await record(organizationId, tx, taskId, [{ type: "task.cancelled", data }, ...decided]);
  }
  return true;
}

/** Why a queued task waits: its server can't be reached, or refuses us. */
export async function noteWaiting(
  organizationId: string,
  tx: Tx,
  taskId: string,
  why: { code: string; message: string },
): Promise<void> {
  const reason = JSON.stringify(storable(why));
  const noted = await tx.$executeRaw`UPDATE task SET error = ${reason}::jsonb
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND state = 'queued'
      AND error IS DISTINCT FROM ${reason}::jsonb`;
  if (noted === 1) await publishChange(organizationId, tx, "task", [taskId]);
}

/**
 * The server made the task: its handle is stored. What it said of its state is applied by the next step. `adopted`:
 * the call's reply was lost, and the task was found in the server's list.
 */
export async function markStarted(
  organizationId: string,
  tx: Tx,
  taskId: string,
  attemptId: string,
  remote: RemoteTask,
  sealed: { handle: string; digest: Buffer; session: string | null },
  adopted = false,
): Promise<boolean> {
  const startedAt = madeAt(remote.createdAt, adopted);
  const marked = await tx.$executeRaw`
    UPDATE task t SET state = 'working', sealed_handle = ${sealed.handle}, sealed_session = ${sealed.session},
      handle_digest = ${sealed.digest}, durable = true, adopted = ${adopted}, sealed_request_state = NULL,
      error = NULL, started_at = ${startedAt}, changed_at = now(), ttl_ms = ${remote.ttlMs}::bigint,
      status_message = ${text(remote.statusMessage)}, poll_interval_ms = ${wholeMs(remote.pollIntervalMs)}::integer,
      expires_at = ${timeLimit(startedAt, Prisma.sql`${remote.ttlMs}::float8`)}
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND attempt_id = ${attemptId}::uuid
      AND (state = 'starting' OR (state IN ('working', 'input_required') AND NOT durable))`;
  if (marked !== 1) return false;
  await record(organizationId, tx, taskId, [
    {
      type: adopted ? "task.adopted" : "task.started",
      data: { statusMessage: remote.statusMessage, ttlMs: remote.ttlMs },
    },
  ]);
  return true;
}

/**
 * When the server made the task, from which its ttl counts: by its own word, as far as that can be, for its clock may be
 * wrong and the task is the last call's. One that says nothing made it as its reply came; one that was found later was
 * made by the call.
 */
function madeAt(createdAt: string | null, adopted: boolean): Prisma.Sql {
  const ms = createdAt === null ? Number.NaN : Date.parse(createdAt);
  if (Number.isNaN(ms)) return adopted ? Prisma.sql`attempt_at` : Prisma.sql`now()`;
  return Prisma.sql`least(now(), greatest(attempt_at, to_timestamp(${Math.max(0, ms) / 1000}::float8)))`;
}

/** The reply lasts longer than a call that makes a task: an open call, which ends with its connection. */
export async function markOpenCall(
  organizationId: string,
  tx: Tx,
  taskId: string,
  attemptId: string,
  sealedSession: string | null,
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET state = 'working', durable = false, started_at = now(), changed_at = now(), error = NULL,
      sealed_session = ${sealedSession}
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND state = 'starting'
      AND attempt_id = ${attemptId}::uuid`;
  if (marked !== 1) return false;
  await record(organizationId, tx, taskId, [{ type: "task.started", data: { durable: false } }]);
  return true;
}

/**
 * An open call that broke off and may be made again: its attempt counts as one of unknown outcome. False: it waits for
 * an answer, or has ended.
 */
export async function markRepeating(
  organizationId: string,
  tx: Tx,
  taskId: string,
  attemptId: string,
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET state = 'starting', durable = true, attempt_deadline_at = now(), changed_at = now()
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND attempt_id = ${attemptId}::uuid
      AND state = 'working' AND NOT durable`;
  if (marked !== 1) return false;
  await record(organizationId, tx, taskId, [
    { type: "task.state", data: { from: "working", to: "starting" } },
  ]);
  return true;
}

/** An open call waits for an answer, or goes on. */
export async function setOpenCallState(
  organizationId: string,
  tx: Tx,
  taskId: string,
  state: "working" | "input_required",
): Promise<void> {
  const from = state === "working" ? "input_required" : "working";
  const moved = await tx.$executeRaw`
    UPDATE task SET state = ${state}, changed_at = now() WHERE organization_id = ${organizationId}::uuid
      AND id = ${taskId}::uuid AND state = ${from} AND NOT durable`;
  if (moved === 1)
    await record(organizationId, tx, taskId, [{ type: "task.state", data: { from, to: state } }]);
}

/** The tool asks before it makes a task: what it wants back with the answers is kept. The questions come with it. */
export async function markAsking(
  organizationId: string,
  tx: Tx,
  taskId: string,
  attemptId: string,
  sealedRequestState: string | null,
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET state = 'input_required', sealed_request_state = ${sealedRequestState}, error = NULL,
      sealed_session = NULL, durable = true, started_at = coalesce(started_at, now()), changed_at = now()
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND attempt_id = ${attemptId}::uuid
      AND (state = 'starting' OR (state = 'working' AND NOT durable))`;
  if (marked !== 1) return false;
  await record(organizationId, tx, taskId, [{ type: "task.asking" }]);
  return true;
}

/** Commits the attempt at calling again with the answers, before it is made. */
export async function markRetrying(
  organizationId: string,
  tx: Tx,
  taskId: string,
  attempt: { id: string; deadlineMs: number; sealedSession: string | null },
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET state = 'starting', attempt_id = ${attempt.id}::uuid, attempt_at = now(), changed_at = now(),
      attempt_deadline_at = now() + ${attempt.deadlineMs} * interval '1 ms', sealed_session = ${attempt.sealedSession}
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND state = 'input_required'
      AND sealed_handle IS NULL AND durable AND cancel_requested_at IS NULL`;
  if (marked !== 1) return false;
  await record(organizationId, tx, taskId, [{ type: "task.starting", data: { attempt: attempt.id } }]);
  return true;
}

/** The call with the answers is known not to have reached the server: it waits for the next try. */
export async function markNotRetried(
  organizationId: string,
  tx: Tx,
  taskId: string,
  attemptId: string,
  why: { code: string; message: string },
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET state = 'input_required', error = ${JSON.stringify(storable(why))}::jsonb, changed_at = now(),
      sealed_session = NULL
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND state = 'starting'
      AND attempt_id = ${attemptId}::uuid`;
  if (marked !== 1) return false;
  await record(organizationId, tx, taskId, [{ type: "task.not_started", data: why }]);
  return true;
}

/**
 * Locks the task of an attempt whose outcome is still awaited. A start that was taken for unknown meanwhile is awaited
 * again: its own reply is better than anybody's word. False: it was settled, by this outcome before or without it.
 */
export async function awaitsOutcome(
  organizationId: string,
  tx: Tx,
  connectionId: string,
  taskId: string,
  attemptId: string,
): Promise<boolean> {
  const [task] = await tx.$queryRaw<{ state: string; isElsewhere: boolean }[]>`
    SELECT state, coalesce(error->>'code' = ${RESULT_AWAITED.code}, false) AS "isElsewhere" FROM task WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid
      AND attempt_id = ${attemptId}::uuid AND (state IN ('starting', 'start_unknown')
        OR (state IN ('working', 'input_required') AND NOT durable)) FOR NO KEY UPDATE`;
  if (!task) return false;
  // By the engine that has the connection, which did not make the call.
  if (task.isElsewhere) await wakeEngine(tx, connectionId, taskId);
  if (task.state !== "start_unknown") return true;
  // As a call that is open, from which it may go anywhere.
  await tx.$executeRaw`UPDATE task SET state = 'working', durable = false, watched = true
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid`;
  await tx.$executeRaw`UPDATE found_task SET task_id = NULL
    WHERE organization_id = ${organizationId}::uuid AND task_id = ${taskId}::uuid`;
  await wakeEngine(tx, connectionId, taskId);
  return true;
}

const RESULT_AWAITED = {
  code: "result_awaited",
  message:
    "The engine that made this call does not answer. The call counts as lost unless its result comes soon, or that engine does.",
};

/** An open call whose connection another engine may have still: it has this long to say so, or to store the result. */
export async function awaitElsewhere(
  organizationId: string,
  tx: Tx,
  taskId: string,
  attemptId: string,
  forMs: number,
): Promise<void> {
  const marked = await tx.$executeRaw`
    UPDATE task SET error = ${JSON.stringify(RESULT_AWAITED)}::jsonb,
      attempt_deadline_at = now() + ${forMs} * interval '1 ms'
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND attempt_id = ${attemptId}::uuid
      AND state IN ('working', 'input_required') AND NOT durable`;
  if (marked === 1) await publishChange(organizationId, tx, "task", [taskId]);
}

/** Said by the engine that has the call, of one that another engine awaits. */
export async function stillAwaited(
  organizationId: string,
  tx: Tx,
  taskId: string,
  attemptId: string,
  forMs: number,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE task SET attempt_deadline_at = now() + ${forMs} * interval '1 ms'
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND attempt_id = ${attemptId}::uuid
      AND error->>'code' = ${RESULT_AWAITED.code} AND finished_at IS NULL`;
}

/** Open calls that end with their engine: nobody has them from here on. */
export async function leaveOpenCalls(organizationId: string, tx: Tx, taskIds: string[]): Promise<void> {
  await tx.$executeRaw`
    UPDATE task SET attempt_deadline_at = NULL WHERE organization_id = ${organizationId}::uuid
      AND id = ANY (${taskIds}::uuid[]) AND state IN ('working', 'input_required') AND NOT durable`;
}

/** Other starts on the same server that may have made a task of which nobody knows yet. */
export async function otherUnknownStarts(
  organizationId: string,
  tx: Tx,
  connectionId: string,
  taskId: string,
): Promise<number> {
  const rows = await tx.$queryRaw<{ count: number }[]>`
    SELECT count(*)::integer AS count FROM task WHERE organization_id = ${organizationId}::uuid
      AND connection_id IN ${connectionsToSameServer(organizationId, connectionId)}
      AND id <> ${taskId}::uuid AND state IN ('starting', 'start_unknown')`;
  return rows[0]?.count ?? 0;
}

/** The header rules of the tool's schema as just read; the next attempt follows them. */
export async function renewInputSchema(
  organizationId: string,
  tx: Tx,
  taskId: string,
  inputSchema: Record<string, unknown>,
): Promise<void> {
  await tx.$executeRaw`UPDATE task
    SET tool_hints = tool_hints || jsonb_build_object('inputSchema', ${JSON.stringify(storable(inputSchema))}::jsonb)
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid`;
}

/** The outcome of the call can't be known: a person decides. Never a second call. */
export async function markStartUnknown(
  organizationId: string,
  tx: Tx,
  taskId: string,
  attemptId: string,
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET state = 'start_unknown', watched = false, changed_at = now()
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND state = 'starting'
      AND attempt_id = ${attemptId}::uuid`;
  if (marked !== 1) return false;
  await record(organizationId, tx, taskId, [{ type: "task.start_unknown" }]);
  return true;
}

/** Reads of the tasks that Intray keeps for servers. An id is found in its connection alone. */
import { z } from "zod";
import { Prisma, type Tx } from "../../base/db/db.ts";
import type { AnswerBody, RpcId } from "../../mcp/peer.ts";
import type { DeliveryState, RequestState } from "../request-schema.ts";
import { type StoredState, statusOf } from "./elicitation-task-status.ts";

export interface ElicitationTask {
  id: string;
  state: StoredState;
  ttlMs: number | null;
  createdAt: Date;
  /** When its status last changed. */
  changedAt: Date;
  taskId: string | null;
  inputRequestId: string | null;
  requestState: RequestState | null;
  deliveryId: string | null;
  deliveryState: DeliveryState | null;
  /** An answer waits for being told, and no undo is left. */
  isDue: boolean;
}

const COLUMNS = Prisma.sql`e.id, e.state, e.ttl_ms::float8 AS "ttlMs", e.created_at AS "createdAt",
  CASE WHEN e.state = 'working' THEN coalesce(r.ended_at, e.changed_at) ELSE e.changed_at END AS "changedAt",
  e.task_id AS "taskId", e.input_request_id AS "inputRequestId", r.state AS "requestState",
  d.id AS "deliveryId", d.state AS "deliveryState",
  coalesce(d.state IN ('held', 'pending') AND greatest(d.deliver_after, d.not_before) <= now(), false) AS "isDue"`;

const JOINS = Prisma.sql`
  LEFT JOIN input_request r ON r.organization_id = e.organization_id AND r.id = e.input_request_id
  LEFT JOIN answer a ON a.organization_id = r.organization_id AND a.input_request_id = r.id AND a.withdrawn_at IS NULL
  LEFT JOIN delivery d ON d.organization_id = a.organization_id AND d.answer_id = a.id`;

/** Returns the connection's task of this id, or null if it has none, or the task counts as gone. */
export async function findElicitationTask(
  tx: Tx,
  connectionId: string,
  id: string,
): Promise<ElicitationTask | null> {
  if (!UUID.test(id)) return null;
  const [row] = await tx.$queryRaw<ElicitationTask[]>`SELECT ${COLUMNS} FROM elicitation_task e ${JOINS}
    WHERE e.organization_id = ${tx.organizationId}::uuid AND e.connection_id = ${connectionId}::uuid AND e.id = ${id}::uuid`;
  return row && statusOf(row) !== null ? row : null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the connection's tasks that are not gone, oldest first, after the one that `cursor` names, and whether more
 * follow. Null: there is no such place in the list.
 */
export async function listElicitationTasks(
  tx: Tx,
  connectionId: string,
  cursor: string | null,
  limit: number,
): Promise<{ tasks: ElicitationTask[]; next: string | null } | null> {
  let after = Prisma.sql`true`;
  if (cursor !== null) {
    if (!UUID.test(cursor)) return null;
    const [last] = await tx.$queryRaw<unknown[]>`SELECT 1 FROM elicitation_task
      WHERE organization_id = ${tx.organizationId}::uuid AND connection_id = ${connectionId}::uuid AND id = ${cursor}::uuid`;
    if (!last) return null;
    after = Prisma.sql`(e.created_at, e.id) > (SELECT created_at, id FROM elicitation_task
      WHERE organization_id = ${tx.organizationId}::uuid AND id = ${cursor}::uuid)`;
  }
  const rows = await tx.$queryRaw<ElicitationTask[]>`SELECT ${COLUMNS} FROM elicitation_task e ${JOINS}
    WHERE e.organization_id = ${tx.organizationId}::uuid AND e.connection_id = ${connectionId}::uuid AND ${after}
    ORDER BY e.created_at, e.id LIMIT ${limit + 1}`;
  const page = rows.slice(0, limit);
  return {
    tasks: page.filter((row) => statusOf(row) !== null),
    next: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
}

/** Of the connection's tasks: those whose `CreateTaskResult` the server has not taken, and those whose result it waits for. */
export interface UnattendedTask {
  id: string;
  sessionDigest: string;
  rpcId: RpcId;
  isAnnounced: boolean;
  waiting: WaitingResult[];
  taskId: string | null;
  createdAt: Date;
}

/**
 * Returns what a server still is to be told of the connection's tasks: what a process before left, or could not send. Oldest
 * first, `limit` at a time, after the one given.
 */
export async function unattendedTasks(
  tx: Tx,
  connectionId: string,
  after: UnattendedTask | null,
  limit: number,
): Promise<UnattendedTask[]> {
  const isNext = after
    ? Prisma.sql`(created_at, id) > (${after.createdAt.toISOString()}::timestamptz, ${after.id}::uuid)`
    : Prisma.sql`true`;
  const rows = await tx.$queryRaw<(Omit<UnattendedTask, "waiting"> & { waiting: unknown })[]>`
    SELECT id, encode(session_digest, 'hex') AS "sessionDigest", rpc_id AS "rpcId", announced_at IS NOT NULL AS "isAnnounced",
      waiting, task_id AS "taskId", created_at AS "createdAt" FROM elicitation_task
    WHERE organization_id = ${tx.organizationId}::uuid AND connection_id = ${connectionId}::uuid
      AND (announced_at IS NULL OR waiting <> '[]') AND ${isNext} ORDER BY created_at, id LIMIT ${limit}`;
  return rows.map((row) => ({ ...row, waiting: waitingSchema.parse(row.waiting) }));
}

/**
 * Returns the waiting questions of these tasks that the server asked as `atLeast` elicitation tasks, with their number. `except` are
 * not counted. A question whose answer was fetched does not wait.
 */
export async function crowdedQuestions(
  tx: Tx,
  { taskIds, except, atLeast }: { taskIds: string[]; except: string[]; atLeast: number },
): Promise<{ taskId: string; hash: string; tasks: number }[]> {
  return tx.$queryRaw`SELECT r.task_id AS "taskId", r.question_hash AS hash, count(*)::integer AS tasks
    FROM input_request r
    JOIN elicitation_task e ON e.organization_id = r.organization_id AND e.input_request_id = r.id
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.task_id = ANY (${taskIds}::uuid[])
      AND r.state IN ('open', 'answered', 'undeliverable') AND e.id <> ALL (${except}::uuid[])
      AND NOT EXISTS (SELECT FROM delivery d WHERE d.organization_id = r.organization_id AND d.input_request_id = r.id
        AND d.state IN ('sending', 'accepted') AND d.rung = 'fetched')
    GROUP BY r.id, r.task_id, r.question_hash HAVING count(*) >= ${atLeast}`;
}

/** Counts the connection's tasks that are not known to be any question's, up to `most`. */
export async function countNobodys(tx: Tx, connectionId: string, most: number): Promise<number> {
  const [counted] = await tx.$queryRaw<{ tasks: number }[]>`SELECT count(*)::integer AS tasks FROM (
    SELECT FROM elicitation_task WHERE organization_id = ${tx.organizationId}::uuid
      AND connection_id = ${connectionId}::uuid AND task_id IS NULL LIMIT ${most}) nobodys`;
  return counted?.tasks ?? 0;
}

/** Returns the task's open questions whose every way to an answer is an elicitation task that has outlived its ttl. */
export async function questionsPastTtl(tx: Tx, taskId: string): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`SELECT r.id FROM input_request r
    JOIN ask k ON k.organization_id = r.organization_id AND k.input_request_id = r.id AND k.retracted_at IS NULL
    LEFT JOIN elicitation_task e ON e.organization_id = k.organization_id AND e.id = k.elicitation_task_id
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.task_id = ${taskId}::uuid AND r.state = 'open'
    GROUP BY r.id HAVING bool_and(coalesce(e.created_at + e.ttl_ms * interval '1 ms' <= now(), false))`;
  return rows.map(({ id }) => id);
}

/** Returns the answer that the task's result is; null: there is none. */
export async function answerOf(tx: Tx, inputRequestId: string): Promise<AnswerBody | null> {
  const row = await tx.answer.findFirst({
    where: { organizationId: tx.organizationId, inputRequestId, withdrawnAt: null },
    select: { id: true, action: true, content: true },
  });
  if (!row) return null;
  const action = row.action as AnswerBody["action"];
  return row.content === null ? { action } : { action, content: row.content as Record<string, unknown> };
}

/** A `tasks/result` that waits for the answer, and the session that its response goes to (a digest in hex). */
export interface WaitingResult {
  session: string;
  rpcId: RpcId;
}

/** Whether both are one request. */
export function isSame(a: WaitingResult, b: WaitingResult): boolean {
  return a.session === b.session && a.rpcId === b.rpcId;
}

/** `elicitation_task.waiting`. */
const waitingSchema = z.array(z.object({ session: z.string(), rpcId: z.union([z.string(), z.number()]) }));

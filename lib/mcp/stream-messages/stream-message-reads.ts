import type { Tx } from "../../base/db/db.ts";
import type { RpcId } from "../peer.ts";
import { type StreamMessage, storedQuestion } from "./stream-message-schema.ts";

/** Those of these connections on whose streams something came that is not handled yet. */
export async function withOpenMessages(tx: Tx, connectionIds: string[]): Promise<Set<string>> {
  const rows = await tx.$queryRaw<
    { id: string }[]
  >`SELECT id FROM unnest(${connectionIds}::uuid[]) AS given (id)
    WHERE EXISTS (SELECT FROM stream_message WHERE organization_id = ${tx.organizationId}::uuid
      AND connection_id = given.id AND handled_at IS NULL)`;
  return new Set(rows.map(({ id }) => id));
}

/**
 * What came on streams of the connection and is not handled yet, in the order of arrival, without what is `known`; as much as
 * has so many characters, or one that has more.
 */
export async function openMessages(
  tx: Tx,
  connectionId: string,
  { known, characters }: { known: string[]; characters: number },
): Promise<StreamMessage[]> {
  if (characters <= 0) return [];
  const rows = await tx.$queryRaw<
    (Omit<StreamMessage, "sessionDigest" | "namedDigest" | "question" | "elicitationTask"> & {
      sessionDigest: Uint8Array;
      namedDigest: Uint8Array | null;
      params: unknown;
      elicitationTask: StreamMessage["elicitationTask"] | null;
    })[]
  >`
    SELECT m.id, connection_id AS "connectionId", session_digest AS "sessionDigest", rpc_id AS "rpcId", params,
      stream_task_id AS "streamTaskId", named_digest AS "namedDigest", replayed, received_at AS "receivedAt", candidates,
      (SELECT json_build_object('id', e.id, 'ttlMs', e.ttl_ms) FROM elicitation_task e
        WHERE e.organization_id = m.organization_id AND e.id = m.elicitation_task_id) AS "elicitationTask"
    FROM stream_message m JOIN (SELECT id, sum(coalesce(length(params::text), 0)) OVER (ORDER BY received_at, id
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
        FROM stream_message WHERE organization_id = ${tx.organizationId}::uuid AND connection_id = ${connectionId}::uuid
          AND handled_at IS NULL AND id <> ALL (${known}::uuid[])) sized ON sized.id = m.id
    WHERE m.organization_id = ${tx.organizationId}::uuid AND coalesce(sized.before, 0) < ${characters}
    ORDER BY m.received_at, m.id`;
  return rows.map(({ params, sessionDigest, namedDigest, elicitationTask, ...row }) => ({
    ...row,
    ...(elicitationTask && { elicitationTask }),
    sessionDigest: Buffer.from(sessionDigest),
    namedDigest: namedDigest && Buffer.from(namedDigest),
    question:
      params === null
        ? null
        : { ...storedQuestion.parse(params), address: { kind: "rpc", rpcId: row.rpcId } },
  }));
}

/** The tasks of the connection that the server knows by these handles, by the handles' digests in hex. */
export async function namedTasks(
  tx: Tx,
  connectionId: string,
  digests: Buffer[],
): Promise<Map<string, string>> {
  const rows = await tx.$queryRaw<{ id: string; digest: string }[]>`
    SELECT id, encode(handle_digest, 'hex') AS digest FROM task WHERE organization_id = ${tx.organizationId}::uuid
      AND connection_id = ${connectionId}::uuid AND handle_digest = ANY (${digests}::bytea[])`;
  return new Map(rows.map(({ id, digest }) => [digest, id]));
}

/** Whether a question came on the stream of the task's own call, handled or not. */
export async function hasAsked(tx: Tx, taskId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT 1 FROM stream_message
    WHERE organization_id = ${tx.organizationId}::uuid AND stream_task_id = ${taskId}::uuid AND kind = 'elicitation' LIMIT 1`;
  return rows.length > 0;
}

/** Those of these tasks that have not ended. */
export async function unfinished(tx: Tx, taskIds: string[]): Promise<string[]> {
  if (taskIds.length === 0) return [];
  const rows = await tx.$queryRaw<
    { id: string }[]
  >`SELECT id FROM task WHERE organization_id = ${tx.organizationId}::uuid
    AND id = ANY (${taskIds}::uuid[]) AND finished_at IS NULL`;
  return rows.map(({ id }) => id);
}

/**
 * The ask that an id of this session stands for, the last that came under it; null: there is none, it was taken back, or its
 * request is over: the server was told the elicitation task that it made. `elicitationTaskId`: that task.
 */
export async function askUnder(
  tx: Tx,
  sessionDigest: Buffer,
  rpcId: RpcId,
): Promise<{ taskId: string; elicitationTaskId: string | null } | null> {
  const [row] = await tx.$queryRaw<{ taskId: string; elicitationTaskId: string | null; isOver: boolean }[]>`
    SELECT k.task_id AS "taskId", k.elicitation_task_id AS "elicitationTaskId",
      k.retracted_at IS NOT NULL OR e.announced_at IS NOT NULL AS "isOver" FROM ask k
    LEFT JOIN elicitation_task e ON e.organization_id = k.organization_id AND e.id = k.elicitation_task_id
    WHERE k.organization_id = ${tx.organizationId}::uuid
      AND k.session_digest = ${sessionDigest} AND k.rpc_id = ${JSON.stringify(rpcId)}::jsonb
    ORDER BY k.created_at DESC, k.id DESC LIMIT 1`;
  return row && !row.isOver ? { taskId: row.taskId, elicitationTaskId: row.elicitationTaskId } : null;
}

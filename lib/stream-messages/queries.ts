import type { Tx } from "../base/db/db.ts";
import type { RpcId } from "../mcp/peer.ts";
import { type StreamMessage, storedQuestion } from "./schema.ts";

/** Those of these connections on whose streams something came that is not handled yet. */
export async function withOpenMessages(
  organizationId: string,
  tx: Tx,
  connectionIds: string[],
): Promise<Set<string>> {
  const rows = await tx.$queryRaw<
    { id: string }[]
  >`SELECT id FROM unnest(${connectionIds}::uuid[]) AS given (id)
    WHERE EXISTS (SELECT FROM stream_message WHERE organization_id = ${organizationId}::uuid
      AND connection_id = given.id AND handled_at IS NULL)`;
  return new Set(rows.map(({ id }) => id));
}

/**
 * What came on streams of the connection and is not handled yet, in the order of arrival, without what is `known`; as much as
 * has so many characters, or one that has more.
 */
export async function openMessages(
  organizationId: string,
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
        FROM stream_message WHERE organization_id = ${organizationId}::uuid AND connection_id = ${connectionId}::uuid
          AND handled_at IS NULL AND id <> ALL (${known}::uuid[])) sized ON sized.id = m.id
    WHERE m.organization_id = ${organizationId}::uuid AND coalesce(sized.before, 0) < ${characters}
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
  organizationId: string,
  tx: Tx,
  connectionId: string,
  digests: Buffer[],
): Promise<Map<string, string>> {
  const rows = await tx.$queryRaw<{ id: string; digest: string }[]>`
    SELECT id, encode(handle_digest, 'hex') AS digest FROM task WHERE organization_id = ${organizationId}::uuid
      AND connection_id = ${connectionId}::uuid AND handle_digest = ANY (${digests}::bytea[])`;
  return new Map(rows.map(({ id, digest }) => [digest, id]));
}

/** Those of these tasks that have not ended. */
export async function unfinished(organizationId: string, tx: Tx, taskIds: string[]): Promise<string[]> {
  if (taskIds.length === 0) return [];
  const rows = await tx.$queryRaw<
    { id: string }[]
  >`SELECT id FROM task WHERE organization_id = ${organizationId}::uuid
    AND id = ANY (${taskIds}::uuid[]) AND finished_at IS NULL`;
  return rows.map(({ id }) => id);
}

/** The task that was asked last under this id of this session, and was not told that it is over; null: none was. */
export async function taskAskedUnder(
  organizationId: string,
  tx: Tx,
  sessionDigest: Buffer,
  rpcId: RpcId,
): Promise<string | null> {
  const [row] = await tx.$queryRaw<{ taskId: string }[]>`
    SELECT task_id AS "taskId" FROM ask WHERE organization_id = ${organizationId}::uuid
      AND session_digest = ${sessionDigest} AND rpc_id = ${JSON.stringify(rpcId)}::jsonb AND retracted_at IS NULL
    ORDER BY created_at DESC, id DESC LIMIT 1`;
  return row?.taskId ?? null;
}

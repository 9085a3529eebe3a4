/**
 * Stores a server's listed tasks, and those that a start of unknown outcome may have made. adopt.ts and settle-unknown.ts take
 * them over, when a person says so.
 */

import { contentOf } from "../../base/content/content-keys.ts";
import { storableText, type Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChange } from "../../base/live-updates.ts";
import type { Seal } from "../../base/seal.ts";
import type { RemoteTask, TaskList } from "../../mcp/peer.ts";
import { holdConnection } from "./guards.ts";
import { foundPlace, handleDigest, knownAmong } from "./handle.ts";

/**
 * Stores the server's unknown tasks, and deletes finds that are gone or known by now. Possible outcomes of a
 * start of unknown outcome stay until that start is settled.
 */
export async function recordFound(
  tx: Tx,
  seal: Seal,
  connection: { id: string; serverId: string },
  list: TaskList,
): Promise<void> {
  const { organizationId } = tx;
  await holdConnection(tx, connection.id);
  const unknown = newestFirst(await unknownAmong(tx, seal, connection.id, list.tasks), list);
  const content = contentOf(tx);
  const digests = unknown.map((task) => handleDigest(seal, organizationId, task.taskId));
  const known = content.kid === null ? null : await idsByDigest(tx, connection.id, digests);
  const now = Date.now();
  const rows = unknown.map((task, at) => {
    // Finds of one refresh have one `found_at`, so that their ids order them: a millisecond for each, as those of one
    // millisecond are in no order.
    const id = uuidv7(now - at);
    const digest = digests[at]!;
    // A message is bound to the row that it will stand in.
    const row = known?.get(digest.toString("hex")) ?? id;
    return {
      id,
      handle: seal.seal(foundPlace(organizationId, id, "sealed_handle"), task.taskId),
      digest,
      status: task.status,
      message:
        task.statusMessage === null
          ? null
          : content.text("found_task.status_message", row, storableText(task.statusMessage)),
      createdAt: ourTime(task.createdAt, list.clockOffsetMs),
    };
  });
  await tx.$executeRaw`
    INSERT INTO found_task (organization_id, id, connection_id, sealed_handle, handle_digest, status, status_message,
      server_created_at)
    SELECT DISTINCT ON (n.digest) ${organizationId}::uuid, n.id, ${connection.id}::uuid, n.handle, n.digest, n.status,
      n.message, n.created_at
    FROM unnest(${rows.map((row) => row.id)}::uuid[], ${rows.map((row) => row.handle)}::text[],
      ${rows.map((row) => row.digest)}::bytea[], ${rows.map((row) => row.status)}::text[],
      ${rows.map((row) => row.message)}::text[], ${rows.map((row) => row.createdAt)}::timestamptz[])
      AS n (id, handle, digest, status, message, created_at)
    ON CONFLICT (organization_id, connection_id, handle_digest) DO UPDATE
      SET status = excluded.status, status_message = excluded.status_message`;
  await tx.$executeRaw`
    DELETE FROM found_task f WHERE f.organization_id = ${organizationId}::uuid
      AND f.connection_id = ${connection.id}::uuid AND f.task_id IS NULL
      AND f.handle_digest <> ALL (${rows.map((row) => row.digest)}::bytea[])`;
  await publishChange(tx, "server", [connection.serverId]);
}

async function idsByDigest(tx: Tx, connectionId: string, digests: Buffer[]): Promise<Map<string, string>> {
  const rows = await tx.$queryRaw<{ id: string; digest: string }[]>`
    SELECT id, encode(handle_digest, 'hex') AS digest FROM found_task
    WHERE organization_id = ${tx.organizationId}::uuid AND connection_id = ${connectionId}::uuid
      AND handle_digest = ANY (${digests}::bytea[]) FOR NO KEY UPDATE`;
  return new Map(rows.map(({ id, digest }) => [digest, id]));
}

/** In the server's order where it gives no times; tasks without a time come last. */
function newestFirst(tasks: RemoteTask[], { clockOffsetMs }: TaskList): RemoteTask[] {
  const madeAt = (task: RemoteTask) => ourTime(task.createdAt, clockOffsetMs)?.getTime() ?? 0;
  return tasks.toSorted((a, b) => madeAt(b) - madeAt(a));
}

/** The server's time by our clock, or null if it is missing or unreadable. */
export function ourTime(at: string | null, clockOffsetMs: number | null): Date | null {
  const ms = at === null ? Number.NaN : Date.parse(at) - (clockOffsetMs ?? 0);
  return Number.isNaN(new Date(ms).getTime()) ? null : new Date(ms);
}

/** The tasks of a server that Intray does not know. */
export async function unknownAmong(
  tx: Tx,
  seal: Seal,
  connectionId: string,
  tasks: RemoteTask[],
): Promise<RemoteTask[]> {
  const digests = tasks.map(({ taskId }) => handleDigest(seal, tx.organizationId, taskId));
  const ours = await knownAmong(tx, connectionId, digests);
  return tasks.filter((_, at) => !ours.has(digests[at]!.toString("hex")));
}

export interface Candidate {
  remote: RemoteTask;
  /** The session that listed the task, as JSON; null where any session finds the task. */
  session: string | null;
  /** By our clock. */
  createdAt: Date | null;
}

export async function keepCandidate(
  tx: Tx,
  seal: Seal,
  of: { connectionId: string; taskId: string },
  { remote, session, createdAt }: Candidate,
): Promise<void> {
  const id = uuidv7();
  const sealed = (column: "sealed_handle" | "sealed_session", value: string) =>
    seal.seal(foundPlace(tx.organizationId, id, column), value);
  const digest = handleDigest(seal, tx.organizationId, remote.taskId);
  await tx.$executeRaw`
    INSERT INTO found_task AS f (organization_id, id, connection_id, task_id, sealed_handle, handle_digest,
      sealed_session, status, status_message, server_created_at)
    VALUES (${tx.organizationId}::uuid, ${id}::uuid, ${of.connectionId}::uuid, ${of.taskId}::uuid,
      ${sealed("sealed_handle", remote.taskId)}, ${digest},
      ${session === null ? null : sealed("sealed_session", session)}, ${remote.status},
      ${contentOf(tx).text("found_task.status_message", id, remote.statusMessage === null ? null : storableText(remote.statusMessage))},
      ${createdAt})
    ON CONFLICT (organization_id, connection_id, handle_digest) DO UPDATE SET task_id = coalesce(f.task_id, excluded.task_id)`;
  await publishChange(tx, "task", [of.taskId]);
}

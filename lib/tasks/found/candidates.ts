/** The tasks that a start of unknown outcome may have made. The engine writes them; a person chooses. */

import { contentOf } from "../../base/content/content-keys.ts";
import { storableText, type Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChange } from "../../base/live-updates.ts";
import type { Seal } from "../../base/seal.ts";
import type { RemoteTask } from "../../mcp/peer.ts";
import { foundPlace, handleDigest, knownAmong } from "./handle.ts";

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

/**
 * The handle, which is the server's task id and a bearer secret: comparing handles, and moving one from a
 * find to a task.
 */

import type { Tx } from "../../base/db/db.ts";
import type { Seal } from "../../base/seal.ts";
import { connectionsToSameServer } from "../../servers/connections/connection-reads.ts";

/**
 * `task.handle_digest` and `found_task.handle_digest`: tells which tasks of a server are ours without opening
 * any handle.
 */
export function handleDigest(seal: Seal, organizationId: string, taskId: string): Buffer {
  return seal.digest("handle", `${organizationId} ${taskId}`);
}

/** The digests, in hex, of known tasks at the server of this connection. */
export async function knownAmong(tx: Tx, connectionId: string, digests: Uint8Array[]): Promise<Set<string>> {
  const known = await tx.$queryRaw<{ digest: string }[]>`
    SELECT encode(handle_digest, 'hex') AS digest FROM task WHERE organization_id = ${tx.organizationId}::uuid
      AND handle_digest = ANY(${digests}::bytea[])
      AND connection_id IN ${connectionsToSameServer(tx.organizationId, connectionId)}`;
  return new Set(known.map(({ digest }) => digest));
}

/** The sealing context for a secret of a found task. */
export function foundPlace(
  organizationId: string,
  foundId: string,
  column: "sealed_handle" | "sealed_session",
) {
  return { organizationId, table: "found_task", row: foundId, column };
}

/** A find that was deleted from its table, so that nobody else takes it. */
export interface TakenFind {
  id: string;
  sealedHandle: string;
  handleDigest: Uint8Array;
  sealedSession: string | null;
  statusMessage: string | null;
  /** By our clock. */
  serverCreatedAt: Date | null;
}

/** The handle and session of a find, sealed again for the task that takes them over. */
export function resealed(
  organizationId: string,
  seal: Seal,
  find: TakenFind,
  taskId: string,
): { handle: string; session: string | null } {
  const move = (column: "sealed_handle" | "sealed_session", sealed: string) =>
    seal.seal(
      { organizationId, table: "task", row: taskId, column },
      seal.open(foundPlace(organizationId, find.id, column), sealed),
    );
  return {
    handle: move("sealed_handle", find.sealedHandle),
    session: find.sealedSession === null ? null : move("sealed_session", find.sealedSession),
  };
}

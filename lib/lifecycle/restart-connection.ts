/** Keeps a restart on the connection, and as visible, as the task that it repeats. */
import type { Tx } from "../base/db/db.ts";
import { AppError } from "../base/errors.ts";
import type { ConnectionKind } from "../tasks/task-schema.ts";

interface Place {
  connectionId: string;
  visibility: "organization" | "private";
  /** The connection's owner; null for the shared one. */
  owner: string | null;
}

/**
 * Throws `connection_changed` if the restart would run on another connection than the task, or be seen by
 * others, unless the caller has agreed to that connection by name: a private call is not to become everybody's,
 * nor to be made with another account, because somebody's sign-in has ended meanwhile.
 */
export async function refuseOtherConnection(
  tx: Tx,
  taskId: string,
  connectionId: string,
  acknowledged: ConnectionKind | undefined,
): Promise<void> {
  const [was] = await tx.$queryRaw<Place[]>`
    SELECT t.connection_id AS "connectionId", t.visibility, u.name AS owner
    FROM task t JOIN connection c ON c.organization_id = t.organization_id AND c.id = t.connection_id
      LEFT JOIN "user" u ON u.id = c.user_id
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid`;
  const [next] = await tx.$queryRaw<Place[]>`
    SELECT c.id AS "connectionId", CASE WHEN c.user_id IS NULL THEN 'organization' ELSE 'private' END AS visibility,
      u.name AS owner
    FROM connection c LEFT JOIN "user" u ON u.id = c.user_id
    WHERE c.organization_id = ${tx.organizationId}::uuid AND c.id = ${connectionId}::uuid`;
  if (!was || !next) throw new Error(`task ${taskId} or connection ${connectionId} is gone`);
  if (was.connectionId === next.connectionId && was.visibility === next.visibility) return;
  const connection: ConnectionKind = next.visibility === "private" ? "own" : "shared";
  if (acknowledged === connection) return;
  throw new AppError(
    "connection_changed",
    `The task ran on ${inWords(was)}. Started again now, it would run on ${inWords(next)}.`,
    { extra: { connection, visibility: next.visibility } },
  );
}

function inWords({ owner, visibility }: Place): string {
  const whose = owner === null ? "the shared connection" : `${owner}’s own connection`;
  return `${whose}, ${visibility === "private" ? "in private" : "open to everyone in the organization"}`;
}

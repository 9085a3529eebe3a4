/** The only writes to the switch of automatic answers. */
import type { Actor } from "../../access/access-schema.ts";
import { storable, type Tx } from "../../base/db/db.ts";

/**
 * Takes the lock of automatic answers until the transaction ends: to record an answer, to stop all, or to change the rules. Take it
 * before the locks of tasks. Returns whether all automatic answers are stopped.
 */
export async function lockAutomatic(tx: Tx): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ isStopped: boolean }[]>`
    INSERT INTO automatic_switch AS s (organization_id) VALUES (${tx.organizationId}::uuid)
    ON CONFLICT (organization_id) DO UPDATE SET locked_at = now() RETURNING s.stopped_at IS NOT NULL AS "isStopped"`;
  return row!.isStopped;
}

/** Stops all automatic answers (`by`), or lets them go on (null). Returns false if they were so already. The caller holds the lock. */
export async function setStopped(tx: Tx, by: Actor | null): Promise<boolean> {
  const stopped = by && JSON.stringify(storable(by));
  const changed = await tx.$executeRaw`
    UPDATE automatic_switch SET stopped_at = CASE WHEN ${stopped}::jsonb IS NOT NULL THEN now() END, stopped_by = ${stopped}::jsonb
    WHERE organization_id = ${tx.organizationId}::uuid AND (stopped_at IS NULL) = (${stopped}::jsonb IS NOT NULL)`;
  return changed === 1;
}

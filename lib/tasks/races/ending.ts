/** What the end of a task means for the race it is in. The engine tells the others afterwards: settling.ts. */

import { Prisma, type Tx } from "../../base/db/db.ts";
import { ENGINE_ACTOR, type NewEvent } from "../../events/transitions.ts";
import { publishChange } from "../../live-updates/transitions.ts";
import { hasEnded, TASK_STATES } from "../status.ts";
import type { RaceState } from "./schema.ts";

/**
 * Decides the race of a task that has just ended, where this decides it: the first success wins, and when all have
 * ended without one it has failed. The task's lock is held, and the race's comes after it, so that of two that end at
 * once the second sees the first. Returns lines of history, to be appended last.
 */
export async function endInRace(
  organizationId: string,
  tx: Tx,
  taskId: string,
  { raceId, succeeded }: { raceId: string | null; succeeded: boolean },
): Promise<NewEvent[]> {
  if (raceId === null) return [];
  const race = await tx.$queryRaw<unknown[]>`SELECT 1 FROM race
    WHERE organization_id = ${organizationId}::uuid AND id = ${raceId}::uuid AND state = 'running' FOR NO KEY UPDATE`;
  if (race.length === 0) return [];
  if (succeeded) return decide(organizationId, tx, raceId, taskId, "won");
  const open = await tx.task.count({
    where: { organizationId, raceId, id: { not: taskId }, state: { in: OPEN } },
  });
  return open === 0 ? decide(organizationId, tx, raceId, taskId, "failed") : [];
}

/**
 * Locks the races of several tasks whose ends may be one transaction, after the tasks: two that end tasks of the same
 * races in other orders never wait for each other in a circle.
 */
export async function lockRaces(
  organizationId: string,
  tx: Tx,
  tasks: { raceId: string | null }[],
): Promise<void> {
  const raceIds = tasks.flatMap(({ raceId }) => raceId ?? []);
  if (raceIds.length > 0)
    await tx.$queryRaw`SELECT FROM race WHERE organization_id = ${organizationId}::uuid
      AND id = ANY (${raceIds}::uuid[]) AND state = 'running' ORDER BY id FOR NO KEY UPDATE`;
}

const OPEN = TASK_STATES.filter((state) => !hasEnded(state));

async function decide(
  organizationId: string,
  tx: Tx,
  raceId: string,
  taskId: string,
  state: Exclude<RaceState, "running">,
): Promise<NewEvent[]> {
  const winner = state === "won" ? Prisma.sql`${taskId}::uuid` : Prisma.sql`NULL`;
  const decided = await tx.$executeRaw`
    UPDATE race SET state = ${state}, winner_task_id = ${winner}, finished_at = now()
    WHERE organization_id = ${organizationId}::uuid AND id = ${raceId}::uuid AND state = 'running'`;
  if (decided !== 1) return [];
  const tasks = await tx.task.findMany({ where: { organizationId, raceId }, select: { id: true } });
  await publishChange(
    organizationId,
    tx,
    "task",
    tasks.map(({ id }) => id),
  );
  return [{ type: `race.${state}`, actor: ENGINE_ACTOR, taskId, data: { raceId } }];
}

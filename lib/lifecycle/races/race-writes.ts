/** The effect of a task's end on its race. `lib/lifecycle/races/settle-races.ts` then cancels the other tasks. */

import { Prisma, type Tx } from "../../base/db/db.ts";
import { publishChange } from "../../base/live-updates.ts";
import { ENGINE_ACTOR, type NewEvent } from "../../history/events/event-writes.ts";
import { hasEnded, TASK_STATES, type TaskState } from "../../tasks/task-status.ts";
import type { RaceState } from "./race-schema.ts";

/**
 * Decides the race of a task that has just ended: the first success wins, and the race fails when all tasks
 * have ended without one. The caller holds the task's lock; the race's comes after it, so that of two
 * simultaneous ends the second sees the first. Returns history lines, to be appended last.
 */
export async function endInRace(
  tx: Tx,
  taskId: string,
  { raceId, succeeded }: { raceId: string | null; succeeded: boolean },
): Promise<NewEvent[]> {
  if (raceId === null) return [];
  const race = await tx.$queryRaw<unknown[]>`SELECT 1 FROM race
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${raceId}::uuid AND state = 'running' FOR NO KEY UPDATE`;
  if (race.length === 0) return [];
  if (succeeded) return decide(tx, raceId, taskId, "won");
  const open = await tx.task.count({
    where: { organizationId: tx.organizationId, raceId, id: { not: taskId }, state: { in: OPEN } },
  });
  return open === 0 ? decide(tx, raceId, taskId, "failed") : [];
}

/**
 * Locks the races of several tasks that may end in one transaction, after the tasks and in order of id, so
 * that transactions ending tasks of the same races can't deadlock.
 */
export async function lockRaces(tx: Tx, raceIds: string[]): Promise<void> {
  if (raceIds.length > 0)
    await tx.$queryRaw`SELECT FROM race WHERE organization_id = ${tx.organizationId}::uuid
      AND id = ANY (${raceIds}::uuid[]) AND state = 'running' ORDER BY id FOR NO KEY UPDATE`;
}

const OPEN = TASK_STATES.filter((state) => !hasEnded(state));

async function decide(
  tx: Tx,
  raceId: string,
  taskId: string,
  state: Exclude<RaceState, "running">,
): Promise<NewEvent[]> {
  const winner = state === "won" ? Prisma.sql`${taskId}::uuid` : Prisma.sql`NULL`;
  const decided = await tx.$executeRaw`
    UPDATE race SET state = ${state}, winner_task_id = ${winner}, finished_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${raceId}::uuid AND state = 'running'`;
  if (decided !== 1) return [];
  const tasks = await tx.task.findMany({
    where: { organizationId: tx.organizationId, raceId },
    select: { id: true },
  });
  await publishChange(
    tx,
    "task",
    tasks.map(({ id }) => id),
  );
  return [{ type: `race.${state}`, actor: ENGINE_ACTOR, taskId, data: { raceId } }];
}

/** Whether an ended task succeeded: a result came, and the server does not call it an error. */
export function isSuccess(end: { state: TaskState; isError: boolean; error?: unknown }): boolean {
  return end.state === "completed" && !end.isError && (end.error ?? null) === null;
}

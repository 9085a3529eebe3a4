/** Scoped reads of races. A race is visible to those who may see one of its tasks. */

import { actorSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import { iso, JOINS, summaryOf, type TaskRow, toSummary } from "../../tasks/task-row.ts";
import { visibleTask } from "../../tasks/visibility.ts";
import { type Race, raceStateSchema } from "./race-schema.ts";

/** Throws `not_found`, also for an invisible race. */
export async function readRace(tx: Tx, principal: Principal, raceId: string): Promise<Race> {
  const race = await tx.race.findFirst({ where: { organizationId: tx.organizationId, id: raceId } });
  const rows = await tx.$queryRaw<
    TaskRow[]
  >(Prisma.sql`SELECT ${summaryOf(tx.organizationId)} FROM task t ${JOINS}
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.race_id = ${raceId}::uuid AND ${visibleTask(principal)}
    ORDER BY t.id`);
  if (!race || rows.length === 0) throw notFound("race");
  const tasks = rows.map(toSummary(new Date()));
  return {
    id: race.id,
    state: raceStateSchema.parse(race.state),
    winnerTaskId: race.winnerTaskId,
    requestedBy: actorSchema.parse(race.requestedBy),
    createdAt: race.createdAt.toISOString(),
    finishedAt: iso(race.finishedAt),
    tasks,
  };
}

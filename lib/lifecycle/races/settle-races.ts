/** Cancels the remaining tasks of a decided race. */
import type { Database } from "../../base/db/db.ts";
import { Prisma } from "../../base/db/db.ts";
import { cancelLoser } from "../task-writes.ts";

/** A query for the organizations with decided races that are not settled. */
export function organizationsWithDecidedRaces(): Prisma.Sql {
  return Prisma.sql`SELECT id FROM gate.organizations_with_decided_races()`;
}

/**
 * Requests cancellation of the tasks that still run in one decided race. Returns false if none was left to
 * settle. Each task gets its own transaction, because a task that ends holds its own lock while it reads the
 * race. Idempotent, so any number of engines may run this, and die at any point.
 */
export async function settleRace(organizationId: string, database: Database): Promise<boolean> {
  const within = <T>(work: Parameters<typeof database.withOrganization<T>>[1]) =>
    database.withOrganization(organizationId, work);
  const found = await within(async (tx) => {
    const race = await tx.race.findFirst({
      where: { organizationId, state: { not: "running" }, settledAt: null },
      select: { id: true, winnerTaskId: true },
    });
    if (!race) return null;
    const losers = await tx.task.findMany({
      where: { organizationId, raceId: race.id, finishedAt: null, cancelRequestedAt: null },
      select: { id: true },
      orderBy: { id: "asc" },
    });
    return { ...race, losers };
  });
  if (!found) return false;
  const { id: raceId, winnerTaskId, losers } = found;
  for (const loser of losers) await within((tx) => cancelLoser(tx, loser.id, { raceId, winnerTaskId }));
  await within((tx) =>
    tx.race.updateMany({
      where: { organizationId, id: raceId, settledAt: null },
      data: { settledAt: new Date() },
    }),
  );
  return true;
}

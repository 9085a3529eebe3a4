import { Prisma } from "../../base/db/db.ts";
import { deleteWhenDue } from "../../people/organizations/delete.ts";
import { PROPOSALS_MS } from "../tunables.ts";
import type { Job } from "./jobs.ts";

/** Deletes organizations whose three days are over. */
export const DELETIONS: Job = {
  name: "deletions",
  everyMs: PROPOSALS_MS,
  isTold: true,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_to_delete()`,
  async run({ database, log }, organizationId) {
    if (await deleteWhenDue(organizationId, database))
      log.warn({ organizationId }, "An organization was deleted");
    return false;
  },
};

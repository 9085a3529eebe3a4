import { Prisma } from "../../base/db/db.ts";
import { endWhenDue } from "../../people/organizations/four-eyes.ts";
import { PROPOSALS_MS } from "../tunables.ts";
import type { Job } from "./jobs.ts";

/** Ends the rule of a second person where nobody has withdrawn the proposal in time. */
export const PROPOSALS: Job = {
  name: "proposals",
  everyMs: PROPOSALS_MS,
  isTold: true,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_due_proposals()`,
  async run({ database }, organizationId) {
    await database.withOrganization(organizationId, (tx) => endWhenDue(tx));
    return false;
  },
};

/** Ends the acknowledgements of tasks that are no longer stuck. */
import { Prisma } from "../../base/db/db.ts";
import { endAcknowledgements } from "../../lifecycle/acknowledge.ts";
import { ACKNOWLEDGEMENTS_MS } from "../tunables.ts";
import type { Job } from "./jobs.ts";

export const END_ACKNOWLEDGEMENTS: Job = {
  name: "acknowledgements",
  everyMs: ACKNOWLEDGEMENTS_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_acknowledgements()`,
  async run({ database }, organizationId) {
    await database.withOrganization(organizationId, (tx) => endAcknowledgements(tx));
    return false;
  },
};

/** Ends the acknowledgements of tasks that are no longer stuck. */
import { Prisma } from "../../base/db/db.ts";
import { endAcknowledgements } from "../../task-lifecycle/acknowledge.ts";
import { ACKNOWLEDGEMENTS_MS } from "../tunables.ts";
import type { Job } from "./jobs.ts";

export const END_ACKNOWLEDGEMENTS: Job = {
  name: "acknowledgements",
  everyMs: ACKNOWLEDGEMENTS_MS,
  async organizations(database) {
    const rows = await database.gate<{ id: string }>(
      Prisma.sql`SELECT id FROM gate.organizations_with_acknowledgements()`,
    );
    return rows.map(({ id }) => id);
  },
  async run({ database }, organizationId) {
    await database.withOrganization(organizationId, (tx) => endAcknowledgements(organizationId, tx));
    return false;
  },
};

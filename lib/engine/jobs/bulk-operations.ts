import { Prisma } from "../../base/db/db.ts";
import { carryOutOne, endFinished } from "../../lifecycle/bulk-operations/carry-out.ts";
import { BULK_BATCH, BULK_MS } from "../tunables.ts";
import type { Job } from "./jobs.ts";

/** Processes unclaimed items of bulk operations. Concurrent engines skip each other's locked items. */
export const bulkOperations: Job = {
  name: "bulk operations",
  everyMs: BULK_MS,
  isTold: true,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_bulk_work()`,
  async run({ database, ...context }, organizationId) {
    const services = { db: database, ...context };
    for (let done = 0; done < BULK_BATCH; done++)
      if (!(await carryOutOne(services, organizationId))) {
        await database.withOrganization(organizationId, (tx) => endFinished(tx));
        return false;
      }
    return true;
  },
};

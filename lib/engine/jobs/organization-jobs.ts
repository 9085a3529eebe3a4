/** Jobs that change an organization as a whole. */
import { Prisma } from "../../base/db/db.ts";
import { convertContent } from "../../people/content-sealing/convert.ts";
import { deleteWhenDue } from "../../people/organizations/delete.ts";
import { endWhenDue } from "../../people/organizations/four-eyes.ts";
import { CONTENT_SEALING_MS, PROPOSALS_MS } from "../tunables.ts";
import type { Job } from "./job-runner.ts";

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

/** Seals what tasks of an organization are about, or opens it again, after the switch. */
export const CONTENT_SEALING: Job = {
  name: "content sealing",
  everyMs: CONTENT_SEALING_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_content_to_convert()`,
  run: ({ database }, organizationId) => convertContent(organizationId, database),
};

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

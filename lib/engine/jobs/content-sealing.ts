import { Prisma } from "../../base/db/db.ts";
import { convertContent } from "../../content-sealing/convert.ts";
import { CONTENT_SEALING_MS } from "../tunables.ts";
import type { Job } from "./jobs.ts";

/** Seals what tasks of an organization are about, or opens it again, after the switch. */
export const CONTENT_SEALING: Job = {
  name: "content-sealing",
  everyMs: CONTENT_SEALING_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_content_to_convert()`,
  run: ({ database }, organizationId) => convertContent(organizationId, database),
};

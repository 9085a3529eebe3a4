/** Asks the rules that answer by themselves about new requests. */
import { Prisma } from "../../base/db/db.ts";
import { judgeWaiting } from "../../requests/automatic/judge-waiting.ts";
import { AUTOMATIC_ANSWERS_MS } from "../tunables.ts";
import type { Job } from "./jobs.ts";

export const AUTOMATIC_ANSWERS: Job = {
  name: "automatic answers",
  everyMs: AUTOMATIC_ANSWERS_MS,
  isTold: true,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_automatic_work()`,
  run: ({ database }, organizationId) => judgeWaiting(organizationId, database),
};

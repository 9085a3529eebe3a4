/** Fires timers of requests, and moves them when a working calendar has changed. */
import { Prisma } from "../../base/db/db.ts";
import { fireDueTimers } from "../../request-timers/fire.ts";
import { REQUEST_TIMERS_MS } from "../tunables.ts";
import type { Job } from "./jobs.ts";

export const REQUEST_TIMERS: Job = {
  name: "request timers",
  everyMs: REQUEST_TIMERS_MS,
  isTold: true,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_due_timers()`,
  run: ({ database }, organizationId) => fireDueTimers(organizationId, database),
};

import { organizationsWithDecidedRaces, settleRace } from "../../task-lifecycle/settle-races.ts";
import { SETTLE_RACES_MS } from "../tunables.ts";
import type { Job } from "./jobs.ts";

/** Requests cancellation of the tasks that lost a race. */
export const SETTLE_RACES: Job = {
  name: "settle-races",
  everyMs: SETTLE_RACES_MS,
  isTold: true,
  due: organizationsWithDecidedRaces,
  run: ({ database }, organizationId) => settleRace(organizationId, database),
};

import { dropOldCalls } from "../../servers/call-statistics/transitions.ts";
import { CALLS_FIVE_MINUTES_MS, CALLS_HOURS_MS, CALLS_SWEEP_MS } from "../tunables.ts";
import { allOrganizations, type Job } from "./jobs.ts";

/** Rows at a time. */
const BATCH = 1_000;

/** Deletes counted calls that are older than anybody looks at. Two engines at once delete different rows. */
export const SWEEP_CALLS: Job = {
  name: "calls",
  everyMs: CALLS_SWEEP_MS,
  organizations: allOrganizations,
  async run({ database }, organizationId) {
    const kept = { fiveMinutesMs: CALLS_FIVE_MINUTES_MS, hoursMs: CALLS_HOURS_MS };
    const dropped = await database.withOrganization(organizationId, (tx) =>
      dropOldCalls(organizationId, tx, kept, BATCH),
    );
    return dropped === BATCH;
  },
};

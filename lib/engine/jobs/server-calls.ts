import { dropOldCalls } from "../../servers/call-statistics/transitions.ts";
import { CALLS_FIVE_MINUTES_MS, CALLS_HOURS_MS, CALLS_SWEEP_MS } from "../tunables.ts";
import { ALL_ORGANIZATIONS, type Job } from "./jobs.ts";

/** Rows deleted per transaction. */
const BATCH = 1_000;

/** Deletes call statistics older than any screen shows. Concurrent engines delete different rows. */
export const SWEEP_CALLS: Job = {
  name: "calls",
  everyMs: CALLS_SWEEP_MS,
  isTold: false,
  due: () => ALL_ORGANIZATIONS,
  async run({ database }, organizationId) {
    const kept = { fiveMinutesMs: CALLS_FIVE_MINUTES_MS, hoursMs: CALLS_HOURS_MS };
    const dropped = await database.withOrganization(organizationId, (tx) => dropOldCalls(tx, kept, BATCH));
    return dropped === BATCH;
  },
};

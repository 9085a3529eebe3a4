/** Maintains the overview's figures. */
import { organizationsBehind } from "../../history/events/follow.ts";
import { countHistory, FOLLOWER, sampleOpenTasks } from "../../requests/statistics/statistics-writes.ts";
import { FIGURES_KEPT_DAYS, STATISTICS_MS, TASK_SAMPLE_MS } from "../tunables.ts";
import { ALL_ORGANIZATIONS, type Job } from "./jobs.ts";

/** History lines counted per transaction. */
const BATCH = 500;

export const COUNT_HISTORY: Job = {
  name: "statistics",
  everyMs: STATISTICS_MS,
  isTold: true,
  due: () => organizationsBehind(FOLLOWER),
  run: ({ database }, organizationId) =>
    database.withOrganization(organizationId, (tx) => countHistory(tx, BATCH)),
};

export const SAMPLE_OPEN_TASKS: Job = {
  name: "open tasks",
  everyMs: TASK_SAMPLE_MS,
  isTold: false,
  due: () => ALL_ORGANIZATIONS,
  async run({ database }, organizationId) {
    await database.withOrganization(organizationId, (tx) =>
      sampleOpenTasks(tx, TASK_SAMPLE_MS, FIGURES_KEPT_DAYS),
    );
    return false;
  },
};

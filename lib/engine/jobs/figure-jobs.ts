/** Jobs that count: the overview's figures, and metrics. */
import { organizationsBehind, takeEvents } from "../../history/events/follow.ts";
import { countLines, requestsOf } from "../../history/metrics/history.ts";
import {
  countHistory,
  FOLLOWER as STATISTICS,
  sampleOpenTasks,
} from "../../requests/statistics/statistics-writes.ts";
import { FIGURES_KEPT_DAYS, METRICS_EVERY_MS, STATISTICS_MS, TASK_SAMPLE_MS } from "../tunables.ts";
import { ALL_ORGANIZATIONS, type Job } from "./job-runner.ts";

/** History lines counted per transaction. */
const LINES = 500;

/** Adds up the figures of the overview. */
export const COUNT_HISTORY: Job = {
  name: "statistics",
  everyMs: STATISTICS_MS,
  isTold: true,
  due: () => organizationsBehind(STATISTICS),
  run: ({ database }, organizationId) =>
    database.withOrganization(organizationId, (tx) => countHistory(tx, LINES)),
};

/** Counts open tasks at regular times. */
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

const METRICS = "metrics";

/** Counts metrics from the history, so that writers of history need not. Counters end with the process. */
export const COUNT_LINES: Job = {
  name: METRICS,
  everyMs: METRICS_EVERY_MS,
  isTold: true,
  due: () => organizationsBehind(METRICS),
  async run({ database }, organizationId) {
    const { lines, requests } = await database.withOrganization(organizationId, async (tx) => {
      const lines = await takeEvents(tx, { follower: METRICS, begins: "now" }, LINES);
      return { lines, requests: await requestsOf(tx, lines) };
    });
    countLines(lines, requests);
    return lines.length === LINES;
  },
};

import { organizationsBehind, takeEvents } from "../../events/follow.ts";
import { countLines, requestsOf } from "../../metrics/history.ts";
import { METRICS_EVERY_MS } from "../tunables.ts";
import type { Job } from "./jobs.ts";

const FOLLOWER = "metrics";
const LINES = 500;

/** Counts metrics from the history, so that writers of history need not. Counters end with the process. */
export const COUNT_LINES: Job = {
  name: FOLLOWER,
  everyMs: METRICS_EVERY_MS,
  isTold: true,
  due: () => organizationsBehind(FOLLOWER),
  async run({ database }, organizationId) {
    const { lines, requests } = await database.withOrganization(organizationId, async (tx) => {
      const lines = await takeEvents(tx, { follower: FOLLOWER, begins: "now" }, LINES);
      return { lines, requests: await requestsOf(tx, lines) };
    });
    countLines(lines, requests);
    return lines.length === LINES;
  },
};

/** Jobs that count: the overview's figures, and metrics. */
import { Prisma, type Tx } from "../../base/db/db.ts";
import { type FollowedEvent, organizationsBehind, takeEvents } from "../../history/events/follow.ts";
import { deliveries, events, RESULTS, timeToDecision } from "../../history/metrics/engine.ts";
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

/** Facts about a line's request that the line itself lacks. */
interface RequestFacts {
  openedAt: Date;
  /** The delivery method of the request's last answer; null if no delivery has begun. */
  rung: string | null;
}

async function requestsOf(tx: Tx, lines: FollowedEvent[]): Promise<Map<string, RequestFacts>> {
  const about = lines.filter(({ type }) => type === "answer.recorded" || type in RESULTS);
  const ids = [...new Set(about.flatMap(({ inputRequestId }) => inputRequestId ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await tx.$queryRaw<(RequestFacts & { id: string })[]>(Prisma.sql`
    SELECT r.id, r.created_at AS "openedAt", (SELECT d.rung FROM delivery d WHERE d.organization_id = r.organization_id
      AND d.input_request_id = r.id ORDER BY d.id DESC LIMIT 1) AS rung
    FROM input_request r WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ANY(${ids}::uuid[])`);
  return new Map(rows.map(({ id, ...facts }) => [id, facts]));
}

/** Counts lines that are committed as read. */
function countLines(lines: FollowedEvent[], requests: Map<string, RequestFacts>): void {
  for (const { type, at, inputRequestId, data } of lines) {
    events.inc({ type });
    const request = requests.get(inputRequestId ?? "");
    if (!request) continue;
    const result = RESULTS[type];
    if (result) deliveries.inc({ rung: request.rung ?? "none", result });
    const action = String(data.action);
    if (type === "answer.recorded" && ACTIONS.has(action))
      timeToDecision.observe({ action }, (at.getTime() - request.openedAt.getTime()) / 1000);
  }
}

const ACTIONS = new Set(["accept", "decline", "cancel"]);

import { Prisma } from "../../base/db/db.ts";
import { organizationsBehind, takeEvents } from "../../history/events/follow.ts";
import { countLines, requestsOf } from "../../history/metrics/history.ts";
import {
  callbacksDue,
  deliverCallback,
  organizationsWithCallbacks,
} from "../../lifecycle/human-tasks/callbacks.ts";
import { organizationsWithOwnQuestions, settleOwnQuestions } from "../../lifecycle/human-tasks/settle.ts";
import { fireDueTimers } from "../../lifecycle/request-timers/fire.ts";
import { organizationsWithDecidedRaces, settleRace } from "../../lifecycle/settle-races.ts";
import { convertContent } from "../../people/content-sealing/convert.ts";
import { dropOldCalls } from "../../servers/call-statistics/call-statistics-writes.ts";
import {
  CALLS_FIVE_MINUTES_MS,
  CALLS_HOURS_MS,
  CALLS_SWEEP_MS,
  CONTENT_SEALING_MS,
  METRICS_EVERY_MS,
  NOTIFY_EVERY_MS,
  OWN_QUESTIONS_MS,
  REQUEST_TIMERS_MS,
  SETTLE_RACES_MS,
  WEBHOOK_SENDS,
  WEBHOOK_SENDS_EACH,
} from "../tunables.ts";
import { END_ACKNOWLEDGEMENTS } from "./acknowledgements.ts";
import { AUDIT_STREAMS } from "./audit-streams.ts";
import { AUTOMATIC_ANSWERS } from "./automatic-answers.ts";
import { bulkOperations } from "./bulk-operations.ts";
import { DELETIONS } from "./deletions.ts";
import { ALL_ORGANIZATIONS, type Job, type JobContext } from "./jobs.ts";
import {
  ABSENCES,
  ACCOUNT_MAIL,
  AGENT_WARNINGS,
  DELETE_OLD_ACCOUNT_NOTICES,
  DELETE_OLD_NOTIFICATIONS,
  ENDING_CERTIFICATES,
  KEY_WARNINGS,
  MAIL,
  NOTICES,
  PASSWORD_RESETS,
  RESTING_ACCOUNTS,
  SNOOZES,
  WEBHOOK_DELIVERIES,
  WEBHOOK_OUTBOX,
} from "./notifications.ts";
import { PROPOSALS } from "./proposals.ts";
import { RETENTION } from "./retention.ts";
import { Senders } from "./senders.ts";
import { COUNT_HISTORY, SAMPLE_OPEN_TASKS } from "./statistics.ts";

/** The senders of each engine in this process. */
const senders = new WeakMap<JobContext, Senders>();

/** Tells the addresses of programs that their requests have ended, without waiting, as webhooks are sent. */
const REQUEST_CALLBACKS: Job = {
  name: "request callbacks",
  everyMs: NOTIFY_EVERY_MS,
  isTold: true,
  due: organizationsWithCallbacks,
  async run(context, organizationId) {
    const own =
      senders.get(context) ??
      new Senders(context.log, { all: WEBHOOK_SENDS, each: WEBHOOK_SENDS_EACH }, () => context.tell?.());
    senders.set(context, own);
    const hosts = await context.database.withOrganization(organizationId, (tx) => callbacksDue(tx));
    for (const host of hosts)
      own.begin(`${organizationId} ${host}`, () => deliverCallback(context, organizationId, host));
    return false;
  },
  async settled(context) {
    await senders.get(context)?.end();
  },
};

const FOLLOWER = "metrics";
const LINES = 500;

/** Counts metrics from the history, so that writers of history need not. Counters end with the process. */
const COUNT_LINES: Job = {
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

/** Rows deleted per transaction. */
const BATCH = 1_000;

/** Deletes call statistics older than any screen shows. Concurrent engines delete different rows. */
const SWEEP_CALLS: Job = {
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

/** Fires timers of requests, and moves them when a working calendar has changed. */
const REQUEST_TIMERS: Job = {
  name: "request timers",
  everyMs: REQUEST_TIMERS_MS,
  isTold: true,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_due_timers()`,
  run: ({ database }, organizationId) => fireDueTimers(organizationId, database),
};

/** Seals what tasks of an organization are about, or opens it again, after the switch. */
const CONTENT_SEALING: Job = {
  name: "content-sealing",
  everyMs: CONTENT_SEALING_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_content_to_convert()`,
  run: ({ database }, organizationId) => convertContent(organizationId, database),
};

/** Requests cancellation of the tasks that lost a race. */
const SETTLE_RACES: Job = {
  name: "settle-races",
  everyMs: SETTLE_RACES_MS,
  isTold: true,
  due: organizationsWithDecidedRaces,
  run: ({ database }, organizationId) => settleRace(organizationId, database),
};

/** Settles answers to questions of Intray's own, and ends those whose time is up. */
const OWN_QUESTIONS: Job = {
  name: "own questions",
  everyMs: OWN_QUESTIONS_MS,
  isTold: true,
  due: organizationsWithOwnQuestions,
  run: ({ database }, organizationId) => settleOwnQuestions(organizationId, database),
};

/** All background jobs of an engine. */
export const JOBS: Job[] = [
  SWEEP_CALLS,
  COUNT_LINES,
  OWN_QUESTIONS,
  AUTOMATIC_ANSWERS,
  REQUEST_TIMERS,
  SETTLE_RACES,
  bulkOperations,
  NOTICES,
  AGENT_WARNINGS,
  KEY_WARNINGS,
  RESTING_ACCOUNTS,
  ENDING_CERTIFICATES,
  ABSENCES,
  SNOOZES,
  MAIL,
  ACCOUNT_MAIL,
  PASSWORD_RESETS,
  WEBHOOK_OUTBOX,
  WEBHOOK_DELIVERIES,
  REQUEST_CALLBACKS,
  AUDIT_STREAMS,
  DELETE_OLD_NOTIFICATIONS,
  DELETE_OLD_ACCOUNT_NOTICES,
  END_ACKNOWLEDGEMENTS,
  COUNT_HISTORY,
  SAMPLE_OPEN_TASKS,
  RETENTION,
  PROPOSALS,
  CONTENT_SEALING,
  DELETIONS,
];

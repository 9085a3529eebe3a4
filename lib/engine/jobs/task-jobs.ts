/** Jobs that move tasks and their requests on, which no server's connection does. */
import { Prisma } from "../../base/db/db.ts";
import { carryOutOne, endFinished } from "../../lifecycle/bulk-operations/carry-out.ts";
import {
  organizationsWithOwnQuestions,
  settleOwnQuestions,
} from "../../lifecycle/human-tasks/settle-own-questions.ts";
import { organizationsWithDecidedRaces, settleRace } from "../../lifecycle/races/settle-races.ts";
import { fireDueTimers } from "../../lifecycle/request-timers/fire-timers.ts";
import { endAcknowledgements } from "../../lifecycle/stuck-task-owner-writes.ts";
import { judgeWaiting } from "../../requests/automatic/judge-waiting.ts";
import {
  ACKNOWLEDGEMENTS_MS,
  AUTOMATIC_ANSWERS_MS,
  BULK_BATCH,
  BULK_BATCH_MS,
  BULK_MS,
  OWN_QUESTIONS_MS,
  REQUEST_TIMERS_MS,
  SETTLE_RACES_MS,
} from "../tunables.ts";
import type { Job } from "./job-runner.ts";

/** Settles answers to questions of Intray's own, and ends those whose time is up. */
export const OWN_QUESTIONS: Job = {
  name: "own questions",
  everyMs: OWN_QUESTIONS_MS,
  isTold: true,
  due: organizationsWithOwnQuestions,
  run: ({ database }, organizationId) => settleOwnQuestions(organizationId, database),
};

/** Asks the rules that answer by themselves about new requests. */
export const AUTOMATIC_ANSWERS: Job = {
  name: "automatic answers",
  everyMs: AUTOMATIC_ANSWERS_MS,
  isTold: true,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_automatic_work()`,
  run: ({ database }, organizationId) => judgeWaiting(organizationId, database),
};

/** Fires timers of requests, and moves them when a working calendar has changed. */
export const REQUEST_TIMERS: Job = {
  name: "request timers",
  everyMs: REQUEST_TIMERS_MS,
  isTold: true,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_due_timers()`,
  run: ({ database }, organizationId) => fireDueTimers(organizationId, database),
};

/** Requests cancellation of the tasks that lost a race. */
export const SETTLE_RACES: Job = {
  name: "settle races",
  everyMs: SETTLE_RACES_MS,
  isTold: true,
  due: organizationsWithDecidedRaces,
  run: ({ database }, organizationId) => settleRace(organizationId, database),
};

/** Processes unclaimed items of bulk operations. Concurrent engines skip each other's locked items. */
export const BULK_OPERATIONS: Job = {
  name: "bulk operations",
  everyMs: BULK_MS,
  isTold: true,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_bulk_work()`,
  async run({ database, ...context }, organizationId) {
    const services = { db: database, ...context };
    // Each item may ask a slow server.
    const until = performance.now() + BULK_BATCH_MS;
    for (let done = 0; done < BULK_BATCH && performance.now() < until; done++)
      if (!(await carryOutOne(services, organizationId))) {
        await database.withOrganization(organizationId, (tx) => endFinished(tx));
        return false;
      }
    return true;
  },
};

/** Ends the acknowledgements of tasks that are no longer stuck. */
export const END_ACKNOWLEDGEMENTS: Job = {
  name: "acknowledgements",
  everyMs: ACKNOWLEDGEMENTS_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_acknowledgements()`,
  async run({ database }, organizationId) {
    await database.withOrganization(organizationId, (tx) => endAcknowledgements(tx));
    return false;
  },
};

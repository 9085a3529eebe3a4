import { END_ACKNOWLEDGEMENTS } from "./acknowledgements.ts";
import { AUDIT_STREAMS } from "./audit-streams.ts";
import { AUTOMATIC_ANSWERS } from "./automatic-answers.ts";
import { bulkOperations } from "./bulk-operations.ts";
import { CONTENT_SEALING } from "./content-sealing.ts";
import { DELETIONS } from "./deletions.ts";
import type { Job } from "./jobs.ts";
import { COUNT_LINES } from "./metrics.ts";
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
import { OWN_QUESTIONS } from "./own-questions.ts";
import { PROPOSALS } from "./proposals.ts";
import { REQUEST_CALLBACKS } from "./request-callbacks.ts";
import { REQUEST_TIMERS } from "./request-timers.ts";
import { RETENTION } from "./retention.ts";
import { SWEEP_CALLS } from "./server-calls.ts";
import { SETTLE_RACES } from "./settle-races.ts";
import { COUNT_HISTORY, SAMPLE_OPEN_TASKS } from "./statistics.ts";

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

import { END_ACKNOWLEDGEMENTS } from "./acknowledgements.ts";
import { AUDIT_STREAMS } from "./audit-streams.ts";
import { bulkOperations } from "./bulk-operations.ts";
import type { Job } from "./jobs.ts";
import { COUNT_LINES } from "./metrics.ts";
import {
  DELETE_OLD_NOTIFICATIONS,
  MAIL,
  NOTICES,
  WEBHOOK_DELIVERIES,
  WEBHOOK_OUTBOX,
} from "./notifications.ts";
import { RETENTION } from "./retention.ts";
import { SWEEP_CALLS } from "./server-calls.ts";
import { SETTLE_RACES } from "./settle-races.ts";
import { COUNT_HISTORY, SAMPLE_OPEN_TASKS } from "./statistics.ts";

/** All background jobs of an engine. */
export const JOBS: Job[] = [
  SWEEP_CALLS,
  COUNT_LINES,
  SETTLE_RACES,
  bulkOperations,
  NOTICES,
  MAIL,
  WEBHOOK_OUTBOX,
  WEBHOOK_DELIVERIES,
  AUDIT_STREAMS,
  DELETE_OLD_NOTIFICATIONS,
  END_ACKNOWLEDGEMENTS,
  COUNT_HISTORY,
  SAMPLE_OPEN_TASKS,
  RETENTION,
];

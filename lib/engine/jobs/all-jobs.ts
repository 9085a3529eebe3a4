import { bulkOperations } from "./bulk-operations.ts";
import type { Chore } from "./jobs.ts";
import { COUNT_LINES } from "./metrics.ts";
import { FORGET_TOLD, MAIL, NOTICES, WEBHOOK_DELIVERIES, WEBHOOK_OUTBOX } from "./notifications.ts";
import { RETENTION } from "./retention.ts";
import { SWEEP_CALLS } from "./server-calls.ts";
import { settleRaces } from "./settle-races.ts";
import { COUNT_HISTORY, SAMPLE_OPEN_TASKS } from "./statistics.ts";

/** Every chore of an engine. */
export const CHORES: Chore[] = [
  SWEEP_CALLS,
  COUNT_LINES,
  settleRaces,
  bulkOperations,
  NOTICES,
  MAIL,
  WEBHOOK_OUTBOX,
  WEBHOOK_DELIVERIES,
  FORGET_TOLD,
  COUNT_HISTORY,
  SAMPLE_OPEN_TASKS,
  RETENTION,
];

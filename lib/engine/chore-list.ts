import { SWEEP_CALLS } from "./calls-chore.ts";
import type { Chore } from "./chores.ts";
import { settleRaces } from "./settle-races.ts";

/** Every chore of an engine. */
export const CHORES: Chore[] = [SWEEP_CALLS, settleRaces];
import { COUNT_LINES } from "./metrics-chore.ts";

/** Every chore of an engine. */
export const CHORES: Chore[] = [SWEEP_CALLS, COUNT_LINES];
import { FORGET_TOLD, MAIL, NOTICES, WEBHOOK_DELIVERIES, WEBHOOK_OUTBOX } from "./telling.ts";

/** Every chore of an engine. */
export const CHORES: Chore[] = [NOTICES, MAIL, WEBHOOK_OUTBOX, WEBHOOK_DELIVERIES, FORGET_TOLD];

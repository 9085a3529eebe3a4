import type { Chore } from "./chores.ts";
import { FORGET_TOLD, MAIL, NOTICES, WEBHOOK_DELIVERIES, WEBHOOK_OUTBOX } from "./telling.ts";

/** Every chore of an engine. */
export const CHORES: Chore[] = [NOTICES, MAIL, WEBHOOK_OUTBOX, WEBHOOK_DELIVERIES, FORGET_TOLD];

import { SWEEP_CALLS } from "./calls-chore.ts";
import type { Chore } from "./chores.ts";
import { COUNT_HISTORY, SAMPLE_OPEN_TASKS } from "./statistics.ts";

/** Every chore of an engine. */
export const CHORES: Chore[] = [SWEEP_CALLS, COUNT_HISTORY, SAMPLE_OPEN_TASKS];

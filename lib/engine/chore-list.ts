import { SWEEP_CALLS } from "./calls-chore.ts";
import type { Chore } from "./chores.ts";

/** Every chore of an engine. */
export const CHORES: Chore[] = [SWEEP_CALLS];

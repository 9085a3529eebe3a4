import type { Chore } from "./chores.ts";
import { metricsChore } from "./metrics-chore.ts";

/** Every chore of an engine. */
export const CHORES: Chore[] = [metricsChore];

import type { Chore } from "./chores.ts";
import { RETENTION } from "./retention.ts";

/** Every chore of an engine. */
export const CHORES: Chore[] = [RETENTION];

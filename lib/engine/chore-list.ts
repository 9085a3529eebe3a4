import { bulkOperations } from "./bulk-operations.ts";
import type { Chore } from "./chores.ts";

/** Every chore of an engine. */
export const CHORES: Chore[] = [bulkOperations];

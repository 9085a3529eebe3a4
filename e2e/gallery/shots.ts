/** Every picture of the gallery. */

import type { Shot } from "./shot.ts";
import { AROUND } from "./shots-around.ts";
import { BULK } from "./shots-bulk.ts";
import { DECIDING } from "./shots-deciding.ts";
import { EMPTY_INBOX, FULL_INBOX } from "./shots-inbox.ts";
import { OPERATIONS } from "./shots-operations.ts";
import { PEOPLE } from "./shots-people.ts";
import { README } from "./shots-readme.ts";
import { REQUESTS } from "./shots-request.ts";
import { SETTINGS } from "./shots-settings.ts";
import { TASKS } from "./shots-tasks.ts";

/**
 * Each group is taken in an installation of its own, beside the others; within a group one after the other, and
 * the inbox fills as it goes. The groups take about equally long.
 */
export const GROUPS: Shot[][] = [
  [...EMPTY_INBOX, ...AROUND, ...SETTINGS, ...REQUESTS, ...OPERATIONS],
  [...DECIDING, ...TASKS, ...FULL_INBOX, ...BULK, ...PEOPLE],
];
export const README_SHOTS: Shot[] = README;

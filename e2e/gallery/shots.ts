/** Every picture of the gallery, in the order in which they are taken: the inbox fills as it goes. */

import type { Shot } from "./shot.ts";
import { AROUND } from "./shots-around.ts";
import { BULK } from "./shots-bulk.ts";
import { DECIDING } from "./shots-deciding.ts";
import { EMPTY_INBOX, FULL_INBOX } from "./shots-inbox.ts";
import { OPERATIONS } from "./shots-operations.ts";
import { README } from "./shots-readme.ts";
import { REQUESTS } from "./shots-request.ts";
import { TASKS } from "./shots-tasks.ts";

export const SHOTS: Shot[] = [
  ...EMPTY_INBOX,
  ...AROUND,
  ...REQUESTS,
  ...DECIDING,
  ...TASKS,
  ...OPERATIONS,
  ...FULL_INBOX,
  ...BULK,
];
export const README_SHOTS: Shot[] = README;

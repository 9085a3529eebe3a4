/** Helpers of the engine's writes to tasks. */

import type { Content } from "../base/content/content.ts";
import { storable, storableText, type Tx } from "../base/db/db.ts";
import { publishChange } from "../base/live-updates.ts";
import { appendEvents, ENGINE_ACTOR, type NewEvent } from "../history/events/event-writes.ts";

/** Publishes a hint and appends history lines about a task. Must come last: locks the head of the chain. */
export async function record(
  tx: Tx,
  taskId: string,
  events: Pick<NewEvent, "type" | "data">[],
): Promise<void> {
  await publishChange(tx, "task", [taskId]);
  await appendEvents(
    tx,
    events.map((event) => ({ ...event, actor: ENGINE_ACTOR, taskId })),
  );
}

/** Returns the text without what Postgres can't store. */
export function text(value: string | null): string | null {
  return value === null ? null : storableText(value);
}

/** Returns a task's error as it is stored: its code stays readable. */
export function storedError(
  content: Content,
  taskId: string,
  error: { code: string; message: string; [more: string]: unknown },
): string {
  return JSON.stringify(content.json("task.error", taskId, storable(error), { code: error.code }));
}

/** Rounds to whole ms within Postgres's integer range; returns null unless the number is finite. */
export function wholeMs(value: number | null): number | null {
  return value === null || !Number.isFinite(value)
    ? null
    : Math.min(2_147_483_647, Math.max(0, Math.round(value)));
}

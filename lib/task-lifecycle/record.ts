/** What the engine's writers of tasks share. */

import { storableText, type Tx } from "../base/db/db.ts";
import { appendEvents, ENGINE_ACTOR, type NewEvent } from "../events/transitions.ts";
import { publishChange } from "../live-updates/transitions.ts";

/** A hint and history lines about a task. Called last: it takes the lock on the chain's head. */
export async function record(
  organizationId: string,
  tx: Tx,
  taskId: string,
  events: Pick<NewEvent, "type" | "data">[],
): Promise<void> {
  await publishChange(organizationId, tx, "task", [taskId]);
  await appendEvents(
    organizationId,
    tx,
    events.map((event) => ({ ...event, actor: ENGINE_ACTOR, taskId })),
  );
}

/** As Postgres can keep it. */
export function text(value: string | null): string | null {
  return value === null ? null : storableText(value);
}

/** Whole ms within Postgres' integer, whatever a server says. */
export function wholeMs(value: number | null): number | null {
  return value === null || !Number.isFinite(value)
    ? null
    : Math.min(2_147_483_647, Math.max(0, Math.round(value)));
}

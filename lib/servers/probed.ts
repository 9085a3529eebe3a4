/** Stores probe results. */

import { storable, type Tx } from "../base/db/db.ts";
import { publishChange } from "../base/live-updates.ts";
import { appendEvents, type NewEvent } from "../history/events/event-writes.ts";
import { recordHealth } from "./health.ts";
import type { Probe } from "./probe.ts";
import { recordTools } from "./tool-changes.ts";

/** Stores the probe result of an existing server. Values that the probe could not determine stay. */
export async function recordProbe(tx: Tx, serverId: string, probed: Probe): Promise<void> {
  const events: NewEvent[] = [];
  if (probed.found) {
    const { count } = await tx.server.updateMany({
      where: { organizationId: tx.organizationId, id: serverId, removedAt: null },
      data: whatWasFound(probed),
    });
    if (count === 1) events.push(...(await recordTools(tx, serverId, probed.found.tools)));
    await publishChange(tx, "server", [serverId]);
  }
  await recordHealth(tx, serverId, probed.health);
  await appendEvents(tx, events);
}

export function whatWasFound({ found }: Probe) {
  if (!found) return {};
  return {
    era: found.era,
    capabilities: storable(found.capabilities),
    tools: storable(found.tools),
    toolsCheckedAt: new Date(),
  };
}

/** The operator's quotas of an organization, its members and API keys: open tasks, and starts per minute. */
import type { Tx } from "../../base/db/db.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { COMMAND_LINE } from "./organization-writes.ts";

export interface Quota {
  openTasks: number;
  startsAMinute: number;
  /** The quota of one member or API key. */
  openTasksEach: number;
  startsAMinuteEach: number;
}

/** The quota where the operator has set none. */
const DEFAULT_QUOTA: Quota = {
  openTasks: 100_000,
  startsAMinute: 12_000,
  openTasksEach: 50_000,
  startsAMinuteEach: 6_000,
};

export async function readQuota(tx: Tx): Promise<Quota> {
  return quotaOf(await tx.quota.findUnique({ where: { organizationId: tx.organizationId } }));
}

/** The quota of an organization, by what the operator has set. */
export function quotaOf(own: Partial<Record<keyof Quota, number | null>> | null): Quota {
  return {
    openTasks: own?.openTasks ?? DEFAULT_QUOTA.openTasks,
    startsAMinute: own?.startsAMinute ?? DEFAULT_QUOTA.startsAMinute,
    openTasksEach: own?.openTasksEach ?? DEFAULT_QUOTA.openTasksEach,
    startsAMinuteEach: own?.startsAMinuteEach ?? DEFAULT_QUOTA.startsAMinuteEach,
  };
}

/** Sets the given quotas and leaves the rest. Only as the database's owner. */
export async function setQuota(tx: Tx, quota: Partial<Quota>): Promise<Quota> {
  await tx.quota.upsert({
    where: { organizationId: tx.organizationId },
    create: { organizationId: tx.organizationId, ...quota },
    update: quota,
  });
  const now = await readQuota(tx);
  await appendEvents(tx, [{ type: "organization.quota_changed", actor: COMMAND_LINE, data: { ...now } }]);
  return now;
}

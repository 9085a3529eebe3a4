/** Checks starts against the quotas of an organization and of each requester. */

import type { Principal } from "../access/principal.ts";
import type { Tx } from "../base/db/db.ts";
import { type DeferredWrite, deferWrite } from "../base/db/deferred-writes.ts";
import { AppError } from "../base/errors.ts";
import { type Quota, quotaOf } from "../people/organizations/quota.ts";

const MINUTE_MS = 60_000;

/** Far more starts than an organization can have in concurrent transactions. */
const UNDER_WAY = 2_000;

/**
 * Throws `quota_exceeded` if the `added` starts that this transaction has written exceed a quota. Near a
 * limit the starts are counted again at the transaction's end, under the history's lock, so that two
 * concurrent ones can't both be the last. Far from it nobody waits for that lock.
 */
export async function refuseBeyondQuota(tx: Tx, principal: Principal, added: number): Promise<void> {
  const left = await refuse(tx, principal, added);
  if (left < UNDER_WAY) deferWrite(tx, QUOTA, [{ principal, added }]);
}

const QUOTA: DeferredWrite<{ principal: Principal; added: number }> = {
  name: "quota",
  order: 3,
  async write(tx, starts) {
    for (const group of Map.groupBy(starts, ({ principal }) => principal.actor.id).values())
      await refuse(tx, group[0]!.principal, sum(group.map(({ added }) => added)));
  },
};

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);

/** Throws `quota_exceeded`, or returns how many more starts the quotas allow. */
async function refuse(tx: Tx, principal: Principal, added: number): Promise<number> {
  const counted = await countStarts(tx, principal);
  const { all, own, freeMs, freeOwnMs, open, ownOpen } = counted;
  const quota = quotaOf(counted.quota);
  if (all > quota.startsAMinute) throw exceeded("starts", quota.startsAMinute, freeMs);
  if (own > quota.startsAMinuteEach) throw exceeded("own_starts", quota.startsAMinuteEach, freeOwnMs);
  // The counters cover committed tasks only.
  if (open + added > quota.openTasks) throw exceeded("open_tasks", quota.openTasks, MINUTE_MS);
  if (ownOpen + added > quota.openTasksEach) throw exceeded("own_open_tasks", quota.openTasksEach, MINUTE_MS);
  return Math.min(
    quota.startsAMinute - all,
    quota.startsAMinuteEach - own,
    quota.openTasks - open - added,
    quota.openTasksEach - ownOpen - added,
  );
}

function exceeded(quota: QuotaName, limit: number, retryAfterMs: number): AppError {
  const count = limit.toLocaleString("en");
  return new AppError("quota_exceeded", WORDS[quota](count), { extra: { quota, limit }, retryAfterMs });
}

const WORDS = {
  starts: (count: string) =>
    `Your organization has reached its limit of ${count} task starts a minute. Try again in a moment.`,
  own_starts: (count: string) =>
    `You have reached your limit of ${count} task starts a minute. Try again in a moment.`,
  open_tasks: (count: string) =>
    `Your organization has reached its limit of ${count} open tasks. Let some end, or ask the person who runs Intray for more.`,
  own_open_tasks: (count: string) =>
    `You have reached your limit of ${count} open tasks. Let some end, or ask the person who runs Intray for more.`,
};
type QuotaName = keyof typeof WORDS;

/** Reads what the operator has set, and counts starts of the last minute, the ms until the oldest no longer counts, and tasks open before. */
async function countStarts(tx: Tx, { actor }: Principal) {
  const { organizationId } = tx;
  const counter = JSON.stringify({ kind: actor.kind, id: actor.id });
  const [row] = await tx.$queryRaw<
    {
      all: number;
      own: number;
      freeMs: number | null;
      freeOwnMs: number | null;
      open: number;
      ownOpen: number;
      quota: Partial<Record<keyof Quota, number | null>> | null;
    }[]
  >`
    SELECT count(*)::integer AS all, (count(*) FILTER (WHERE own))::integer AS own,
      min(left_ms)::integer AS "freeMs", (min(left_ms) FILTER (WHERE own))::integer AS "freeOwnMs",
      (SELECT coalesce(sum(tasks), 0)::integer FROM open_tasks WHERE organization_id = ${organizationId}::uuid) AS open,
      coalesce((SELECT tasks FROM open_tasks WHERE organization_id = ${organizationId}::uuid
        AND requester = task_requester(${counter}::jsonb)), 0) AS "ownOpen",
      (SELECT json_build_object('openTasks', q.open_tasks, 'startsAMinute', q.starts_a_minute,
          'openTasksEach', q.open_tasks_each, 'startsAMinuteEach', q.starts_a_minute_each)
        FROM quota q WHERE q.organization_id = ${organizationId}::uuid) AS quota
    FROM (SELECT requested_by->>'kind' = ${actor.kind} AND requested_by->>'id' IS NOT DISTINCT FROM ${actor.id} AS own,
        greatest(1, ${MINUTE_MS} - extract(epoch FROM clock_timestamp() - created_at) * 1000) AS left_ms
      FROM task WHERE organization_id = ${organizationId}::uuid AND NOT adopted
        AND created_at > clock_timestamp() - ${MINUTE_MS} * interval '1 ms') started`;
  if (!row) throw new Error("the starts were not counted");
  return { ...row, freeMs: row.freeMs ?? MINUTE_MS, freeOwnMs: row.freeOwnMs ?? MINUTE_MS };
}

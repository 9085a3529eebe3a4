/** Whether a start is within the quotas of an organization, and of who starts. */
import type { Tx } from "../db.ts";
import { AppError } from "../errors.ts";
import { type Quota, readQuota } from "../organizations/quota.ts";
import type { Principal } from "../principal.ts";
import { taskStateSchema } from "./schema.ts";
import { hasEnded } from "./status.ts";

const MINUTE_MS = 60_000;

/**
 * Throws `quota_exceeded` where the start that this transaction has just written is one too many. Starts of an
 * organization wait for each other from here to the commit, so that two at once cannot both be the last one: call it
 * as late as can be.
 */
export async function refuseBeyondQuota(organizationId: string, tx: Tx, principal: Principal): Promise<void> {
  const quota = await readQuota(organizationId, tx);
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`starts ${organizationId}`}, 0))`;
  const { all, own, freeMs, freeOwnMs, open } = await countStarts(organizationId, tx, principal, quota);
  if (all > quota.startsAMinute) throw exceeded("starts", quota.startsAMinute, freeMs);
  if (own > quota.startsAMinuteEach) throw exceeded("own_starts", quota.startsAMinuteEach, freeOwnMs);
  if (open > quota.openTasks) throw exceeded("open_tasks", quota.openTasks, MINUTE_MS);
  // Nobody has more than all have together, so that this is rarely asked.
  if (open <= quota.openTasksEach) return;
  if ((await countOwnOpen(organizationId, tx, principal, quota.openTasksEach + 1)) > quota.openTasksEach)
    throw exceeded("own_open_tasks", quota.openTasksEach, MINUTE_MS);
}

function exceeded(quota: QuotaName, limit: number, retryAfterMs: number): AppError {
  const count = limit.toLocaleString("en");
  return new AppError("quota_exceeded", WORDS[quota](count), { extra: { quota, limit }, retryAfterMs });
}

const WORDS = {
  starts: (count: string) =>
    `Your organization started as many tasks in the last minute as it may (${count}). Try again in a moment.`,
  own_starts: (count: string) =>
    `You started as many tasks in the last minute as you may (${count}). Try again in a moment.`,
  open_tasks: (count: string) =>
    `Your organization has as many open tasks as it may (${count}). Let some end, or ask whoever runs this Intray for more.`,
  own_open_tasks: (count: string) =>
    `You have as many open tasks as you may (${count}). Let some end, or ask whoever runs this Intray for more.`,
};
type QuotaName = keyof typeof WORDS;

/** Starts of the last minute, with the time until the oldest no longer counts; and open tasks, no further than needed. */
async function countStarts(organizationId: string, tx: Tx, { actor }: Principal, { openTasks }: Quota) {
  const [row] = await tx.$queryRaw<
    { all: number; own: number; freeMs: number | null; freeOwnMs: number | null; open: number }[]
  >`
    SELECT count(*)::integer AS all, (count(*) FILTER (WHERE own))::integer AS own,
      min(left_ms)::integer AS "freeMs", (min(left_ms) FILTER (WHERE own))::integer AS "freeOwnMs",
      (SELECT count(*)::integer FROM (SELECT FROM task WHERE organization_id = ${organizationId}::uuid
        AND state = ANY (${OPEN}) LIMIT ${openTasks + 1}) open) AS open
    FROM (SELECT requested_by->>'kind' = ${actor.kind} AND requested_by->>'id' IS NOT DISTINCT FROM ${actor.id} AS own,
        greatest(1, ${MINUTE_MS} - extract(epoch FROM clock_timestamp() - created_at) * 1000) AS left_ms
      FROM task WHERE organization_id = ${organizationId}::uuid AND NOT adopted
        AND created_at > clock_timestamp() - ${MINUTE_MS} * interval '1 ms') started`;
  if (!row) throw new Error("the starts were not counted");
  return { ...row, freeMs: row.freeMs ?? MINUTE_MS, freeOwnMs: row.freeOwnMs ?? MINUTE_MS };
}

/** No further than `most`. */
async function countOwnOpen(
  organizationId: string,
  tx: Tx,
  { actor }: Principal,
  most: number,
): Promise<number> {
  const [row] = await tx.$queryRaw<{ count: number }[]>`SELECT count(*)::integer AS count FROM (
    SELECT FROM task WHERE organization_id = ${organizationId}::uuid AND state = ANY (${OPEN})
      AND requested_by->>'kind' = ${actor.kind} AND requested_by->>'id' IS NOT DISTINCT FROM ${actor.id}
    LIMIT ${most}) open`;
  return row?.count ?? 0;
}

const OPEN = taskStateSchema.options.filter((state) => !hasEnded(state));

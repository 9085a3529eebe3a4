import { type Quota, readQuota, setQuota } from "../../../lib/people/organizations/quota.ts";
import { read, UsageError } from "../usage.ts";
import { organizationBySlug, withOwnerDatabase } from "../with-database.ts";

const OPTIONS = {
  open: "openTasks",
  starts: "startsAMinute",
  "open-each": "openTasksEach",
  "starts-each": "startsAMinuteEach",
} as const satisfies Record<string, keyof Quota>;

/** Sets an organization's quotas and returns all of them; without options it only shows them. */
export async function setQuotaCommand(args: string[]): Promise<string> {
  const { values, words } = read(args, Object.keys(OPTIONS) as (keyof typeof OPTIONS)[], 1);
  const quota: Partial<Quota> = {};
  for (const [name, value] of Object.entries(values))
    quota[OPTIONS[name as keyof typeof OPTIONS]] = readCount(value, `--${name}`);
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, words[0] ?? "");
    const now = await db.withOrganization(organizationId, (tx) =>
      Object.keys(quota).length > 0 ? setQuota(tx, quota) : readQuota(tx),
    );
    return JSON.stringify(now);
  });
}

function readCount(value: string, name: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`${name}: "${value}" is not a number of tasks.`);
  return Number(value);
}

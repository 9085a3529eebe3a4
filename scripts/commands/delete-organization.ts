import { Prisma } from "../../lib/base/db/db.ts";
import { CommandError, read, required, UsageError } from "./usage.ts";
import { organizationBySlug, withOwnerDatabase } from "./with-database.ts";

/** Longer than any organization is old: the operator's own export or backup counts. */
const ANY_EXPORT_MS = 36_500n * 86_400_000n;

const REFUSALS: Record<string, string> = {
  export_first: "An owner has never exported it. An owner exports it first, under Settings → Organization.",
  tasks_open: "There are tasks that still run. Cancel them or let them end first.",
};

/** Deletes an organization at once, without the three days that its owners have. */
export async function deleteOrganizationCommand(args: string[]): Promise<string> {
  const { values, words } = read(args, ["confirm"], 1);
  const slug = required(words[0], "The slug");
  if (values.confirm !== slug) throw new UsageError(`Say --confirm ${slug} to delete it for good.`);
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    const held = await db.withOrganization(organizationId, (tx) =>
      tx.organization.count({ where: { id: organizationId, holdAt: { not: null } } }),
    );
    if (held > 0) throw new CommandError(`"${slug}" is under a legal hold. One of its owners lifts it.`);
    const [row] = await db.gate<{ refusal: string | null }>(
      Prisma.sql`SELECT gate.delete_organization(${organizationId}::uuid, ${slug}, ${ANY_EXPORT_MS}::bigint) AS refusal`,
    );
    if (row?.refusal) throw new CommandError(REFUSALS[row.refusal] ?? "It was not deleted.");
    return `"${slug}" is deleted.`;
  });
}

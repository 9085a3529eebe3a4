import { type Database, Prisma } from "../base/db/db.ts";
import { AppError, notFound } from "../base/errors.ts";

const REFUSALS = {
  export_first: "Export the organization first; it can be deleted within an hour of that.",
  tasks_open: "There are tasks that still run. Cancel them or let them end first.",
};

/**
 * Deletes all rows of an organization in one transaction, with the accounts that belong to no other
 * organization and their sessions. `exportCountsMs`: how long after an export the deletion is allowed. Throws
 * `export_first`, `tasks_open`, and `invalid_input` for a slug other than the organization's own.
 */
export async function deleteOrganization(
  organizationId: string,
  db: Database,
  organization: { slug: string },
  typedSlug: string,
  exportCountsMs: number,
): Promise<void> {
  if (typedSlug !== organization.slug)
    throw new AppError("invalid_input", "Some values are not valid.", {
      errors: [{ field: "slug", message: `Type ${organization.slug}` }],
    });
  const [row] = await db.gate<{ refusal: string | null }>(Prisma.sql`SELECT gate.delete_organization(
    ${organizationId}::uuid, ${typedSlug}, ${exportCountsMs}::bigint) AS refusal`);
  if (row?.refusal === "export_first" || row?.refusal === "tasks_open")
    throw new AppError(row.refusal, REFUSALS[row.refusal]);
  if (!row || row.refusal !== null) throw notFound("organization");
}

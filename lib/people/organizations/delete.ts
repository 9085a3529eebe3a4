/**
 * The end of an organization: asked for by an owner, three days later done by the engine, and taken back meanwhile by
 * any owner. The database counts the days.
 */

import { actorSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { type Database, Prisma, storable, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import type { Deletion } from "./organization-schema.ts";

/** As in the function `gate.delete_due_organization`, which decides. */
const WAIT_MS = 72 * 3600_000;

/**
 * Asks for the deletion; a second time changes nothing. `exportCountsMs`: how long after an export this is allowed.
 * Throws `export_first`, and `invalid_input` for a slug other than the organization's own.
 */
export async function requestDeletion(
  tx: Tx,
  { actor }: Principal,
  typedSlug: string,
  exportCountsMs: number,
): Promise<void> {
  const [own] = await tx.$queryRaw<{ slug: string; exported: boolean; waits: boolean }[]>`
    SELECT slug, coalesce(exported_at > now() - ${exportCountsMs} * interval '1 ms', false) AS exported,
      deletion_requested_at IS NOT NULL AS waits
    FROM organization WHERE id = ${tx.organizationId}::uuid FOR NO KEY UPDATE`;
  if (!own) throw notFound("organization");
  if (typedSlug !== own.slug)
    throw new AppError("invalid_input", "Some values are not valid.", {
      errors: [{ field: "slug", message: `Type ${own.slug}` }],
    });
  if (!own.exported)
    throw new AppError(
      "export_first",
      "Export the organization first; its deletion can be asked for within an hour of that.",
    );
  if (own.waits) return;
  await tx.organization.updateMany({
    where: { id: tx.organizationId, deletionRequestedAt: null },
    data: { deletionRequestedAt: new Date(), deletionRequestedBy: storable(actor) },
  });
  await appendEvents(tx, [
    { type: "organization.deletion_requested", actor, data: { organizationId: tx.organizationId } },
  ]);
}

/** Takes the deletion back. Throws `not_found` where none was asked for. */
export async function withdrawDeletion(tx: Tx, { actor }: Principal): Promise<void> {
  const { count } = await tx.organization.updateMany({
    where: { id: tx.organizationId, deletionRequestedAt: { not: null } },
    data: { deletionRequestedAt: null, deletionRequestedBy: Prisma.DbNull },
  });
  if (count === 0) throw notFound("deletion");
  await appendEvents(tx, [
    { type: "organization.deletion_withdrawn", actor, data: { organizationId: tx.organizationId } },
  ]);
}

/** Deletes the organization if its days are over, no task is open and no legal hold stands. The engine's. */
export async function deleteWhenDue(organizationId: string, db: Database): Promise<boolean> {
  const [row] = await db.gate<{ deleted: boolean }>(
    Prisma.sql`SELECT gate.delete_due_organization(${organizationId}::uuid) AS deleted`,
  );
  return row?.deleted === true;
}

export async function readDeletion(tx: Tx): Promise<Deletion | null> {
  const row = await tx.organization.findUniqueOrThrow({
    where: { id: tx.organizationId },
    select: { deletionRequestedAt: true, deletionRequestedBy: true },
  });
  return toDeletion(row);
}

/** The deletion that waits, or null. */
export function toDeletion(row: {
  deletionRequestedAt: Date | null;
  deletionRequestedBy: unknown;
}): Deletion | null {
  const { deletionRequestedAt: at, deletionRequestedBy: by } = row;
  if (!at) return null;
  const takesEffectAt = new Date(at.getTime() + WAIT_MS).toISOString();
  return { by: actorSchema.parse(by), at: at.toISOString(), takesEffectAt };
}

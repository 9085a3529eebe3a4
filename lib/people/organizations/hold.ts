/** The legal hold: while it stands, nothing of the organization is swept, and no deletion takes effect. */

import { actorSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { Prisma, storable, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import type { Hold } from "./organization-schema.ts";

/** Sets the hold, or changes its reason. Throws `forbidden` for an API key. */
export async function setHold(tx: Tx, principal: Principal, { reason }: { reason: string }): Promise<void> {
  const { actor } = inPerson(principal);
  await tx.organization.updateMany({
    where: { id: tx.organizationId },
    data: { holdAt: new Date(), holdBy: storable(actor), holdReason: reason },
  });
  await appendEvents(tx, [{ type: "organization.hold_set", actor, data: { reason } }]);
}

/** Throws `not_found` where none stands, and `forbidden` for an API key. */
export async function liftHold(tx: Tx, principal: Principal): Promise<void> {
  const { actor } = inPerson(principal);
  const { count } = await tx.organization.updateMany({
    where: { id: tx.organizationId, holdAt: { not: null } },
    data: { holdAt: null, holdBy: Prisma.DbNull, holdReason: null },
  });
  if (count === 0) throw notFound("legal hold");
  await appendEvents(tx, [{ type: "organization.hold_lifted", actor }]);
}

/** Throws `legal_hold` while one stands: nothing is deleted for good. */
export async function refuseUnderHold(tx: Tx): Promise<void> {
  const standing = await tx.organization.count({ where: { id: tx.organizationId, holdAt: { not: null } } });
  if (standing > 0)
    throw new AppError("legal_hold", "A legal hold is set: nothing can be deleted until it is lifted.");
}

export function toHold(row: {
  holdAt: Date | null;
  holdBy: unknown;
  holdReason: string | null;
}): Hold | null {
  if (!row.holdAt) return null;
  return { by: actorSchema.parse(row.holdBy), at: row.holdAt.toISOString(), reason: row.holdReason ?? "" };
}

function inPerson(principal: Principal): Principal {
  if (principal.userId === null)
    throw new AppError("forbidden", "Only a person can set or lift a legal hold, not an API key.");
  return principal;
}

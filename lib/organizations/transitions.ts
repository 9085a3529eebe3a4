import { allows } from "../access/key-scope.ts";
import type { Principal } from "../access/principal.ts";
import type { Actor } from "../access/schema.ts";
import type { Tx } from "../base/db/db.ts";
import { AppError } from "../base/errors.ts";
import { appendEvents } from "../events/transitions.ts";
import { unassignUnable } from "../members/unassign.ts";
import type { UpdateOrganization } from "./schema.ts";

/** The actor of the operator's commands. */
export const COMMAND_LINE: Actor = { kind: "system", id: null, name: "Command line" };

/** Makes an organization with a new id. Only as the database's owner. Throws on a slug that is taken. */
export async function createOrganization(
  organizationId: string,
  tx: Tx,
  organization: { slug: string; name: string },
): Promise<void> {
  await tx.organization.create({ data: { id: organizationId, ...organization } });
  await appendEvents(organizationId, tx, [
    { type: "organization.created", actor: COMMAND_LINE, data: organization },
  ]);
}

/**
 * Renames the organization, or switches the rule of a second person, which frees requests from who may not accept
 * them by it, or allows keys without an end, which only owners may. Records only real changes.
 */
export async function updateOrganization(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  { name, fourEyes, keysWithoutEnd }: UpdateOrganization,
): Promise<void> {
  if (keysWithoutEnd !== undefined && !allows(principal, "owners:manage"))
    throw new AppError("forbidden", "Only an owner decides whether API keys may have no end.");
  const { actor } = principal;
  const write = async (data: UpdateOrganization) =>
    (await tx.organization.updateMany({ where: { id: organizationId, NOT: data }, data })).count > 0;
  const renamed = name !== undefined && (await write({ name }));
  const switched = fourEyes !== undefined && (await write({ fourEyes }));
  const freed = keysWithoutEnd !== undefined && (await write({ keysWithoutEnd }));
  if (switched && fourEyes) await unassignUnable(organizationId, tx, null);
  await appendEvents(organizationId, tx, [
    ...(renamed ? [{ type: "organization.renamed" as const, actor, data: { name } }] : []),
    ...(switched ? [{ type: "organization.four_eyes_changed" as const, actor, data: { fourEyes } }] : []),
    ...(freed
      ? [{ type: "organization.keys_without_end_changed" as const, actor, data: { keysWithoutEnd } }]
      : []),
  ]);
}

/** Records that an owner has exported the organization completely. */
export async function markExported(
  organizationId: string,
  tx: Tx,
  { actor }: Principal,
  lines: number,
): Promise<void> {
  await tx.organization.update({ where: { id: organizationId }, data: { exportedAt: new Date() } });
  await appendEvents(organizationId, tx, [{ type: "organization.exported", actor, data: { lines } }]);
}

import type { Actor } from "../../access/access-schema.ts";
import { allows } from "../../access/key-scope.ts";
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { beginFourEyes, proposeEnd } from "./four-eyes.ts";
import type { DeclineReasons, UndoWindow, UpdateOrganization } from "./organization-schema.ts";

/** The actor of the operator's commands. */
export const COMMAND_LINE: Actor = { kind: "system", id: null, name: "Command line" };

/** Makes an organization with a new id. Only as the database's owner. Throws on a slug that is taken. */
export async function createOrganization(
  tx: Tx,
  organization: { slug: string; name: string },
): Promise<void> {
  await tx.organization.create({ data: { id: tx.organizationId, ...organization } });
  await appendEvents(tx, [{ type: "organization.created", actor: COMMAND_LINE, data: organization }]);
}

/**
 * Renames the organization; requires a second person, at once; proposes to require none any more; or allows keys
 * without an end, which only owners may. Records only real changes.
 */
export async function updateOrganization(
  tx: Tx,
  principal: Principal,
  { name, fourEyes, keysWithoutEnd, pushText }: UpdateOrganization,
): Promise<void> {
  if (name !== undefined) await rename(tx, principal, name);
  if (fourEyes === true) await beginFourEyes(tx, principal);
  if (fourEyes === false) await proposeEnd(tx, principal);
  if (keysWithoutEnd !== undefined) await allowKeysWithoutEnd(tx, principal, keysWithoutEnd);
  if (pushText !== undefined) await allowPushText(tx, principal, pushText);
}

async function allowPushText(tx: Tx, { actor }: Principal, pushText: boolean): Promise<void> {
  const { organizationId } = tx;
  const { count } = await tx.organization.updateMany({
    where: { id: organizationId, NOT: { pushText } },
    data: { pushText },
  });
  if (count === 0) return;
  await tx.pushDevice.updateMany({ where: { organizationId, showsText: true }, data: { dueAt: new Date() } });
  await appendEvents(tx, [{ type: "organization.push_text_changed", actor, data: { pushText } }]);
}

async function allowKeysWithoutEnd(tx: Tx, principal: Principal, keysWithoutEnd: boolean): Promise<void> {
  if (!allows(principal, "owners:manage"))
    throw new AppError("forbidden", "Only an owner decides whether API keys may have no end.");
  const { count } = await tx.organization.updateMany({
    where: { id: tx.organizationId, NOT: { keysWithoutEnd } },
    data: { keysWithoutEnd },
  });
  if (count > 0)
    await appendEvents(tx, [
      { type: "organization.keys_without_end_changed", actor: principal.actor, data: { keysWithoutEnd } },
    ]);
}

async function rename(tx: Tx, { actor }: Principal, name: string): Promise<void> {
  const { count } = await tx.organization.updateMany({
    where: { id: tx.organizationId, NOT: { name } },
    data: { name },
  });
  if (count > 0) await appendEvents(tx, [{ type: "organization.renamed", actor, data: { name } }]);
}

/** Records that an owner begins to export the organization: the first bytes may be all that is wanted. */
export async function markExportBegun(tx: Tx, { actor }: Principal): Promise<void> {
  await appendEvents(tx, [{ type: "organization.export_begun", actor }]);
}

/** Records that an export ended before its end, after so many lines. */
export async function markExportBroken(tx: Tx, { actor }: Principal, lines: number): Promise<void> {
  await appendEvents(tx, [{ type: "organization.export_broken_off", actor, data: { lines } }]);
}

/** Records that an owner has exported the organization completely. */
export async function markExported(tx: Tx, { actor }: Principal, lines: number): Promise<void> {
  await tx.organization.update({ where: { id: tx.organizationId }, data: { exportedAt: new Date() } });
  await appendEvents(tx, [{ type: "organization.exported", actor, data: { lines } }]);
}

export async function setDeclineReasons(
  tx: Tx,
  principal: Principal,
  { reasons }: DeclineReasons,
): Promise<void> {
  await tx.organization.update({ where: { id: tx.organizationId }, data: { declineReasons: reasons } });
  const { actor } = principal;
  await appendEvents(tx, [{ type: "organization.decline_reasons_changed", actor, data: { reasons } }]);
}

export async function setUndoWindow(tx: Tx, principal: Principal, { holdMs }: UndoWindow): Promise<void> {
  await tx.organization.update({ where: { id: tx.organizationId }, data: { undoWindowMs: holdMs } });
  const { actor } = principal;
  await appendEvents(tx, [{ type: "organization.undo_window_changed", actor, data: { holdMs } }]);
}

/** An organization's settings for answers: the reasons for declining that it offers, and the undo window. */

import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import type { DeclineReasons, UndoWindow } from "./organization-schema.ts";

export async function readDeclineReasons(tx: Tx): Promise<DeclineReasons> {
  const { declineReasons } = await tx.organization.findUniqueOrThrow({
    where: { id: tx.organizationId },
    select: { declineReasons: true },
  });
  return { reasons: declineReasons };
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

export async function readUndoWindow(tx: Tx): Promise<UndoWindow> {
  const { undoWindowMs } = await tx.organization.findUniqueOrThrow({
    where: { id: tx.organizationId },
    select: { undoWindowMs: true },
  });
  return { holdMs: undoWindowMs };
}

export async function setUndoWindow(tx: Tx, principal: Principal, { holdMs }: UndoWindow): Promise<void> {
  await tx.organization.update({ where: { id: tx.organizationId }, data: { undoWindowMs: holdMs } });
  const { actor } = principal;
  await appendEvents(tx, [{ type: "organization.undo_window_changed", actor, data: { holdMs } }]);
}

/** All writes to saved views. History records only what others see: sharing a view, and ending that. */

import { may } from "../../access/permissions.ts";
import { type Principal, selfOf } from "../../access/principal.ts";
import { isUniqueViolation } from "../../base/db/database-errors.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { readView } from "./saved-view-reads.ts";
import type { CreateViewInput, SavedView, UpdateViewInput } from "./saved-view-schema.ts";

const MOST_VIEWS = 50;

/** Returns the user whose views are used. Throws `forbidden` for an API key, which looks at no pages. */
export function viewer(principal: Principal): string {
  const userId = selfOf(principal);
  if (userId === null) throw new AppError("forbidden", "Only a member has saved views, not an API key.");
  return userId;
}

/** Throws `forbidden`, `name_taken`, `too_many_views`. */
export async function createView(tx: Tx, principal: Principal, input: CreateViewInput): Promise<string> {
  const userId = viewer(principal);
  if (input.shared) refuseSharing(principal);
  // Locks the member: of two simultaneous calls, the second counts the first one's view.
  await tx.$queryRaw`SELECT 1 FROM membership WHERE organization_id = ${tx.organizationId}::uuid
    AND user_id = ${userId}::uuid FOR NO KEY UPDATE`;
  if ((await tx.savedView.count({ where: { organizationId: tx.organizationId, userId } })) >= MOST_VIEWS)
    throw new AppError(
      "too_many_views",
      `You have ${MOST_VIEWS} views, which is the limit. Delete one first.`,
    );
  const id = uuidv7();
  await tx.savedView
    .create({ data: { organizationId: tx.organizationId, id, userId, ...input } })
    .catch(refuseTakenName);
  if (input.shared) await tellOfSharing(tx, principal, { id, ...input });
  return id;
}

/** Returns the changed view, visible or not. Throws `not_found`, `forbidden`, `name_taken`. */
export async function updateView(
  tx: Tx,
  principal: Principal,
  viewId: string,
  input: UpdateViewInput,
): Promise<SavedView> {
  const view = await changeable(tx, principal, viewId);
  if (input.shared && !view.shared) refuseSharing(principal);
  const updated = await tx.savedView
    .updateMany({
      where: { organizationId: tx.organizationId, id: viewId, shared: view.shared },
      data: definedOnly(input),
    })
    .catch(refuseTakenName);
  // The view was shared or made private meanwhile, so other rules apply.
  if (updated.count === 0) return updateView(tx, principal, viewId, input);
  const changed = { ...view, ...definedOnly(input) };
  if (changed.shared !== view.shared) await tellOfSharing(tx, principal, changed);
  return changed;
}

/** Throws `not_found`, `forbidden`. */
export async function deleteView(tx: Tx, principal: Principal, viewId: string): Promise<void> {
  const view = await changeable(tx, principal, viewId);
  const deleted = await tx.savedView.deleteMany({ where: { organizationId: tx.organizationId, id: viewId } });
  if (deleted.count === 1 && view.shared) await tellOfSharing(tx, principal, { ...view, shared: false });
}

async function changeable(tx: Tx, principal: Principal, viewId: string): Promise<SavedView> {
  const view = await readView(tx, viewer(principal), viewId);
  if (!view.mine && !may(principal.role, "views:manage"))
    throw new AppError("forbidden", `Only ${view.owner.name} or an admin can change this view.`);
  return view;
}

/** Drops undefined fields, which are not to change. */
function definedOnly({
  name,
  query,
  shared,
}: UpdateViewInput): Partial<Pick<SavedView, "name" | "query" | "shared">> {
  return {
    ...(name !== undefined && { name }),
    ...(query !== undefined && { query }),
    ...(shared !== undefined && { shared }),
  };
}

function refuseSharing({ role }: Principal): void {
  if (!may(role, "views:share"))
    throw new AppError("forbidden", `Sharing a view needs the role operator; yours is ${role}.`);
}

function refuseTakenName(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw new AppError("name_taken", "There is a view of that name already.", {
    errors: [{ field: "name", message: "Choose another name." }],
    cause: error,
  });
}

async function tellOfSharing(
  tx: Tx,
  principal: Principal,
  { id, name, page, shared }: Pick<SavedView, "id" | "name" | "page" | "shared">,
): Promise<void> {
  const type = shared ? "view.shared" : "view.unshared";
  await appendEvents(tx, [{ type, actor: principal.actor, data: { viewId: id, name, page } }]);
}

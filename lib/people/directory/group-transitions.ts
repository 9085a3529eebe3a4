/** What a directory does to groups. Members are changed by differences, so that two changes at once add up. */
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { type GroupRow, readGroup } from "./groups.ts";
import { adoptPeople, holdToken } from "./person-transitions.ts";
import { applyRoles } from "./roles.ts";
import { ScimError } from "./scim/error.ts";
import type { GroupChange } from "./scim/group-input.ts";

/** Most members that one call may add and remove, since each may change a role and leave a line of history. */
const MOST_CHANGES = 2_000;

/** Throws `uniqueness` for a name that there is, and 400 for a member who is nobody. */
export async function createGroup(
  tx: Tx,
  principal: Principal,
  input: GroupChange & { displayName: string },
): Promise<string> {
  await holdToken(tx, principal);
  await refuseTakenName(tx, input.displayName, null);
  const id = uuidv7();
  const { displayName, externalId = null } = input;
  await tx.directoryGroup.create({
    data: { organizationId: tx.organizationId, id, displayName, externalId },
  });
  const { added } = await changeMembers(tx, id, input);
  await appendEvents(tx, [
    {
      type: "directory.group_created",
      actor: principal.actor,
      data: { groupId: id, name: displayName, members: added.length },
    },
  ]);
  return id;
}

/** `change` is asked for the group as found. Throws 404, and as `createGroup`. */
export async function changeGroup(
  tx: Tx,
  principal: Principal,
  id: string,
  change: (row: GroupRow) => GroupChange,
): Promise<void> {
  await holdToken(tx, principal);
  const row = await readGroup(tx, id, false);
  const input = change(row);
  const { displayName = row.display_name, externalId = row.external_id } = input;
  const isRenamed = displayName !== row.display_name;
  if (isRenamed) await refuseTakenName(tx, displayName, id);
  const { added, removed } = await changeMembers(tx, id, input);
  const changed = [...added, ...removed];
  if (!isRenamed && externalId === row.external_id && changed.length === 0) return;
  await tx.directoryGroup.updateMany({
    where: { organizationId: tx.organizationId, id },
    data: { displayName, externalId, version: { increment: 1 }, updatedAt: new Date() },
  });
  const data = { groupId: id, name: displayName, added: added.length, removed: removed.length };
  const { actor } = principal;
  await appendEvents(tx, [{ type: "directory.group_changed", actor, data }]);
  await applyRoles(tx, principal, changed);
}

/** Removes a group, and with it the role that it gave. Throws 404. */
export async function removeGroup(
  tx: Tx,
  principal: Principal,
  id: string,
  judge: (row: GroupRow) => void,
): Promise<void> {
  await holdToken(tx, principal);
  const row = await readGroup(tx, id, false);
  judge(row);
  const members = await tx.directoryGroupMember.findMany({
    where: { organizationId: tx.organizationId, groupId: id },
    select: { personId: true },
  });
  await tx.directoryGroup.deleteMany({ where: { organizationId: tx.organizationId, id } });
  await appendEvents(tx, [
    {
      type: "directory.group_removed",
      actor: principal.actor,
      data: { groupId: id, name: row.display_name },
    },
  ]);
  await applyRoles(
    tx,
    principal,
    members.map(({ personId }) => personId),
  );
}

async function refuseTakenName(tx: Tx, name: string, but: string | null): Promise<void> {
  const [taken] = await tx.$queryRaw<
    unknown[]
  >`SELECT FROM directory_group WHERE organization_id = ${tx.organizationId}::uuid
    AND lower(display_name) = lower(${name}) AND id IS DISTINCT FROM ${but}::uuid`;
  if (taken) throw new ScimError(409, "uniqueness", "There is a group of this displayName.");
}

/** Returns who really came and went. */
async function changeMembers(
  tx: Tx,
  groupId: string,
  change: GroupChange,
): Promise<{ added: string[]; removed: string[] }> {
  const asked = [...change.added];
  if (asked.length > 0) await adoptPeople(tx, asked);
  const removed = await tx.$queryRaw<{ person_id: string }[]>`DELETE FROM directory_group_member
    WHERE organization_id = ${tx.organizationId}::uuid AND group_id = ${groupId}::uuid
      AND (person_id = ANY (${[...change.removed]}::uuid[])
        OR (${change.isReplaced} AND NOT person_id = ANY (${asked}::uuid[])))
    RETURNING person_id`;
  const added = await tx.$queryRaw<{ person_id: string }[]>`INSERT INTO directory_group_member
      (organization_id, group_id, person_id)
    SELECT ${tx.organizationId}::uuid, ${groupId}::uuid, id FROM unnest(${asked}::uuid[]) id
    ON CONFLICT DO NOTHING RETURNING person_id`;
  if (added.length + removed.length > MOST_CHANGES)
    throw new ScimError(413, null, `Change at most ${MOST_CHANGES} members at once.`);
  return { added: added.map((row) => row.person_id), removed: removed.map((row) => row.person_id) };
}

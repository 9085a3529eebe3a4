/** Gives people the roles of their groups. */
import type { Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { changeRole } from "../members/member-writes.ts";
import { MAPPED_ROLES, type MappedRole, mappedRoleSchema } from "./directory-schema.ts";

interface Row {
  id: string;
  user_name: string;
  role_from_groups: boolean;
  member_role: string | null;
  suspended_role: string | null;
  /** The roles of the person's groups. */
  given: string[] | null;
  default_role: string;
}

/**
 * Brings the people's roles in line with their groups: the strongest one that a group gives, and the default once no
 * group gives one any more. A role that people gave stays until a group gives one. Owners are no group's: they stay, and
 * nobody becomes one. Somebody who has not joined yet gets the role with the invitation.
 */
export async function applyRoles(tx: Tx, principal: Principal, personIds: string[]): Promise<void> {
  if (personIds.length === 0) return;
  const rows = await tx.$queryRaw<
    Row[]
  >(Prisma.sql`SELECT p.id, p.user_name, p.role_from_groups, m.role AS member_role,
      s.role AS suspended_role, coalesce(d.default_role, 'viewer') AS default_role,
      (SELECT array_agg(g.role) FROM directory_group_member gm
        JOIN directory_group g ON g.organization_id = gm.organization_id AND g.id = gm.group_id
        WHERE gm.organization_id = p.organization_id AND gm.person_id = p.id AND g.role IS NOT NULL) AS given
    FROM directory_person p
    LEFT JOIN membership m ON m.organization_id = p.organization_id AND m.id = p.id
    LEFT JOIN suspended_member s ON s.organization_id = p.organization_id AND s.id = p.id
    LEFT JOIN directory d ON d.organization_id = p.organization_id
    WHERE p.organization_id = ${tx.organizationId}::uuid AND p.id = ANY (${personIds}::uuid[]) ORDER BY p.id`);
  for (const row of rows) await applyRole(tx, principal, row);
}

async function applyRole(tx: Tx, principal: Principal, row: Row): Promise<void> {
  const given = strongest(row.given ?? []);
  const role = given ?? (row.role_from_groups ? mappedRoleSchema.parse(row.default_role) : null);
  if (role === null || row.member_role === "owner" || row.suspended_role === "owner") return;
  if (row.role_from_groups !== (given !== null))
    await tx.directoryPerson.updateMany({
      where: { organizationId: tx.organizationId, id: row.id },
      data: { roleFromGroups: given !== null },
    });
  if (row.member_role !== null) {
    if (row.member_role !== role) await changeRole(tx, principal, row.id, role);
    return;
  }
  await tx.suspendedMember.updateMany({
    where: { organizationId: tx.organizationId, id: row.id, role: { not: "owner" } },
    data: { role },
  });
  await changeInvitedRole(tx, principal, row.user_name, role);
}

async function changeInvitedRole(
  tx: Tx,
  { actor }: Principal,
  email: string,
  role: MappedRole,
): Promise<void> {
  const [open] = await tx.$queryRaw<{ id: string; role: string }[]>`SELECT id, role FROM invitation
    WHERE organization_id = ${tx.organizationId}::uuid AND email = ${email} AND accepted_at IS NULL AND revoked_at IS NULL
      AND role NOT IN ('owner', ${role}) FOR UPDATE`;
  if (!open) return;
  await tx.invitation.updateMany({
    where: { organizationId: tx.organizationId, id: open.id },
    data: { role },
  });
  const data = { invitationId: open.id, email, from: open.role, to: role };
  await appendEvents(tx, [{ type: "invitation.role_changed", actor, data }]);
}

/** The strongest of the roles; null for none. */
function strongest(roles: string[]): MappedRole | null {
  return MAPPED_ROLES.findLast((role) => roles.includes(role)) ?? null;
}

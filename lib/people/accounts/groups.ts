/** Applies a provider's groups as memberships and roles, in the organizations that the operator names. */

import type { Principal } from "../../access/principal.ts";
import { ROLES, type Role } from "../../access/roles.ts";
import { isSuspendedMember, isUniqueViolation } from "../../base/db/database-errors.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChange } from "../../base/live-updates.ts";
import type { Services } from "../../base/process/services.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { dropMember } from "../members/departure.ts";
import { changeRole } from "../members/member-writes.ts";

/** Members of the provider's group `claim` become members of the organization, with this role. */
export interface GroupRule {
  claim: string;
  /** The organization's slug. */
  organization: string;
  role: Role;
}

export interface GroupSource {
  /** The provider's id, by which memberships that it gave are known. */
  id: string;
  /** The provider's displayed name. */
  name: string;
  groups: GroupRule[];
}

/**
 * Brings the person's memberships in the source's organizations in line with their rules; the strongest role
 * wins. An organization keeps its last owner regardless of groups, and a membership given by people outlives
 * the group.
 */
export async function applyGroups(
  services: Services,
  source: GroupSource,
  userId: string,
  held: GroupRule[],
): Promise<void> {
  for (const slug of new Set(source.groups.map((rule) => rule.organization))) {
    const roles = held.filter((rule) => rule.organization === slug).map((rule) => rule.role);
    const role = ROLES.findLast((candidate) => roles.includes(candidate)) ?? null;
    await applyOne(services, source, userId, slug, role).catch((error: unknown) => {
      const lastOwner = error instanceof AppError && error.code === "last_owner";
      // Of two simultaneous sign-ins, the other one has made the membership. Who is suspended in one organization still
      // signs in to the others.
      if (!lastOwner && !isUniqueViolation(error) && !isSuspendedMember(error)) throw error;
    });
  }
}

async function applyOne(
  services: Services,
  source: GroupSource,
  userId: string,
  slug: string,
  role: Role | null,
): Promise<void> {
  const [place] = await services.db.gate<{
    organization_id: string;
    member_id: string | null;
    granted_by: string | null;
  }>(Prisma.sql`SELECT * FROM gate.place(${userId}::uuid, ${slug})`);
  if (!place) return;
  const { organization_id: organizationId, member_id: memberId } = place;
  const actor = { kind: "system" as const, id: null, name: source.name };
  const provider: Principal = { organizationId, userId: null, role: "owner", actor };
  if (!role) {
    if (memberId && place.granted_by === source.id) await dropMember(services, provider, memberId);
    return;
  }
  await services.db.withOrganization(organizationId, async (tx) => {
    if (memberId) await changeRole(tx, provider, memberId, role);
    else await addByGroup(tx, source, userId, role);
  });
}

async function addByGroup(tx: Tx, source: GroupSource, userId: string, role: Role): Promise<void> {
  const id = uuidv7();
  await tx.membership.create({
    data: { organizationId: tx.organizationId, id, userId, role, grantedBy: source.id },
  });
  const { name } = await tx.user.findUniqueOrThrow({ where: { id: userId }, select: { name: true } });
  await publishChange(tx, "member", [id]);
  const actor = { kind: "system" as const, id: null, name: source.name };
  await appendEvents(tx, [{ type: "member.added", actor, data: { userId, name, role, by: source.name } }]);
}

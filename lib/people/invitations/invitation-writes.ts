/** All writes to invitations. An address has at most one open one, and only owners handle an owner's. */

import type { Principal } from "../../access/principal.ts";
import { BOUNDS, refuseFull } from "../../base/db/bounds.ts";
import { isSuspendedMember } from "../../base/db/database-errors.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { hashSecret, randomSecret, uuidv7 } from "../../base/ids.ts";
import { publishChangeNow } from "../../base/live-updates.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { memberBehind } from "../api-keys/api-key-reads.ts";
import { refuseUnlessOwner, suspended } from "../members/member-writes.ts";
import type { CreateInvitation, UpdateInvitation } from "./invitation-schema.ts";

/** A link works once, and for a week. */
const LIFETIME = Prisma.sql`now() + interval '7 days'`;

/**
 * Returns the link's secret, which is stored nowhere. `mailed`: it is handed to the mail server, and shown to nobody.
 * `invitedBy`: the member who answers for the invitation where a directory calls; null is the operator. Such an invitation
 * is the organization's, and outlives that member's rights. Throws `already_member`, `already_invited`, `suspended` for the
 * address of a suspended member, and `too_many_invitations`.
 */
export async function createInvitation(
  tx: Tx,
  principal: Principal,
  { email, role }: Pick<CreateInvitation, "email" | "role">,
  { mailed = false, invitedBy }: { mailed?: boolean; invitedBy?: string | null } = {},
): Promise<{ id: string; token: string }> {
  const { organizationId } = tx;
  if (role === "owner") refuseUnlessOwner(principal);
  const members = await tx.$queryRaw<unknown[]>`SELECT 1 FROM membership m JOIN "user" u ON u.id = m.user_id
    WHERE m.organization_id = ${organizationId}::uuid AND u.email = ${email}`;
  if (members.length > 0) throw new AppError("already_member", "This address is a member’s already.");
  const stopped = await tx.$queryRaw<
    unknown[]
  >`SELECT 1 FROM suspended_member s JOIN "user" u ON u.id = s.user_id
    WHERE s.organization_id = ${organizationId}::uuid AND u.email = ${email}`;
  if (stopped.length > 0) throw suspended("admin");
  await refuseFull(tx, {
    code: "too_many_invitations",
    most: BOUNDS.invitations,
    count: () => tx.invitation.count({ where: { organizationId, acceptedAt: null, revokedAt: null } }),
    detail: `The organization has ${BOUNDS.invitations} open invitations, which is the limit. Revoke some first.`,
  });
  const id = uuidv7();
  const token = randomSecret();
  const made = await tx.$executeRaw`
    INSERT INTO invitation (organization_id, id, email, role, token_hash, invited_by, expires_at, mailed, by_directory)
    VALUES (${organizationId}::uuid, ${id}::uuid, ${email}, ${role}, ${hashSecret(token)},
      ${invitedBy === undefined ? await memberBehind(tx, principal) : invitedBy}::uuid, ${LIFETIME}, ${mailed}, ${invitedBy !== undefined})
    ON CONFLICT (organization_id, email) WHERE accepted_at IS NULL AND revoked_at IS NULL DO NOTHING`;
  if (made === 0)
    throw new AppError(
      "already_invited",
      "There is an invitation for this address. Renew it for a new link, or revoke it.",
    );
  await appendEvents(tx, [
    { type: "invitation.created", actor: principal.actor, data: { invitationId: id, email, role } },
  ]);
  return { id, token };
}

/** Changes the role, or makes a new link in the principal's name. Returns the new link's secret, as `createInvitation`. */
export async function updateInvitation(
  tx: Tx,
  principal: Principal,
  id: string,
  { role, renew }: Pick<UpdateInvitation, "role" | "renew">,
  { mailed = false } = {},
): Promise<{ token: string | null }> {
  const before = await lockInvitation(tx, principal, id);
  if (role === "owner") refuseUnlessOwner(principal);
  const token = renew ? randomSecret() : null;
  const maker = await memberBehind(tx, principal);
  await tx.$executeRaw`UPDATE invitation SET role = coalesce(${role ?? null}, role)
    ${token ? Prisma.sql`, token_hash = ${hashSecret(token)}, expires_at = ${LIFETIME}, invited_by = ${maker}::uuid, by_directory = false` : Prisma.empty}
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid`;
  // A statement of its own: a trigger takes the mark away wherever a link changes.
  if (token && mailed)
    await tx.$executeRaw`UPDATE invitation SET mailed = true
      WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid AND token_hash = ${hashSecret(token)}`;
  const { actor } = principal;
  const about = { invitationId: id, email: before.email };
  await appendEvents(tx, [
    ...(role && role !== before.role
      ? [{ type: "invitation.role_changed" as const, actor, data: { ...about, from: before.role, to: role } }]
      : []),
    ...(renew ? [{ type: "invitation.renewed" as const, actor, data: about }] : []),
  ]);
  return { token };
}

/**
 * Puts another link, to be shown, in the place of one that could not be mailed, and which may have been delivered for
 * all we know. Returns its secret, or null if the mailed one is in force no more.
 */
export async function replaceUnmailedLink(tx: Tx, id: string, mailedToken: string): Promise<string | null> {
  const token = randomSecret();
  const replaced = await tx.$executeRaw`UPDATE invitation SET token_hash = ${hashSecret(token)}
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid AND token_hash = ${hashSecret(mailedToken)}
      AND accepted_at IS NULL AND revoked_at IS NULL`;
  return replaced === 1 ? token : null;
}

/** Ends a link at once. */
export async function revokeInvitation(tx: Tx, principal: Principal, id: string): Promise<void> {
  const { email } = await lockInvitation(tx, principal, id);
  await tx.invitation.updateMany({
    where: { organizationId: tx.organizationId, id },
    data: { revokedAt: new Date() },
  });
  await appendEvents(tx, [
    { type: "invitation.revoked", actor: principal.actor, data: { invitationId: id, email } },
  ]);
}

/**
 * Makes the person a member; of two simultaneous calls, one wins. An existing member keeps their role. Throws
 * `link_expired`, also where the link is for another address, and `suspended`.
 */
export async function acceptInvitation(
  tx: Tx,
  person: { id: string; name: string; email: string },
  token: string,
): Promise<void> {
  const isThis = Prisma.sql`token_hash = ${hashSecret(token)}`;
  if (!(await accept(tx, person, isThis))) throw linkExpired();
}

/**
 * As `acceptInvitation`, without the link: the organization's own identity provider says that the address is the
 * person's. False: there is no invitation in force for it.
 */
export async function acceptInvitationByProvider(
  tx: Tx,
  person: { id: string; name: string; email: string },
): Promise<boolean> {
  return accept(tx, person, Prisma.sql`true`);
}

/** Whether an invitation for the address is in force in the organization. */
export async function isInvited(tx: Tx, email: string): Promise<boolean> {
  const found = await tx.$queryRaw<
    unknown[]
  >`SELECT 1 FROM invitation WHERE organization_id = ${tx.organizationId}::uuid
    AND email = ${email} AND ${IN_FORCE}`;
  return found.length > 0;
}

const IN_FORCE = Prisma.sql`accepted_at IS NULL AND revoked_at IS NULL AND expires_at > now()
  AND (by_directory OR inviter_may(organization_id, invited_by, role))`;

async function accept(
  tx: Tx,
  person: { id: string; name: string; email: string },
  which: Prisma.Sql,
): Promise<boolean> {
  const [taken] = await tx.$queryRaw<{ id: string; role: string }[]>`UPDATE invitation SET accepted_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND email = ${person.email} AND ${which} AND ${IN_FORCE}
    RETURNING id, role`;
  if (!taken) return false;
  const memberId = uuidv7();
  const joined = await tx.$executeRaw`INSERT INTO membership (organization_id, id, user_id, role)
    VALUES (${tx.organizationId}::uuid, ${memberId}::uuid, ${person.id}::uuid, ${taken.role})
    ON CONFLICT (organization_id, user_id) DO NOTHING`.catch((error: unknown) => {
    // A suspension that waits for no invitation, nor the other way round: the trigger sees both orders.
    throw isSuspendedMember(error) ? suspended("person") : error;
  });
  if (joined === 0) return true;
  await publishChangeNow(tx, "member", [memberId]);
  const actor = { kind: "member" as const, id: person.id, name: person.name };
  const data = { userId: person.id, name: person.name, role: taken.role, invitationId: taken.id };
  await appendEvents(tx, [{ type: "member.joined", actor, data }]);
  return true;
}

export function linkExpired(): AppError {
  return new AppError("link_expired", "This invitation was used, was taken back, or is too old.");
}

/** Locks and returns an open invitation. Only owners may change an owner's. */
async function lockInvitation(tx: Tx, principal: Principal, id: string) {
  const [row] = await tx.$queryRaw<{ email: string; role: string }[]>`SELECT email, role FROM invitation
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid
      AND accepted_at IS NULL AND revoked_at IS NULL FOR UPDATE`;
  if (!row) throw notFound("invitation");
  if (row.role === "owner") refuseUnlessOwner(principal);
  return row;
}

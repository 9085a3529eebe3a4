/** All writes to memberships. An organization always keeps an owner, and only owners make or unmake one. */

import { type Actor, roleSchema } from "../../access/access-schema.ts";
import { actorWords } from "../../access/actor-words.ts";
import { allows } from "../../access/key-scope.ts";
import type { Principal } from "../../access/principal.ts";
import { ROLES, type Role, roleAllows } from "../../access/roles.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { hashSecret, randomSecret, uuidv7 } from "../../base/ids.ts";
import { publishChange, publishChangeNow } from "../../base/live-updates.ts";
import type { Seal } from "../../base/seal.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { type Forgotten, forgetGrantsOf } from "../../servers/connections/disconnect.ts";
import { unassignUnable } from "./unassign.ts";

/**
 * Makes a member at the operator's request, and an account if the address has none yet. An account that nobody has
 * proved is replaced, so that the person who made it can't sign in any more. Only as the database's owner, who alone may
 * write accounts. Throws on an existing member (unique violation), and `demo_account` on a person of the
 * demonstration: anyone can sign in as them, so they may join no other organization.
 */
export async function addMember(
  tx: Tx,
  actor: Actor,
  person: { email: string; name: string; role: Role },
): Promise<{ userId: string }> {
  const [user] = await tx.$queryRaw<{ id: string; proven: boolean }[]>`
    INSERT INTO "user" (id, email, name, proven_at)
    VALUES (${uuidv7()}::uuid, ${person.email}, ${person.name}, now())
    ON CONFLICT (email) DO UPDATE SET email = excluded.email RETURNING id, proven_at IS NOT NULL AS proven`;
  if (!user) throw new Error("the account was neither made nor found");
  if (!user.proven)
    await tx.$queryRaw`SELECT gate.replace_account(${user.id}::uuid, ${person.name}, NULL, 'operator') AS done`;
  const [ofDemo] = await tx.$queryRaw<{ demo: boolean }[]>`SELECT o.demo FROM organization o
    WHERE o.id = ${tx.organizationId}::uuid AND EXISTS (SELECT FROM gate.demo_people() p WHERE p.user_id = ${user.id}::uuid)`;
  if (ofDemo && !ofDemo.demo)
    throw new AppError(
      "demo_account",
      `${person.email} is a person of the demonstration: use another address.`,
    );
  const id = uuidv7();
  await tx.membership.create({
    data: { organizationId: tx.organizationId, id, userId: user.id, role: person.role },
  });
  await publishChange(tx, "member", [id]);
  const data = { userId: user.id, name: person.name, role: person.role };
  await appendEvents(tx, [{ type: "member.added", actor, data }]);
  return { userId: user.id };
}

/** The error for the membership of somebody who is suspended. `to`: whether an admin reads it, or the person. */
export function suspended(to: "admin" | "person"): AppError {
  return new AppError(
    "suspended",
    to === "admin"
      ? "This address is a suspended member’s. Reinstate them on the page of members, or remove them first."
      : "Your membership of this organization is suspended. Ask one of its admins.",
  );
}

/** Returns a secret with which an account's password can be set, once. Only as the database's owner. */
export async function makePasswordLink(tx: Tx, userId: string, lifetimeMs: number): Promise<string> {
  const token = randomSecret();
  await tx.$executeRaw`INSERT INTO password_link (token_hash, user_id, expires_at)
    VALUES (${hashSecret(token)}, ${userId}::uuid, now() + ${lifetimeMs} * interval '1 ms')`;
  return token;
}

/**
 * Returns a secret with which the password of a member's account can be set once. The admin can give it to anybody,
 * or use it. So the account must belong to no other organization. The person is notified. Once the secret is used,
 * the member counts as one person with the admin (docs/decisions/043-accounts-of-companies.md). Only a person can make
 * one, not a key. Throws `not_found`. Throws `forbidden` for the caller's own account, for an owner's account if the
 * caller is an admin, and if the secret may not be made.
 */
export async function makeMemberPasswordLink(
  tx: Tx,
  principal: Principal,
  memberId: string,
  lifetimeMs: number,
): Promise<string> {
  if (principal.userId === null)
    throw new AppError("forbidden", "Only a person can make it, not an API key.");
  const { userId, name } = await lockMember(tx, principal, memberId);
  if (userId === principal.userId)
    throw new AppError("forbidden", "Change your own password under Settings, Security.");
  const token = randomSecret();
  const [row] = await tx.$queryRaw<
    { made: boolean }[]
  >`SELECT gate.make_admin_password_link(${tx.organizationId}::uuid,
    ${userId}::uuid, ${principal.userId}::uuid, ${hashSecret(token)}, ${lifetimeMs}::bigint) AS made`;
  // One message for all causes, so that it shows nothing about the person's other organizations or ways to sign in.
  if (!row?.made)
    throw new AppError(
      "forbidden",
      `You can’t make a link for ${name}. They set a new password by mail themselves, or the person who runs Intray makes a link.`,
    );
  await appendEvents(tx, [
    { type: "member.password_link_made", actor: principal.actor, data: { userId, name } },
  ]);
  return token;
}

/**
 * Changes a member's role. API keys that the member made never stay stronger than their maker. Requests do not stay
 * assigned to somebody who may not answer.
 */
export async function changeRole(tx: Tx, principal: Principal, memberId: string, role: Role): Promise<void> {
  const member = await lockMember(tx, principal, memberId);
  if (member.role === role) return;
  if (role === "owner") refuseUnlessOwner(principal);
  if (member.role === "owner") refuseLastOwner(member.owners);
  await tx.membership.updateMany({
    where: { organizationId: tx.organizationId, id: memberId },
    data: { role },
  });
  await tx.apiKey.updateMany({
    where: {
      organizationId: tx.organizationId,
      createdBy: member.userId,
      serviceAccountId: null,
      role: { in: ROLES.filter((other) => !roleAllows(role, other)) },
    },
    data: { role },
  });
  await publishChangeNow(tx, "member", [memberId]);
  await unassignUnable(tx, member.userId);
  const data = { userId: member.userId, name: member.name, from: member.role, to: role };
  await appendEvents(tx, [{ type: "member.role_changed", actor: principal.actor, data }]);
}

/**
 * Ends a membership: the member's sessions and API keys stop working, their requests become unassigned, and
 * servers' grants to them are forgotten. After this, a suspended member can't be brought back. Pass the result to
 * `revokeAll` after the commit.
 */
export async function removeMember(
  tx: Tx,
  principal: Principal,
  seal: Seal,
  memberId: string,
): Promise<Forgotten[]> {
  const row = await lockSuspended(tx, principal, memberId);
  if (row) {
    await tx.suspendedMember.deleteMany({ where: { organizationId: tx.organizationId, id: memberId } });
    await publishChangeNow(tx, "member", [memberId]);
    await appendEvents(tx, [{ type: "member.removed", actor: principal.actor, data: row }]);
    return [];
  }
  return endMembership(tx, principal, seal, memberId, "member.removed");
}

/** Ends the principal's own membership, as `removeMember`. Throws `forbidden` for an API key. */
export async function leaveOrganization(tx: Tx, principal: Principal, seal: Seal): Promise<Forgotten[]> {
  if (!principal.userId) throw new AppError("forbidden", "An API key is no member; revoke it instead.");
  const { userId } = principal;
  const own = await tx.membership.findFirst({
    where: { organizationId: tx.organizationId, userId },
    select: { id: true },
  });
  if (!own) throw notFound("member");
  return endMembership(tx, principal, seal, own.id, "member.left");
}

/**
 * Suspends a member: like `removeMember`, but the membership can be brought back (`reinstateMember`), but only
 * by people who have the right to. `cause`: an admin, or the directory that the organization's people come from. Pass the
 * result to `revokeAll` after the commit.
 */
export async function suspendMember(
  tx: Tx,
  principal: Principal,
  seal: Seal,
  memberId: string,
  cause: "admin" | "directory",
): Promise<Forgotten[]> {
  // Locks what the copy below reads.
  const member = await lockMember(tx, principal, memberId);
  if (member.userId === principal.userId)
    throw new AppError("forbidden", "You can’t suspend yourself. Another admin can.");
  await tx.$executeRaw`INSERT INTO suspended_member (organization_id, id, user_id, role, granted_by, inherited, single_keys,
      tour_seen, density, locale, joined_at, suspended_by, cause)
    SELECT m.organization_id, m.id, m.user_id, m.role, m.granted_by, m.inherited, m.single_keys, m.tour_seen, m.density,
      m.locale, m.created_at, ${JSON.stringify(principal.actor)}::jsonb, ${cause}
    FROM membership m WHERE m.organization_id = ${tx.organizationId}::uuid AND m.id = ${memberId}::uuid`;
  // These sessions do not come back: after a reinstatement, the member has to sign in again.
  await endSessionsHere(tx, member.userId, { sessionId: null, idleMs: 0, by: null });
  const forgotten = await endMembership(tx, principal, seal, memberId, "member.suspended", {
    cause,
  });
  await revokeInvitationsOf(tx, principal, member.userId);
  return forgotten;
}

/** Revokes the open invitations to a suspended person's address. */
async function revokeInvitationsOf(tx: Tx, { actor }: Principal, userId: string): Promise<void> {
  const revoked = await tx.$queryRaw<{ invitationId: string; email: string }[]>`
    UPDATE invitation i SET revoked_at = now() FROM "user" u
    WHERE i.organization_id = ${tx.organizationId}::uuid AND u.id = ${userId}::uuid AND i.email = u.email
      AND i.accepted_at IS NULL AND i.revoked_at IS NULL RETURNING i.id AS "invitationId", i.email`;
  await appendEvents(
    tx,
    revoked.map((data) => ({ type: "invitation.revoked" as const, actor, data })),
  );
}

/**
 * Brings a suspended membership back, with its role and preferences. Keys, sessions and grants that ended stay ended.
 * Who counts as one person with whom does not change. Throws `not_found`, `forbidden` if only an owner may do
 * this, and `account_unproven` if nobody has proved the account and it belongs to another organization by now.
 */
export async function reinstateMember(tx: Tx, principal: Principal, memberId: string): Promise<void> {
  const row = await lockSuspended(tx, principal, memberId);
  if (!row) throw notFound("member");
  const [result] = await tx.$queryRaw<{ done: string | null }[]>`
    SELECT gate.reinstate_member(${tx.organizationId}::uuid, ${memberId}::uuid) AS done`;
  if (result?.done === "unproven")
    throw new AppError(
      "account_unproven",
      `Nobody has confirmed that the account of ${row.name} is theirs. They confirm it by a link that is mailed to them: “Forgot your password?” on the page to sign in.`,
    );
  if (result?.done !== "done") throw notFound("member");
  await publishChangeNow(tx, "member", [memberId]);
  await appendEvents(tx, [{ type: "member.reinstated", actor: principal.actor, data: row }]);
}

/** Locks and returns a suspended member, or null. Only owners may read and change an owner's row. */
async function lockSuspended(tx: Tx, principal: Principal, memberId: string) {
  const [row] = await tx.$queryRaw<{ userId: string; name: string; role: string }[]>`
    SELECT s.user_id AS "userId", u.name, s.role FROM suspended_member s JOIN "user" u ON u.id = s.user_id
    WHERE s.organization_id = ${tx.organizationId}::uuid AND s.id = ${memberId}::uuid FOR UPDATE OF s`;
  if (row?.role === "owner") refuseUnlessOwner(principal);
  return row ?? null;
}

/**
 * Ends a member's sessions for this organization: one session that is in it, or all (`sessionId` null). In the
 * person's other organizations the sessions stay open (docs/decisions/043-accounts-of-companies.md). Throws
 * `not_found`, `forbidden` for oneself and, as an admin, for an owner.
 */
export async function endMemberSessions(
  tx: Tx,
  principal: Principal,
  memberId: string,
  { sessionId, idleMs }: { sessionId: string | null; idleMs: number },
): Promise<void> {
  const { userId, name } = await lockMember(tx, principal, memberId);
  if (userId === principal.userId)
    throw new AppError("forbidden", "End your own sessions under Settings, Security.");
  const by = actorWords(principal.actor);
  const count = await endSessionsHere(tx, userId, { sessionId, idleMs, by });
  if (count === 0 && sessionId !== null) throw notFound("session");
  await publishChangeNow(tx, "member", [memberId]);
  await appendEvents(tx, [
    { type: "member.sessions_ended", actor: principal.actor, data: { userId, name, count } },
  ]);
}

/**
 * `by`: whose name the person sees; null: the person is not notified. Returns how many of the ended sessions were in
 * this organization.
 */
async function endSessionsHere(
  tx: Tx,
  userId: string,
  { sessionId, idleMs, by }: { sessionId: string | null; idleMs: number; by: string | null },
): Promise<number> {
  const [row] = await tx.$queryRaw<
    { ended: number }[]
  >`SELECT gate.end_sessions_in(${tx.organizationId}::uuid,
    ${userId}::uuid, ${sessionId}::uuid, ${idleMs}::bigint, ${by}) AS ended`;
  return row?.ended ?? 0;
}

async function endMembership(
  tx: Tx,
  principal: Principal,
  seal: Seal,
  memberId: string,
  type: "member.removed" | "member.left" | "member.suspended",
  more: { cause?: string } = {},
): Promise<Forgotten[]> {
  const member = await lockMember(tx, principal, memberId);
  if (member.role === "owner") refuseLastOwner(member.owners);
  await tx.acknowledgement.deleteMany({
    where: { organizationId: tx.organizationId, userId: member.userId },
  });
  // A later invitation of the same person must not revive old keys. Keys of service accounts do not belong to the
  // person.
  await tx.apiKey.updateMany({
    where: {
      organizationId: tx.organizationId,
      createdBy: member.userId,
      serviceAccountId: null,
      revokedAt: null,
    },
    data: { revokedAt: new Date() },
  });
  await tx.membership.deleteMany({ where: { organizationId: tx.organizationId, id: memberId } });
  await publishChangeNow(tx, "member", [memberId]);
  await unassignUnable(tx, member.userId);
  const forgotten = await forgetGrantsOf(tx, seal, principal.actor, member.userId);
  const data = { userId: member.userId, name: member.name, role: member.role, ...more };
  await appendEvents(tx, [{ type, actor: principal.actor, data }]);
  return forgotten;
}

/**
 * Locks and returns the member, with all owners, always in one order. If two owners leave at once, the second
 * transaction sees the first.
 */
async function lockMember(tx: Tx, principal: Principal, memberId: string) {
  const rows = await tx.$queryRaw<{ id: string; userId: string; name: string; role: string }[]>(Prisma.sql`
    SELECT m.id, m.user_id AS "userId", u.name, m.role FROM membership m JOIN "user" u ON u.id = m.user_id
    WHERE m.organization_id = ${tx.organizationId}::uuid AND (m.role = 'owner' OR m.id = ${memberId}::uuid)
    ORDER BY m.id FOR UPDATE OF m`);
  const member = rows.find((row) => row.id === memberId);
  if (!member) throw notFound("member");
  const role = roleSchema.parse(member.role);
  if (role === "owner") refuseUnlessOwner(principal);
  const owners = rows.filter((row) => row.role === "owner").length;
  return { userId: member.userId, name: member.name, role, owners };
}

export function refuseUnlessOwner(principal: Principal): void {
  if (!allows(principal, "owners:manage"))
    throw new AppError("forbidden", "Only an owner can make or unmake an owner.");
}

function refuseLastOwner(owners: number): void {
  if (owners < 2)
    throw new AppError("last_owner", "An organization needs an owner; make somebody else one first.");
}

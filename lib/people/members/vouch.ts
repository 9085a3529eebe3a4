/** An owner says that a member is a person of their own, and takes it back (docs/decisions/037). */

import type { Actor } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { CAN_BE_VOUCHED } from "./member-reads.ts";
import { unassignUnable } from "./unassign.ts";

interface Vouched {
  userId: string;
  name: string;
  /** Somebody is behind the member, and nobody has vouched. */
  counts: boolean;
  /** The member counts as one person with the owner. */
  same: boolean;
}

/**
 * Lets a member, and whom they invite, count apart from whoever invited the member. Throws `same_maker` where the owner
 * counts as one with the member, and `nothing_to_vouch` for a member who counts for themselves already.
 */
export async function vouchFor(tx: Tx, { userId, actor }: Principal, memberId: string): Promise<void> {
  if (userId === null) throw new AppError("forbidden", "Only a person can vouch, not an API key.");
  const [member] = await tx.$queryRaw<Vouched[]>`
    SELECT m.user_id AS "userId", u.name, ${CAN_BE_VOUCHED} AS counts,
      same_maker(m.organization_id, m.user_id, ${userId}::uuid) AS same
    FROM membership m JOIN "user" u ON u.id = m.user_id
      JOIN maker k ON k.organization_id = m.organization_id AND k.user_id = m.user_id
    WHERE m.organization_id = ${tx.organizationId}::uuid AND m.id = ${memberId}::uuid FOR UPDATE OF k`;
  if (!member) throw notFound("member");
  if (!member.counts)
    throw new AppError("nothing_to_vouch", `${member.name} counts as a person of their own already.`);
  if (member.same)
    throw new AppError(
      "same_maker",
      `You count as one person with ${member.name}. Another owner has to vouch.`,
    );
  await tx.$executeRaw`UPDATE maker SET vouched_by = ${userId}::uuid, vouched_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND user_id = ${member.userId}::uuid`;
  await recordVouching(tx, actor, { memberId, ...member });
}

/**
 * Takes back what an owner said of a member, who counts as one person with their inviter again, and so do those whom the
 * member invited. What was decided meanwhile stays. Any owner may: the rule only gets stricter. Throws `nothing_to_vouch`
 * where nobody has vouched.
 */
export async function takeVouchBack(
  tx: Tx,
  { userId: ownerId, actor }: Principal,
  memberId: string,
): Promise<void> {
  if (ownerId === null) throw new AppError("forbidden", "Only a person can take it back, not an API key.");
  const [member] = await tx.$queryRaw<{ userId: string; name: string }[]>`
    SELECT m.user_id AS "userId", u.name FROM membership m JOIN "user" u ON u.id = m.user_id
    WHERE m.organization_id = ${tx.organizationId}::uuid AND m.id = ${memberId}::uuid`;
  if (!member) throw notFound("member");
  const { userId, name } = member;
  const [row] = await tx.$queryRaw<{ changed: boolean }[]>`
    SELECT gate.take_vouch_back(${tx.organizationId}::uuid, ${userId}::uuid) AS changed`;
  if (!row?.changed) throw new AppError("nothing_to_vouch", `No owner has vouched for ${name}.`);
  await unassignUnable(tx, null);
  await appendEvents(tx, [{ type: "member.vouch_withdrawn", actor, data: { memberId, userId, name } }]);
}

export async function recordVouching(
  tx: Tx,
  actor: Actor,
  { memberId, userId, name }: { memberId: string; userId: string; name: string },
): Promise<void> {
  await appendEvents(tx, [{ type: "member.vouched", actor, data: { memberId, userId, name } }]);
}

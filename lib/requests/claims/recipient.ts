/** Members whom a question is given to. Reads and locks only; claim-writes.ts writes. */

import { roleSchema } from "../../access/access-schema.ts";
import { may } from "../../access/permissions.ts";
import type { Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { refusedByFourEyes } from "../../people/members/one-maker.ts";
import { visibleTask } from "../../tasks/visibility.ts";
import { hasVote } from "../voting/voter-sql.ts";

export interface Recipient {
  userId: string;
  name: string;
}

/**
 * Keeps the member's role as it is until the transaction ends: its loss frees what is assigned by then. Locked
 * before the request, as by a change of the role.
 */
export async function keepMember(tx: Tx, memberId: string): Promise<void> {
  await tx.$queryRaw`SELECT FROM membership
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${memberId}::uuid FOR SHARE`;
}

/** Returns a member who may answer. Throws `not_found`, `invalid_input`. */
export async function answerer(tx: Tx, memberId: string): Promise<Recipient> {
  const [member] = await membersWhere(tx, Prisma.sql`m.id = ${memberId}::uuid`);
  if (!member) throw notFound("member");
  if (!mayAnswer(member)) throw new AppError("invalid_input", CANT_ANSWER);
  return member;
}

const CANT_ANSWER = "A viewer can’t answer; assign it to somebody who may.";

/**
 * Returns the member whom a program names, by id or e-mail address, and keeps their role until the transaction ends. Call
 * it before the task is made. Throws `invalid_input` for the field `to`.
 */
export async function recipientNamed(tx: Tx, to: string): Promise<Recipient> {
  // One answer for nobody and for one who can't answer: a program that may ask learns no names.
  const refused = new AppError("invalid_input", NOBODY, { errors: [{ field: "to", message: NOBODY }] });
  const which = UUID.test(to)
    ? Prisma.sql`(m.id = ${to}::uuid OR m.user_id = ${to}::uuid)`
    : Prisma.sql`lower(u.email) = ${to.toLowerCase()}`;
  const [named] = await membersWhere(tx, which);
  if (!named) throw refused;
  await keepMember(tx, named.id);
  const [kept] = await membersWhere(tx, Prisma.sql`m.id = ${named.id}::uuid`);
  if (!kept || !mayAnswer(kept)) throw refused;
  return kept;
}

const NOBODY = "Nobody who can answer has this id or e-mail address.";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function mayAnswer({ role }: { role: string }): boolean {
  return may(roleSchema.parse(role), "requests:answer");
}

function membersWhere(tx: Tx, which: Prisma.Sql) {
  return tx.$queryRaw<(Recipient & { id: string; role: string })[]>`
    SELECT m.id, m.user_id AS "userId", u.name, m.role FROM membership m JOIN "user" u ON u.id = m.user_id
    WHERE m.organization_id = ${tx.organizationId}::uuid AND ${which}`;
}

/**
 * SQL condition on the membership `m`: the principal sees the request, and `refuseUnableRecipient` would not refuse
 * to give it to that member.
 */
export function ableToHave(principal: Principal, inputRequestId: string): Prisma.Sql {
  const { organizationId, userId } = principal;
  const urlOwner = Prisma.sql`coalesce(c.user_id, c.authorized_by)`;
  return Prisma.sql`EXISTS (SELECT FROM input_request r
      JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
      JOIN connection c ON c.organization_id = t.organization_id AND c.id = t.connection_id
    WHERE r.organization_id = ${organizationId}::uuid AND r.id = ${inputRequestId}::uuid AND ${visibleTask(principal)}
      AND (r.visibility <> 'private' OR r.requester_user_id IS NOT DISTINCT FROM ${userId}::uuid
        OR r.requester_user_id = m.user_id OR r.assignee_user_id = m.user_id)
      AND (r.mode <> 'url' OR ${urlOwner} IS NULL OR ${urlOwner} = m.user_id)
      AND NOT coalesce(${refusedByFourEyes(organizationId, Prisma.sql`m.user_id`)}, false)
      AND (r.approval IS NULL OR ${hasVote(Prisma.sql`r.approval`, Prisma.sql`m.user_id`, [Prisma.sql`m.role`])}))`;
}

/** Members whom a question is given to. Reads and locks only; claim-writes.ts writes. */

import { roleSchema } from "../../access/access-schema.ts";
import { may } from "../../access/permissions.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";

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

const CANT_ANSWER = "A viewer can't answer; assign it to somebody who may.";

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

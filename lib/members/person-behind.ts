import { Prisma } from "../base/db/db.ts";

/**
 * SQL: the user behind an actor of `t`'s organization, who acts in person or as the creator of an API key. Null for
 * a key without a creator, and for Intray itself.
 */
export function personBehind(kind: Prisma.Sql, id: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(CASE ${kind} WHEN 'member' THEN (${id})::uuid WHEN 'key' THEN (
    SELECT k.created_by FROM api_key k WHERE k.organization_id = t.organization_id AND k.id = (${id})::uuid) END)`;
}

/** SQL: the user who requested the task `t`. */
export const REQUESTER = personBehind(
  Prisma.sql`t.requested_by ->> 'kind'`,
  Prisma.sql`t.requested_by ->> 'id'`,
);

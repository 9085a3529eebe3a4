import { Prisma } from "../../base/db/db.ts";

/**
 * SQL: the user behind an actor of `t`'s organization, who acts in person, as the creator of an API key, as the owner
 * of a key's service account, or by an agent that they signed in or made. Null for a key or agent without a creator, and
 * for Intray itself.
 */
export function personBehind(kind: Prisma.Sql, id: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(CASE ${kind} WHEN 'member' THEN (${id})::uuid WHEN 'key' THEN (
    SELECT CASE WHEN k.service_account_id IS NULL THEN k.created_by ELSE (SELECT a.owner_id FROM service_account a
      WHERE a.organization_id = k.organization_id AND a.id = k.service_account_id) END
    FROM api_key k WHERE k.organization_id = t.organization_id AND k.id = (${id})::uuid)
    WHEN 'agent' THEN (SELECT coalesce(a.user_id, a.created_by) FROM agent_credential a
      WHERE a.organization_id = t.organization_id AND a.id = (${id})::uuid) END)`;
}

/** SQL: the user who requested the task `t`. */
export const REQUESTER = personBehind(
  Prisma.sql`t.requested_by ->> 'kind'`,
  Prisma.sql`t.requested_by ->> 'id'`,
);

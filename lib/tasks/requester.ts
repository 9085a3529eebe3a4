import type { Principal } from "../access/principal.ts";
import { Prisma } from "../base/db/db.ts";

/**
 * Condition: the principal requested the task `t`, in person or as the creator of an API key. Another key of
 * the same creator counts; a key without a creator matches only itself.
 */
export function requestedBy({
  actor: caller,
  userId,
  isView,
}: Pick<Principal, "actor" | "userId" | "isView">): Prisma.Sql {
  const actor = isView ? { kind: "member", id: userId } : caller;
  const kind = Prisma.sql`t.requested_by ->> 'kind'`;
  const id = Prisma.sql`t.requested_by ->> 'id'`;
  const requester = personBehind(kind, id);
  const principal = personBehind(Prisma.sql`${actor.kind}::text`, Prisma.sql`${actor.id}::text`);
  return Prisma.sql`(coalesce(${id} = ${actor.id}, false) OR coalesce(${requester} = ${principal}, false))`;
}

/** Condition: member `m` requested the task `t`; the rule of `requestedBy`, for a list of members. */
export const REQUESTED_BY_MEMBER = Prisma.sql`coalesce(${personBehind(
  Prisma.sql`t.requested_by ->> 'kind'`,
  Prisma.sql`t.requested_by ->> 'id'`,
)} = m.user_id, false)`;

function personBehind(kind: Prisma.Sql, id: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(CASE ${kind} WHEN 'member' THEN (${id})::uuid WHEN 'key' THEN (
    SELECT k.created_by FROM api_key k WHERE k.organization_id = t.organization_id AND k.id = (${id})::uuid) END)`;
}

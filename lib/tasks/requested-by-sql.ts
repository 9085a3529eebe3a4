import type { Principal } from "../access/principal.ts";
import { Prisma } from "../base/db/db.ts";
import { personBehind, REQUESTER } from "../people/members/person-behind.ts";

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
  const principal = personBehind(Prisma.sql`${actor.kind}::text`, Prisma.sql`${actor.id}::text`);
  return Prisma.sql`(coalesce(t.requested_by ->> 'id' = ${actor.id}, false) OR coalesce(${REQUESTER} = ${principal}, false))`;
}

/**
 * SQL of the rule that a second person accepts. Who counts as one person is the database's answer (`same_maker` and
 * `makers_with`, docs/decisions/037): decisions and lists ask nothing else. Aliases: `t` is the task.
 */
import type { Actor } from "../../access/access-schema.ts";
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

/** The caller, or the member as whom an admin looks. */
export interface Caller {
  actor: Actor;
  userId: string | null;
  isView?: true;
}

/**
 * The maker behind an actor: a member, a key's service account or creator, the member who signed an agent in or made it,
 * or the operator for a key or an agent of the command line. The database knows everybody behind a service account
 * (docs/decisions/044).
 */
const maker = (organizationId: Prisma.Sql, { actor, userId, isView }: Caller) => {
  if (isView) return Prisma.sql`${userId}::uuid`;
  if (actor.kind === "member") return Prisma.sql`${actor.id}::uuid`;
  if (actor.kind === "agent")
    return Prisma.sql`coalesce((SELECT coalesce(a.user_id, a.created_by) FROM agent_credential a
      WHERE a.organization_id = ${organizationId} AND a.id = ${actor.id}::uuid), ${organizationId})`;
  if (actor.kind !== "key") return Prisma.sql`NULL::uuid`;
  return Prisma.sql`coalesce((SELECT coalesce(k.service_account_id, k.created_by) FROM api_key k
    WHERE k.organization_id = ${organizationId} AND k.id = ${actor.id}::uuid), ${organizationId})`;
};

/** The maker who acts, for rows that keep one. */
export const makerOf = (organizationId: string, caller: Caller) =>
  maker(Prisma.sql`${organizationId}::uuid`, caller);

/** The maker who requested the task `t`. Null for Intray itself. */
const TASK_MAKER = Prisma.sql`(CASE t.requested_by ->> 'kind' WHEN 'key' THEN coalesce((
    SELECT coalesce(k.service_account_id, k.created_by) FROM api_key k
    WHERE k.organization_id = t.organization_id AND k.id = (t.requested_by ->> 'id')::uuid), t.organization_id)
  WHEN 'agent' THEN coalesce(${REQUESTER}, t.organization_id)
  ELSE ${REQUESTER} END)`;

/** Condition: a second person has to accept what the task `t` asks. Tasks from before the rule's end stay under it. */
export function isUnderFourEyes(organizationId: string): Prisma.Sql {
  const own = Prisma.sql`FROM organization o WHERE o.id = ${organizationId}::uuid`;
  return Prisma.sql`((SELECT o.four_eyes ${own}) OR coalesce(t.created_at <= (SELECT o.four_eyes_until ${own}), false))`;
}

/** Condition: the organization has, or had, the rule; false costs a list nothing. */
export const HAS_FOUR_EYES = (
  organizationId: string,
) => Prisma.sql`(SELECT o.four_eyes OR o.four_eyes_until IS NOT NULL
  FROM organization o WHERE o.id = ${organizationId}::uuid)`;

/** Condition, for one task: this person may not accept what the task `t` asks, since they asked for it themselves. */
export function refusedByFourEyes(organizationId: string, person: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${isUnderFourEyes(organizationId)} AND same_maker(t.organization_id, ${TASK_MAKER}, ${person}))`;
}

/** Condition, for one task: the caller asked for the task `t`, or counts as one person with who did, whatever the rule. */
export const countsAsRequester = (organizationId: string, caller: Caller) =>
  Prisma.sql`same_maker(t.organization_id, ${TASK_MAKER}, ${makerOf(organizationId, caller)})`;

/** As `refusedByFourEyes` of the caller, for many tasks: those who count as one with the caller are looked up once. */
export function ownUnderFourEyes(organizationId: string, caller: Caller): Prisma.Sql {
  const own = Prisma.sql`(SELECT makers_with(${organizationId}::uuid, ${makerOf(organizationId, caller)}))::uuid[]`;
  return Prisma.sql`(${isUnderFourEyes(organizationId)} AND coalesce(${TASK_MAKER} = ANY (${own}), false))`;
}

/** The ids of all who may not accept what the task `t` asks, as an array. */
export function allRefusedByFourEyes(organizationId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE WHEN EXISTS (SELECT FROM organization o WHERE o.id = ${organizationId}
      AND (o.four_eyes OR t.created_at <= o.four_eyes_until))
    THEN makers_with(t.organization_id, ${TASK_MAKER}) END`;
}

/** Condition, for one task: one of these makers asked for the task `t`, or counts as one person with who did, whatever the rule. */
export const askedForByOneOf = (makers: string[]) =>
  Prisma.sql`EXISTS (SELECT FROM unnest(${makers}::uuid[]) made (by) WHERE same_maker(t.organization_id, ${TASK_MAKER}, made.by))`;

/** Who votes: the person behind a call, and whether a stage is theirs. SQL for lists and notices, guards for votes. */
import type { Principal } from "../../access/principal.ts";
import { type Actor, actorSchema } from "../../access/schema.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { REQUESTER } from "../../members/person-behind.ts";
import type { Approval, ApprovalStage } from "../../policy/judge.ts";
import { openStage } from "./status.ts";

/**
 * SQL: the user whose vote a call's is: the member, or who made the key. Null for a key without a maker, a service account's,
 * which several people may hold, and agents, who vote on nothing.
 */
export function personOf({ organizationId, actor, userId, isView }: Principal): Prisma.Sql {
  if (isView) return Prisma.sql`${userId}::uuid`;
  if (actor.kind === "member") return Prisma.sql`${actor.id}::uuid`;
  if (actor.kind !== "key") return Prisma.sql`NULL::uuid`;
  return Prisma.sql`(SELECT maker_key.created_by FROM api_key maker_key
    WHERE maker_key.organization_id = ${organizationId}::uuid AND maker_key.id = ${actor.id}::uuid
      AND maker_key.service_account_id IS NULL)`;
}

/** SQL condition: the person asked for the task `t`, be it by a key, a service account or an agent of theirs. */
export function askedBy(person: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`coalesce(${REQUESTER} = ${person} OR EXISTS (SELECT FROM service_account_maker held
    JOIN api_key used ON used.organization_id = held.organization_id AND used.service_account_id = held.service_account_id
    WHERE held.organization_id = t.organization_id AND held.user_id = ${person}
      AND t.requested_by ->> 'kind' = 'key' AND used.id = (t.requested_by ->> 'id')::uuid), false)`;
}

/**
 * SQL condition: the stage of a request that is open is the person's, with all of these roles, and they have not voted in it.
 * `approval` is the request's column.
 */
function isAskedIn(approval: Prisma.Sql, person: Prisma.Sql, roles: Prisma.Sql[]): Prisma.Sql {
  const open = Prisma.sql`(${approval} -> 'open')`;
  const byRole = Prisma.join(
    roles.map((role) => Prisma.sql`jsonb_exists(${open} -> 'roles', ${role})`),
    " AND ",
  );
  return Prisma.sql`coalesce((jsonb_exists(${open} -> 'people', ${person}::text) OR (${byRole}))
    AND NOT jsonb_exists(${open} -> 'voted', ${person}::text), false)`;
}

/** SQL condition: as `isAskedIn`, and the rule lets the person vote although they asked for the task `t`, or they did not. */
export function hasVote(approval: Prisma.Sql, person: Prisma.Sql, roles: Prisma.Sql[]): Prisma.Sql {
  return Prisma.sql`(${isAskedIn(approval, person, roles)}
    AND (${approval} ->> 'requester' = 'allowed' OR NOT ${askedBy(person)}))`;
}

/** The caller's person, and both of the roles that a vote by role needs: the member's, and that of the key. */
function callersOf(principal: Principal): [person: Prisma.Sql, roles: Prisma.Sql[]] {
  const { organizationId, role } = principal;
  const person = personOf(principal);
  const own = Prisma.sql`(SELECT voter.role FROM membership voter
    WHERE voter.organization_id = ${organizationId}::uuid AND voter.user_id = ${person})`;
  return [person, [own, Prisma.sql`${role}::text`]];
}

/** As `isAskedIn`, of the caller. */
export const isCallerAskedIn = (approval: Prisma.Sql, principal: Principal) =>
  isAskedIn(approval, ...callersOf(principal));

/** As `hasVote`, of the caller. */
export const hasCallersVote = (approval: Prisma.Sql, principal: Principal) =>
  hasVote(approval, ...callersOf(principal));

/** A vote that counts. */
export interface CastVote {
  id: string;
  stage: number;
  person: string;
  rejects: boolean;
  contentDigest: string;
  by: Actor;
  at: Date;
  /** Its person counts as one with the voter, where the organization requires a second person. */
  isOnesOwn: boolean;
}

/** A person who may vote in the stage that is open, and the votes so far. */
export interface Ballot {
  approval: Approval;
  /** The stage that is open. */
  stage: number;
  person: string;
  votes: CastVote[];
}

interface Voter {
  person: string | null;
  role: string | null;
  hasAsked: boolean;
}

/**
 * Returns the caller's ballot on a request whose lock is held. Throws `four_eyes` for who asked for the task, `not_an_approver`
 * and `already_voted`.
 */
export async function openBallot(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  request: { id: string; taskId: string },
  approval: Approval,
): Promise<Ballot> {
  const voter = await readVoter(organizationId, tx, principal, request.taskId);
  const votes = await castVotes(organizationId, tx, request.id, voter.person);
  const stage = openStage(approval.stages, votes) ?? approval.stages.length - 1;
  const refusal = refusalOf(principal, approval, stage, voter, votes);
  if (refusal) throw refusal;
  return { approval, stage, person: voter.person!, votes };
}

/** The person behind the call. */
export async function readVoter(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  taskId: string,
): Promise<Voter> {
  const [voter] = await tx.$queryRaw<Voter[]>`
    SELECT p.person, m.role, ${askedBy(Prisma.sql`p.person`)} AS "hasAsked"
    FROM task t CROSS JOIN LATERAL (SELECT ${personOf(principal)} AS person) p
      LEFT JOIN membership m ON m.organization_id = t.organization_id AND m.user_id = p.person
    WHERE t.organization_id = ${organizationId}::uuid AND t.id = ${taskId}::uuid`;
  return voter ?? { person: null, role: null, hasAsked: false };
}

/** The votes on a request that count, oldest first. */
export async function castVotes(
  organizationId: string,
  tx: Tx,
  requestId: string,
  person: string | null,
): Promise<CastVote[]> {
  const rows = await tx.$queryRaw<(Omit<CastVote, "by"> & { by: unknown })[]>`
    SELECT v.id, v.stage::integer AS stage, v.person, v.rejects, v.content_digest AS "contentDigest", v.cast_by AS by, v.cast_at AS at,
      coalesce(o.four_eyes AND v.person <> ${person}::uuid AND same_maker(v.organization_id, v.person, ${person}::uuid), false)
        AS "isOnesOwn"
    FROM vote v JOIN organization o ON o.id = v.organization_id
    WHERE v.organization_id = ${organizationId}::uuid AND v.input_request_id = ${requestId}::uuid AND v.ended_at IS NULL
    ORDER BY v.cast_at, v.id`;
  return rows.map((row) => ({ ...row, by: actorSchema.parse(row.by) }));
}

function refusalOf(
  principal: Principal,
  approval: Approval,
  stage: number,
  { person, role, hasAsked }: Voter,
  votes: CastVote[],
): AppError | null {
  const its = approval.stages[stage]!;
  if (person === null || role === null)
    return new AppError("not_an_approver", "People vote here: members, and keys that a member made.");
  if (hasAsked && approval.requester === "excluded")
    return new AppError("four_eyes", "You asked for this task, so others decide on it.");
  const own = votes.filter((vote) => vote.person === person);
  const here = own.find((vote) => vote.stage === stage);
  if (here || (own.length > 0 && !isApprover(its, person, [role, principal.role]))) {
    const { at } = here ?? own.at(-1)!;
    return new AppError("already_voted", `You have voted. It waits for ${its.name}.`, {
      extra: { at: at.toISOString() },
    });
  }
  if (!isApprover(its, person, [role, principal.role]))
    return new AppError("not_an_approver", `This waits for ${its.name}, and you don't vote there.`);
  const alike = votes.find((vote) => vote.stage === stage && vote.isOnesOwn);
  return alike
    ? new AppError(
        "four_eyes",
        `You count as one person with ${alike.by.name}, who has voted: somebody else has to.`,
      )
    : null;
}

/** Whether a stage is the person's: by name, or by all of the roles, the member's own and that of the key. */
function isApprover({ roles, people }: ApprovalStage, person: string, theirs: string[]): boolean {
  return people.includes(person) || theirs.every((role) => roles.includes(role));
}

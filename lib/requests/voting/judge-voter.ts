/** Judges whether a caller has a vote on a request, whose it is, and which votes count so far. */
import { type Actor, actorSchema } from "../../access/access-schema.ts";
import { actorWords } from "../../access/actor-words.ts";
import { isPerson, type Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { countsAsRequester } from "../../people/members/one-maker.ts";
import { type Approval, type ApprovalStage, approvalSchema } from "../../policy/judge.ts";
import { openStage } from "./vote-status.ts";
import {
  askedBy,
  DELEGATE,
  groupsOf,
  hasVoted,
  personOf,
  standInOf,
  standsInFor,
  votesFor,
} from "./voter-sql.ts";

/** Who has to agree on a request, by the policy; null: any one approver. */
export function approvalOn({ approval }: { approval: unknown }): Approval | null {
  return approval === null ? null : approvalSchema.parse(approval);
}

/** A vote that counts. */
export interface CastVote {
  id: string;
  stage: number;
  /** Whose vote it is. */
  person: string;
  /** Who cast it for the person, who was away. Null: the person did. */
  delegate: string | null;
  onBehalfOf: Actor | null;
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
  /** Whose vote it is: the caller's own, or that of `onBehalfOf`. */
  person: string;
  /** The member who is away and for whom the caller votes, as an actor. */
  onBehalfOf: Actor | null;
  votes: CastVote[];
}

interface Voter {
  person: string | null;
  role: string | null;
  hasAsked: boolean;
  /** Ids of the organization's groups that the person is in. */
  groups: string[];
  /** Who is away and for whom the caller has a vote. */
  absent: { id: string; name: string } | null;
}

/**
 * Returns the caller's ballot on a request whose lock is held, or null where any one approver decides. Throws why the caller has no
 * vote: `four_eyes` (they asked for the task), `not_an_approver`, `already_voted`.
 */
export async function judgeVoter(
  tx: Tx,
  principal: Principal,
  request: { id: string; taskId: string; approval: unknown },
): Promise<Ballot | null> {
  const approval = approvalOn(request);
  if (!approval) return null;
  await lockGroups(tx, approval);
  const voter = await readVoter(tx, principal, request);
  const { person, absent, groups } = voter;
  const own = await countedVotes(tx, request.id, person === null ? [] : [person]);
  const stage = openStage(approval.stages, own) ?? approval.stages.length - 1;
  const current = approval.stages[stage]!;
  if (
    person !== null &&
    absent !== null &&
    !isApprover(current, person, [voter.role ?? "", principal.role], groups)
  ) {
    const votes = await countedVotes(tx, request.id, [person, absent.id]);
    const refusal = refusalOf(principal, approval, stage, voter, votes);
    if (refusal) throw refusal;
    return { approval, stage, person: absent.id, onBehalfOf: { kind: "member", ...absent }, votes };
  }
  const refusal = refusalOf(principal, approval, stage, { ...voter, absent: null }, own);
  if (refusal) throw refusal;
  return { approval, stage, person: person!, onBehalfOf: null, votes: own };
}

/**
 * Locks these stages' groups FOR SHARE until the vote commits, so that a concurrent change of members cannot let a removed person vote.
 * Call it before members are read.
 */
async function lockGroups(tx: Tx, { stages }: Approval): Promise<void> {
  const ids = stages.flatMap(({ groups }) => groups.map(({ id }) => id));
  if (ids.length === 0) return;
  await tx.$queryRaw`SELECT FROM organization_group WHERE organization_id = ${tx.organizationId}::uuid AND id = ANY (${ids}::uuid[])
    ORDER BY id FOR SHARE`;
  await tx.$queryRaw`SELECT FROM directory_group WHERE organization_id = ${tx.organizationId}::uuid AND id = ANY (${ids}::uuid[])
    ORDER BY id FOR SHARE`;
}

/**
 * Returns the person behind the call, and the absent member, if any, for whom they may vote. Returned also if the vote will be refused
 * because the same person has voted with another account.
 */
export async function readVoter(
  tx: Tx,
  principal: Principal,
  request: { id: string; taskId: string },
): Promise<Voter> {
  const [voter] = await tx.$queryRaw<Voter[]>`
    SELECT p.person, m.role, ${askedBy(Prisma.sql`p.person`)} AS "hasAsked",
      ARRAY(SELECT in_group.id::text FROM ${groupsOf(Prisma.sql`p.person`)}) AS groups,
      (SELECT jsonb_build_object('id', u.id, 'name', u.name) FROM "user" u
        WHERE u.id = ${votesFor(Prisma.sql`r.approval`, standsInFor(principal), standInOf(principal), hasVoted)}) AS absent
    FROM input_request r JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
      CROSS JOIN LATERAL (SELECT ${personOf(principal)} AS person) p
      LEFT JOIN membership m ON m.organization_id = t.organization_id AND m.user_id = p.person
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ${request.id}::uuid AND t.id = ${request.taskId}::uuid`;
  return voter ?? { person: null, role: null, hasAsked: false, groups: [], absent: null };
}

/** Whether the caller asked for the request's task. A program counts as having asked for what its owner asked for. */
export async function hasAskedFor(
  tx: Tx,
  principal: Principal,
  request: { taskId: string },
): Promise<boolean> {
  const [its] = await tx.$queryRaw<{ asked: boolean }[]>`
    SELECT ${isPerson(principal) ? askedBy(personOf(principal)) : countsAsRequester(tx.organizationId, principal)} AS asked
    FROM task t WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${request.taskId}::uuid`;
  return its?.asked === true;
}

/** The votes on a request that count, oldest first. `persons`: of the vote that is to be cast, for `isOnesOwn`. */
export async function countedVotes(tx: Tx, inputRequestId: string, persons: string[]): Promise<CastVote[]> {
  const rows = await tx.$queryRaw<
    (Omit<CastVote, "by" | "onBehalfOf"> & Record<"by" | "onBehalfOf", unknown>)[]
  >`
    SELECT v.id, v.stage::integer AS stage, v.person, v.rejects, v.content_digest AS "contentDigest", v.cast_by AS by, v.cast_at AS at,
      ${DELEGATE} AS delegate, v.on_behalf_of AS "onBehalfOf",
      coalesce(o.four_eyes AND EXISTS (SELECT FROM unnest(${persons}::uuid[]) one (person), unnest(ARRAY[v.person, ${DELEGATE}]) other (person)
        WHERE one.person <> other.person AND same_maker(v.organization_id, other.person, one.person)), false) AS "isOnesOwn"
    FROM vote v JOIN organization o ON o.id = v.organization_id
    WHERE v.organization_id = ${tx.organizationId}::uuid AND v.input_request_id = ${inputRequestId}::uuid AND v.ended_at IS NULL
    ORDER BY v.cast_at, v.id`;
  return rows.map((row) => ({
    ...row,
    by: actorSchema.parse(row.by),
    onBehalfOf: actorSchema.nullable().parse(row.onBehalfOf),
  }));
}

/** The persons as whom a vote counts. */
export function personsOf({ person, delegate }: Pick<CastVote, "person" | "delegate">): string[] {
  return delegate === null ? [person] : [person, delegate];
}

function refusalOf(
  principal: Principal,
  approval: Approval,
  stage: number,
  { person, role, hasAsked, groups, absent }: Voter,
  votes: CastVote[],
): AppError | null {
  const current = approval.stages[stage]!;
  if (person === null || role === null)
    return new AppError("not_an_approver", "Only members vote here, and keys that a member made.");
  if (hasAsked && approval.requester === "excluded")
    return new AppError("four_eyes", "You asked for this task, so others decide on it.");
  const own = votes.filter((vote) => personsOf(vote).includes(person));
  const here = own.find((vote) => vote.stage === stage);
  const isAsked = absent !== null || isApprover(current, person, [role, principal.role], groups);
  if (here || (own.length > 0 && !isAsked)) {
    const { at } = here ?? own.at(-1)!;
    return new AppError("already_voted", `Your vote is in. It waits for ${current.name}.`, {
      extra: { at: at.toISOString() },
    });
  }
  if (!isAsked)
    return new AppError("not_an_approver", `This waits for ${current.name}, and you don’t vote there.`);
  const alike = votes.find((vote) => vote.stage === stage && vote.isOnesOwn);
  return alike
    ? new AppError(
        "four_eyes",
        `You count as one person with ${actorWords(alike.by)}, who has voted: somebody else has to.`,
      )
    : null;
}

/**
 * Whether a stage is the person's: by name, by a group of theirs, or by all of the roles, the member's own and that of the key. Lists
 * have the same rule as SQL: `isApproverIn()` of voter-sql.ts.
 */
function isApprover(
  { roles, people, groups }: ApprovalStage,
  person: string,
  theirRoles: string[],
  theirGroups: string[],
): boolean {
  return (
    people.includes(person) ||
    groups.some(({ id }) => theirGroups.includes(id)) ||
    theirRoles.every((role) => roles.includes(role))
  );
}

/** Who votes: the person behind a call, and whether a stage is theirs. SQL for lists and notices, guards for votes. */

import { type Actor, actorSchema } from "../../access/access-schema.ts";
import { actorWords } from "../../access/actor-words.ts";
import { isPerson, type Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { allRefusedByFourEyes, countsAsRequester } from "../../people/members/one-maker.ts";
import { REQUESTER } from "../../people/members/person-behind.ts";
import { IN_GROUPS } from "../../policy/groups/group-reads.ts";
import type { Approval, ApprovalStage } from "../../policy/judge.ts";
import { openStage } from "./vote-status.ts";

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

/** SQL condition: the person has voted in the stage that is open. */
function hasVoted(approval: Prisma.Sql, person: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`jsonb_exists(${approval} -> 'open' -> 'voted', ${person}::text)`;
}

/**
 * As `hasVoted`; where the organization requires a second person, also true if an account has voted that counts as one person
 * with this one. Two accounts count as one person if the database's `same_maker` says so (docs/decisions/037-one-maker.md).
 */
function isVotedAs(approval: Prisma.Sql, person: Prisma.Sql): Prisma.Sql {
  const voted = Prisma.sql`(${approval} -> 'open' -> 'voted')`;
  return Prisma.sql`(${hasVoted(approval, person)} OR (${voted} <> '[]'
    AND (SELECT o.four_eyes FROM organization o WHERE o.id = t.organization_id)
    AND EXISTS (SELECT FROM jsonb_array_elements_text(${voted}) other (person)
      WHERE same_maker(t.organization_id, other.person::uuid, ${person}))))`;
}

/** SQL condition: the stage of a request of the task `t` that is open is the person's, with all of these roles. `approval` is the request's column. */
function isApproverIn(approval: Prisma.Sql, person: Prisma.Sql, roles: Prisma.Sql[]): Prisma.Sql {
  const open = Prisma.sql`(${approval} -> 'open')`;
  const byRole = Prisma.join(
    roles.map((role) => Prisma.sql`jsonb_exists(${open} -> 'roles', ${role})`),
    " AND ",
  );
  const inGroup = Prisma.sql`(coalesce(${open} -> 'groups', '[]') <> '[]' AND EXISTS (SELECT FROM ${groupsOf(person)}
    WHERE jsonb_exists(${open} -> 'groups', in_group.id::text)))`;
  return Prisma.sql`coalesce(jsonb_exists(${open} -> 'people', ${person}::text) OR (${byRole}) OR ${inGroup}, false)`;
}

/** SQL condition: as `isApproverIn`, and neither the person nor who counts as one with them (`voted`) has voted in that stage. */
function isAskedIn(
  approval: Prisma.Sql,
  person: Prisma.Sql,
  roles: Prisma.Sql[],
  voted = isVotedAs,
): Prisma.Sql {
  return Prisma.sql`(${isApproverIn(approval, person, roles)} AND NOT coalesce(${voted(approval, person)}, false))`;
}

/** SQL: the ids of the groups that a member of the organization of the task `t` is in at this moment, as `in_group`. */
const groupsOf = (person: Prisma.Sql) => Prisma.sql`(SELECT its.group_id AS id FROM membership of_group
    JOIN ${IN_GROUPS} its ON its.organization_id = of_group.organization_id AND its.member_id = of_group.id
  WHERE of_group.organization_id = t.organization_id AND of_group.user_id = ${person}) in_group`;

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

/** As `isApproverIn`, of the caller. */
export const isCallerApproverIn = (approval: Prisma.Sql, principal: Principal) =>
  isApproverIn(approval, ...callersOf(principal));

/** SQL condition: as `isAskedIn`, of somebody for whom the caller stands in, whatever for. */
export const isAbsentAskedIn = (approval: Prisma.Sql, principal: Principal) =>
  Prisma.sql`EXISTS (SELECT FROM ${standsInFor(principal)} s
      JOIN membership absent ON absent.organization_id = ${principal.organizationId}::uuid AND absent.user_id = s.person
    WHERE ${isAskedIn(approval, Prisma.sql`s.person`, [Prisma.sql`absent.role`])})`;

/** SQL: the user who may stand in for others: a member in person. A key acts for its maker alone. */
function standInOf({ actor, userId, isView }: Principal): Prisma.Sql {
  if (isView) return Prisma.sql`${userId}::uuid`;
  return actor.kind === "member" ? Prisma.sql`${actor.id}::uuid` : Prisma.sql`NULL::uuid`;
}

/** SQL: the rows of `standing_in` of the caller, for whom they stand in now. Read once a statement. */
export function standsInFor(principal: Principal): Prisma.Sql {
  if (principal.actor.kind !== "member") return Prisma.sql`standing_in(NULL::uuid, NULL::uuid)`;
  return Prisma.sql`standing_in(${principal.organizationId}::uuid, ${standInOf(principal)})`;
}

/** SQL: as `standsInFor`, of everybody. */
export const allStandingIn = (organizationId: string) =>
  Prisma.sql`standing_in(${organizationId}::uuid, NULL)`;

/**
 * SQL condition: absences are for requests of the task `t`: those of `s`, a row of `standing_in`, unless `scopes` are given. Each has to
 * be for one of the rules whose stages the request has.
 */
export function isInScope(approval: Prisma.Sql, scopes = Prisma.sql`s.scopes`): Prisma.Sql {
  return Prisma.sql`NOT EXISTS (SELECT FROM unnest(${scopes}) its (scope) WHERE NOT EXISTS (
    SELECT FROM jsonb_array_elements_text(${rulesOf(approval)}) one (rule)
    WHERE is_in_scope(ARRAY[its.scope], (SELECT named.name FROM server named
      WHERE named.organization_id = t.organization_id AND named.id = t.server_id), t.tool, one.rule)))`;
}

/** SQL: the names of a request's rules, as JSON: one that is null where any one approver decides. */
function rulesOf(approval: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`coalesce(nullif(${approval} -> 'rules', '[]'), jsonb_build_array(${approval} ->> 'rule'))`;
}

/**
 * SQL: the member who is away and for whom `by` has a vote on a request of the task `t`; null: nobody. Lists, notices and votes ask this
 * alone. Whoever asked for the task keeps out, be it as the delegate, as who is away, on the way from one to the other, or as the
 * admin who chose the delegate; so do those who count as one person with them where a second person is required.
 */
export function votesFor(
  approval: Prisma.Sql,
  standing: Prisma.Sql,
  by: Prisma.Sql,
  voted = isVotedAs,
): Prisma.Sql {
  return Prisma.sql`(SELECT s.person FROM ${standing} s
      JOIN membership absent ON absent.organization_id = t.organization_id AND absent.user_id = s.person
    WHERE s.delegate = ${by} AND ${isAskedIn(approval, Prisma.sql`s.person`, [Prisma.sql`absent.role`], voted)}
      AND NOT coalesce(${voted(approval, by)}, false) AND ${isInScope(approval)}
      AND NOT EXISTS (
        SELECT FROM unnest(s.path || s.setters || s.delegate) part (person) WHERE ${askedBy(Prisma.sql`part.person`)})
      AND NOT coalesce(${allRefusedByFourEyes(Prisma.sql`t.organization_id`)} && (s.path || s.setters), false)
    ORDER BY s.person LIMIT 1)`;
}

/** SQL: the absence `a` of the user `u`, as JSON. */
const ABSENCE = Prisma.sql`json_build_object('id', u.id, 'name', u.name, 'until', to_char(a.ends_at AT TIME ZONE 'UTC',
  'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

/** SQL: the member, if the caller stands in for them on a request of the task `t`, as JSON; else null. */
export function callerStandsInFor(
  principal: Principal,
  member: Prisma.Sql,
  approval: Prisma.Sql,
): Prisma.Sql {
  return Prisma.sql`(SELECT ${ABSENCE} FROM ${standsInFor(principal)} s
      JOIN away a ON a.organization_id = ${principal.organizationId}::uuid AND a.user_id = s.person
      JOIN "user" u ON u.id = s.person
    WHERE s.person = ${member} AND s.delegate = ${standInOf(principal)} AND ${isInScope(approval)} LIMIT 1)`;
}

/** SQL: whoever is away of those whom the open stage still asks, as JSON; null: nobody. */
export function absentIn(organizationId: string, approval: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT json_agg(${ABSENCE} ORDER BY u.name, u.id)
    FROM away a JOIN membership m ON m.organization_id = a.organization_id AND m.user_id = a.user_id
      JOIN "user" u ON u.id = a.user_id
    WHERE a.organization_id = ${organizationId}::uuid AND a.starts_at <= now() AND a.ends_at > now()
      AND ${isInScope(approval, Prisma.sql`ARRAY[a.scope]`)}
      AND ${isAskedIn(approval, Prisma.sql`a.user_id`, [Prisma.sql`m.role`])})`;
}

/**
 * SQL: how many members could vote in the open stage of the request of the task `t`. Counting ends at as many as the stage needs, and
 * begins with whom it names, so that it costs little in large organizations.
 */
export function votersLeft(organizationId: string, approval: Prisma.Sql): Prisma.Sql {
  const need = Prisma.sql`(${approval} -> 'stages' -> (${approval} -> 'open' ->> 'stage')::integer ->> 'need')::integer`;
  const named = (list: Prisma.Sql) =>
    Prisma.sql`ARRAY(SELECT jsonb_array_elements_text(coalesce(${approval} -> 'open' -> ${list}, '[]')))`;
  return Prisma.sql`(SELECT count(*)::integer FROM (SELECT FROM membership m
    WHERE m.organization_id = ${organizationId}::uuid AND m.role <> 'viewer'
      AND (m.role = ANY (${named(Prisma.sql`'roles'`)}) OR m.user_id = ANY (${named(Prisma.sql`'people'`)}::uuid[])
        OR m.id = ANY (ARRAY(SELECT its.member_id FROM ${IN_GROUPS} its WHERE its.organization_id = ${organizationId}::uuid
          AND its.group_id = ANY (${named(Prisma.sql`'groups'`)}::uuid[]))))
      AND ${hasVote(approval, Prisma.sql`m.user_id`, [Prisma.sql`m.role`])} LIMIT ${need}) able)`;
}

/** As `votesFor`, of the caller. */
export const callerVotesFor = (approval: Prisma.Sql, principal: Principal) =>
  votesFor(approval, standsInFor(principal), standInOf(principal));

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
 * Returns the caller's ballot on a request whose lock is held, and locks the groups of its stages. Throws `four_eyes` for who asked for
 * the task, `not_an_approver` and `already_voted`.
 */
export async function openBallot(
  tx: Tx,
  principal: Principal,
  request: { id: string; taskId: string },
  approval: Approval,
): Promise<Ballot> {
  await lockGroups(tx, approval);
  const voter = await readVoter(tx, principal, request);
  const { person, absent, groups } = voter;
  const own = await castVotes(tx, request.id, person === null ? [] : [person]);
  const stage = openStage(approval.stages, own) ?? approval.stages.length - 1;
  const its = approval.stages[stage]!;
  if (
    person !== null &&
    absent !== null &&
    !isApprover(its, person, [voter.role ?? "", principal.role], groups)
  ) {
    const votes = await castVotes(tx, request.id, [person, absent.id]);
    const refusal = refusalOf(principal, approval, stage, voter, votes);
    if (refusal) throw refusal;
    return { approval, stage, person: absent.id, onBehalfOf: { kind: "member", ...absent }, votes };
  }
  const refusal = refusalOf(principal, approval, stage, { ...voter, absent: null }, own);
  if (refusal) throw refusal;
  return { approval, stage, person: person!, onBehalfOf: null, votes: own };
}

/**
 * Has whoever changes a group of these stages wait until the vote is written, and waits for who is changing one: nobody votes who has been
 * removed by then. Members are read after that.
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
 * Returns the person behind the call, and for whom else they have a vote. Includes those whose vote is refused because an account
 * that counts as one person with them has voted.
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

/** Whether the caller asked for the request's task. Programs have asked for what somebody asked for whose they are, service accounts too. */
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
export async function castVotes(tx: Tx, requestId: string, persons: string[]): Promise<CastVote[]> {
  const rows = await tx.$queryRaw<
    (Omit<CastVote, "by" | "onBehalfOf"> & Record<"by" | "onBehalfOf", unknown>)[]
  >`
    SELECT v.id, v.stage::integer AS stage, v.person, v.rejects, v.content_digest AS "contentDigest", v.cast_by AS by, v.cast_at AS at,
      ${DELEGATE} AS delegate, v.on_behalf_of AS "onBehalfOf",
      coalesce(o.four_eyes AND EXISTS (SELECT FROM unnest(${persons}::uuid[]) one (person), unnest(ARRAY[v.person, ${DELEGATE}]) other (person)
        WHERE one.person <> other.person AND same_maker(v.organization_id, other.person, one.person)), false) AS "isOnesOwn"
    FROM vote v JOIN organization o ON o.id = v.organization_id
    WHERE v.organization_id = ${tx.organizationId}::uuid AND v.input_request_id = ${requestId}::uuid AND v.ended_at IS NULL
    ORDER BY v.cast_at, v.id`;
  return rows.map((row) => ({
    ...row,
    by: actorSchema.parse(row.by),
    onBehalfOf: actorSchema.nullable().parse(row.onBehalfOf),
  }));
}

/** SQL: who cast the vote `v` for its person, who was away; null: the person did. */
export const DELEGATE = Prisma.sql`(CASE WHEN v.on_behalf_of IS NOT NULL THEN (v.cast_by ->> 'id')::uuid END)`;

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
  const its = approval.stages[stage]!;
  if (person === null || role === null)
    return new AppError("not_an_approver", "People vote here: members, and keys that a member made.");
  if (hasAsked && approval.requester === "excluded")
    return new AppError("four_eyes", "You asked for this task, so others decide on it.");
  const own = votes.filter((vote) => personsOf(vote).includes(person));
  const here = own.find((vote) => vote.stage === stage);
  const isAsked = absent !== null || isApprover(its, person, [role, principal.role], groups);
  if (here || (own.length > 0 && !isAsked)) {
    const { at } = here ?? own.at(-1)!;
    return new AppError("already_voted", `Your vote is in. It waits for ${its.name}.`, {
      extra: { at: at.toISOString() },
    });
  }
  if (!isAsked)
    return new AppError("not_an_approver", `This waits for ${its.name}, and you don't vote there.`);
  const alike = votes.find((vote) => vote.stage === stage && vote.isOnesOwn);
  return alike
    ? new AppError(
        "four_eyes",
        `You count as one person with ${actorWords(alike.by)}, who has voted: somebody else has to.`,
      )
    : null;
}

/** Whether a stage is the person's: by name, by a group of theirs, or by all of the roles, the member's own and that of the key. */
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

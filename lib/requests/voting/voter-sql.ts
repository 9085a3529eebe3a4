/**
 * Who votes, as SQL for lists, notices and votes: the person behind a call, and whether a stage is theirs. Two accounts count as one
 * person where the database's `same_maker` says so (docs/decisions/037-one-maker.md).
 */
import type { Principal } from "../../access/principal.ts";
import { Prisma } from "../../base/db/db.ts";
import { allRefusedByFourEyes, REQUESTER, refusedByFourEyes } from "../../people/members/one-maker.ts";
import { IN_GROUPS } from "../../policy/groups/group-reads.ts";
import { VOTERS_COUNTED, VOTERS_NAMED } from "../limits.ts";

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

/** SQL condition: the person asked for the task `t`, also by a key, a service account or an agent of theirs. */
export function askedBy(person: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`coalesce(${REQUESTER} = ${person} OR EXISTS (SELECT FROM service_account_maker held
    JOIN api_key used ON used.organization_id = held.organization_id AND used.service_account_id = held.service_account_id
    WHERE held.organization_id = t.organization_id AND held.user_id = ${person}
      AND t.requested_by ->> 'kind' = 'key' AND used.id = (t.requested_by ->> 'id')::uuid), false)`;
}

/** SQL condition: the person has voted in the stage that is open. */
export function hasVoted(approval: Prisma.Sql, person: Prisma.Sql): Prisma.Sql {
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

/**
 * SQL condition: the stage of a request of the task `t` that is open is the person's, with all of these roles: the rule of
 * `isApprover()` of judge-voter.ts. `approval` is the request's column.
 */
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
export const groupsOf = (person: Prisma.Sql) => Prisma.sql`(SELECT its.group_id AS id FROM membership of_group
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
export function standInOf({ actor, userId, isView }: Principal): Prisma.Sql {
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
 * SQL: the member who is away and for whom `by` has a vote on a request of the task `t`; null: nobody. Lists, notices and votes all
 * use it. The vote is refused if one of these people asked for the task: the absent member, the delegate, a delegate in between, or the
 * admin who chose one. Where a second person is required, somebody who counts as one person with the requester is refused too.
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

/** SQL: the members who are away, of those whom the open stage still asks, as JSON; null: nobody. */
export function absentIn(organizationId: string, approval: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT json_agg(${ABSENCE} ORDER BY u.name, u.id)
    FROM away a JOIN membership m ON m.organization_id = a.organization_id AND m.user_id = a.user_id
      JOIN "user" u ON u.id = a.user_id
    WHERE a.organization_id = ${organizationId}::uuid AND a.starts_at <= now() AND a.ends_at > now()
      AND ${isInScope(approval, Prisma.sql`ARRAY[a.scope]`)}
      AND ${isAskedIn(approval, Prisma.sql`a.user_id`, [Prisma.sql`m.role`])})`;
}

/**
 * SQL: how many members could vote in the open stage of the request of the task `t`. Counting ends at as many as the stage needs, so
 * that it costs little in large organizations.
 */
export function votersLeft(organizationId: string, approval: Prisma.Sql): Prisma.Sql {
  const need = Prisma.sql`(${approval} -> 'stages' -> (${approval} -> 'open' ->> 'stage')::integer ->> 'need')::integer`;
  return Prisma.sql`(SELECT count(*)::integer FROM (SELECT FROM membership m
    WHERE ${couldVote(organizationId, approval)} LIMIT ${need}) able)`;
}

/**
 * SQL: who could agree in the open stage of the request `r` of the task `t`, as JSON: the first by name, and how many there are.
 * Leaves out members who do not see a private request, and members whose yes the rule of a second person refuses.
 */
export function votersNamed(organizationId: string): Prisma.Sql {
  return Prisma.sql`(SELECT json_build_object('count', count(*)::integer, 'people', coalesce(
      json_agg(json_build_object('id', named.id, 'name', named.name) ORDER BY named.place) FILTER (WHERE named.place <= ${VOTERS_NAMED}::integer), '[]'))
    FROM (SELECT u.id, u.name, row_number() OVER (ORDER BY u.name, u.id) AS place
      FROM (SELECT m.user_id FROM membership m WHERE ${couldVote(organizationId, Prisma.sql`r.approval`)}
          AND (r.visibility <> 'private' OR r.requester_user_id = m.user_id OR r.assignee_user_id = m.user_id)
          AND NOT coalesce(${refusedByFourEyes(organizationId, Prisma.sql`m.user_id`)}, false)
        LIMIT ${VOTERS_COUNTED}) able
      JOIN "user" u ON u.id = able.user_id) named)`;
}

/** SQL condition: the member `m` could vote in the open stage. Begins with whom the stage names, which costs little. */
function couldVote(organizationId: string, approval: Prisma.Sql): Prisma.Sql {
  const named = (list: Prisma.Sql) =>
    Prisma.sql`ARRAY(SELECT jsonb_array_elements_text(coalesce(${approval} -> 'open' -> ${list}, '[]')))`;
  return Prisma.sql`m.organization_id = ${organizationId}::uuid AND m.role <> 'viewer'
      AND (m.role = ANY (${named(Prisma.sql`'roles'`)}) OR m.user_id = ANY (${named(Prisma.sql`'people'`)}::uuid[])
        OR m.id = ANY (ARRAY(SELECT its.member_id FROM ${IN_GROUPS} its WHERE its.organization_id = ${organizationId}::uuid
          AND its.group_id = ANY (${named(Prisma.sql`'groups'`)}::uuid[]))))
      AND ${hasVote(approval, Prisma.sql`m.user_id`, [Prisma.sql`m.role`])}`;
}

/** As `votesFor`, of the caller. */
export const callerVotesFor = (approval: Prisma.Sql, principal: Principal) =>
  votesFor(approval, standsInFor(principal), standInOf(principal));

/** SQL: who cast the vote `v` for its person, who was away; null: the person did. */
export const DELEGATE = Prisma.sql`(CASE WHEN v.on_behalf_of IS NOT NULL THEN (v.cast_by ->> 'id')::uuid END)`;

/**
 * SQL conditions on the alias `r` that narrow lists and counts of input requests. Only the request's own
 * columns are read.
 */

import { allows, reachOf } from "../../access/key-scope.ts";
import { agentOf, isPerson, type Principal, selfOf } from "../../access/principal.ts";
import { Prisma } from "../../base/db/db.ts";
import { HAS_FOUR_EYES, ownUnderFourEyes } from "../../people/members/one-maker.ts";
import { reached } from "../../tasks/visibility.ts";
import { CLAIM_IS_LIVE } from "../claims/claim-checks.ts";
import type { RequestState } from "../request-schema.ts";
import { isFreeOrHasVote } from "../voting/votable-requests-sql.ts";
import { DELEGATE, isInScope, personOf, standsInFor } from "../voting/voter-sql.ts";
import type { RequestFilter, RequestListQuery } from "./request-list-schema.ts";

/**
 * `visibleTask`, on the request's copies of the task's columns. The ids form an array that Postgres computes
 * once: the planner would count a subquery's cost for every row.
 */
export function visibleRequest(organizationId: string, principal: Principal): Prisma.Sql {
  const agentId = agentOf(principal);
  if (agentId !== null)
    return Prisma.sql`EXISTS (SELECT FROM task started WHERE started.organization_id = ${organizationId}::uuid
      AND started.id = r.task_id AND started.agent_id = ${agentId}::uuid)`;
  const seen = visibleToPerson(organizationId, principal);
  return reachOf(principal) ? Prisma.sql`(${seen} AND ${reached(principal, "r")})` : seen;
}

function visibleToPerson(organizationId: string, principal: Principal): Prisma.Sql {
  const userId = selfOf(principal);
  if (userId === null) return Prisma.sql`r.visibility = 'organization'`;
  return Prisma.sql`(r.visibility = 'organization' OR r.requester_user_id = ${userId}::uuid OR r.task_id = ANY (ARRAY(
    SELECT task_id FROM input_request WHERE organization_id = ${organizationId}::uuid AND visibility = 'private'
      AND assignee_user_id = ${userId}::uuid)))`;
}

/**
 * Sort keys, spelt as in the indexes of `input_request`; requests without an end, an amount or a due time come last. Not
 * `coalesce`: row security treats it as leaky, and would use the index for the order alone, never to find a
 * place.
 */
export const ENDS_BY = Prisma.sql`(CASE WHEN r.expires_at IS NULL THEN 'infinity' ELSE r.expires_at END)`;
export const DECIDE_BY = Prisma.sql`(CASE WHEN r.decide_by IS NULL THEN 'infinity' ELSE r.decide_by END)`;
export const AMOUNT = Prisma.sql`(CASE WHEN r.amount IS NULL THEN '-infinity' ELSE r.amount END)`;

/** All filters but `q`, of which search.ts knows. */
export function matching(organizationId: string, principal: Principal, query: RequestFilter): Prisma.Sql {
  const conditions = [Prisma.sql`true`];
  const { ids, taskId, serverId, tool, askedAfter, askedBefore, expiresBefore, amountMin, amountMax } = query;
  if (ids) conditions.push(Prisma.sql`r.id = ANY(${ids}::uuid[])`);
  if (taskId) conditions.push(Prisma.sql`r.task_id = ${taskId}::uuid`);
  if (serverId) conditions.push(Prisma.sql`r.server_id = ${serverId}::uuid`);
  if (tool) conditions.push(Prisma.sql`r.tool = ${tool}`);
  if (askedAfter) conditions.push(Prisma.sql`r.created_at >= ${askedAfter}::timestamptz`);
  if (askedBefore) conditions.push(Prisma.sql`r.created_at < ${askedBefore}::timestamptz`);
  if (expiresBefore) conditions.push(Prisma.sql`${ENDS_BY} < ${expiresBefore}::timestamptz`);
  if (query.overdue) conditions.push(Prisma.sql`r.state = 'open' AND ${DECIDE_BY} <= now()`);
  if (query.voted) conditions.push(votedBy(organizationId, principal));
  if (query.needsInfo) conditions.push(needsInfo(organizationId));
  if (query.snoozed) conditions.push(snoozedBy(organizationId, principal));
  if (amountMin !== undefined) conditions.push(Prisma.sql`${AMOUNT} >= ${String(amountMin)}::float8`);
  if (amountMax !== undefined)
    conditions.push(Prisma.sql`r.amount IS NOT NULL AND ${AMOUNT} <= ${String(amountMax)}::float8`);
  return Prisma.join(conditions, " AND ");
}

/**
 * Open requests with a vote of the caller's, also one for who is away, that wait for others. Along the index of open requests on
 * which people vote, which has nothing in it without a policy.
 */
function votedBy(organizationId: string, principal: Principal): Prisma.Sql {
  const person = personOf(principal);
  return Prisma.sql`r.id = ANY (ARRAY(SELECT q.id FROM input_request q WHERE q.organization_id = ${organizationId}::uuid
    AND q.state = 'open' AND q.ballot IS NOT NULL AND EXISTS (SELECT FROM vote v WHERE v.organization_id = q.organization_id
      AND v.input_request_id = q.id AND v.ended_at IS NULL AND (v.person = ${person} OR ${DELEGATE} = ${person}))))`;
}

/** Along an index of those that wait for their requesters, which are few. */
function needsInfo(organizationId: string): Prisma.Sql {
  return Prisma.sql`r.id = ANY (ARRAY(SELECT q.id FROM input_request q
    WHERE q.organization_id = ${organizationId}::uuid AND q.needs_info IS NOT NULL))`;
}

/** Open requests that the caller has put off. */
function snoozedBy(organizationId: string, principal: Principal): Prisma.Sql {
  return Prisma.sql`r.state = 'open' AND r.id = ANY (ARRAY(${snoozesOf(organizationId, principal)}))`;
}

/** The ids of what the caller has put off. */
function snoozesOf(organizationId: string, principal: Principal): Prisma.Sql {
  return Prisma.sql`SELECT z.input_request_id FROM request_snooze z WHERE z.organization_id = ${organizationId}::uuid
    AND z.user_id = ${selfOf(principal)}::uuid AND z.ends_at > now()`;
}

/** Requests in this state that match the filters `assignee` and `waiting`. */
export function heldBy(
  organizationId: string,
  principal: Principal,
  { assignee, waiting, snoozed }: Pick<RequestListQuery, "assignee" | "waiting" | "snoozed">,
  state: RequestState,
): Prisma.Sql {
  const conditions = [Prisma.sql`true`];
  if (assignee === "me") conditions.push(mine(organizationId, principal, state));
  if (assignee === "none") conditions.push(state === "open" ? unassigned(organizationId) : Prisma.sql`false`);
  if (waiting === "me") conditions.push(waitingFor(organizationId, principal, state, snoozed));
  return Prisma.join(conditions, " AND ");
}

/**
 * Requests in this state that wait for the principal: those that the principal may accept now, and that nobody
 * else has taken or was assigned, unless the principal stands in for them; and that the principal has not put off. The checks of
 * lock-request.ts, answers/ and claims/ refuse the acceptance of the others, and `notices/audience.ts` tells the same people. With `snoozed`, what they have put off waits for them all the same. Row security reads the subqueries for the same organization.
 */
export function waitingFor(
  organizationId: string,
  principal: Principal,
  state: RequestState,
  snoozed?: RequestFilter["snoozed"],
): Prisma.Sql {
  const { userId } = principal;
  if (state !== "open" || !allows(principal, "requests:answer")) return Prisma.sql`false`;
  const takenByOthers = Prisma.sql`SELECT c.input_request_id FROM claim c
    WHERE c.organization_id = ${organizationId}::uuid AND ${CLAIM_IS_LIVE}
      AND c.user_id IS DISTINCT FROM ${userId}::uuid`;
  // An API key has no browser to visit a site.
  const sitesOfOthers = Prisma.sql`SELECT q.id FROM input_request q
      JOIN connection c ON c.organization_id = q.organization_id AND c.id = q.connection_id
    WHERE q.organization_id = ${organizationId}::uuid AND q.state = 'open' AND q.mode = 'url'
      AND (${userId}::uuid IS NULL OR coalesce(c.user_id, c.authorized_by) <> ${userId}::uuid)`;
  const askedByOneself = Prisma.sql`SELECT q.id FROM input_request q
      JOIN task t ON t.organization_id = q.organization_id AND t.id = q.task_id
    WHERE q.organization_id = ${organizationId}::uuid AND q.state = 'open'
      AND ${HAS_FOUR_EYES(organizationId)} AND ${ownUnderFourEyes(organizationId, principal)}`;
  return Prisma.sql`(r.assignee_user_id IS NULL OR r.assignee_user_id = ${userId}::uuid
      OR r.id = ANY (ARRAY(${assignedToAbsent(organizationId, principal)})))
    AND r.id NOT IN (${takenByOthers}) AND r.id NOT IN (${sitesOfOthers}) AND r.id NOT IN (${askedByOneself})
    AND ${isPerson(principal) ? Prisma.sql`true` : ASKED_BY_SERVER}
    AND ${isFreeOrHasVote(organizationId, principal)} ${
      snoozed ? Prisma.empty : Prisma.sql`AND r.id NOT IN (${snoozesOf(organizationId, principal)})`
    }`;
}

/** Intray's own questions are for people: no program may answer them. */
const ASKED_BY_SERVER = Prisma.sql`r.origin = 'server'`;

/** The ids of open requests that are assigned to who is away and for whom the principal stands in. */
function assignedToAbsent(organizationId: string, principal: Principal): Prisma.Sql {
  return Prisma.sql`SELECT q.id FROM ${standsInFor(principal)} s
      JOIN input_request q ON q.organization_id = ${organizationId}::uuid AND q.assignee_user_id = s.person
      JOIN task t ON t.organization_id = q.organization_id AND t.id = q.task_id
    WHERE q.state = 'open' AND ${isInScope(Prisma.sql`q.approval`)}`;
}

/** Requests in this state that are assigned to, or claimed by, the principal. API keys have none. */
export function mine(organizationId: string, { userId }: Principal, state: RequestState): Prisma.Sql {
  if (userId === null) return Prisma.sql`false`;
  return Prisma.sql`r.id = ANY (ARRAY(SELECT id FROM input_request WHERE organization_id = ${organizationId}::uuid
      AND assignee_user_id = ${userId}::uuid AND state = ${state}
    UNION ALL SELECT c.input_request_id FROM claim c WHERE c.organization_id = ${organizationId}::uuid
      AND c.user_id = ${userId}::uuid AND ${CLAIM_IS_LIVE}))`;
}

/** Open requests without an assignee or a live claim. */
export function unassigned(organizationId: string): Prisma.Sql {
  return Prisma.sql`r.assignee_user_id IS NULL AND r.id NOT IN (
    SELECT c.input_request_id FROM claim c WHERE c.organization_id = ${organizationId}::uuid AND ${CLAIM_IS_LIVE})`;
}

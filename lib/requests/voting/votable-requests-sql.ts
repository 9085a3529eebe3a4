/**
 * On which of many requests the caller may vote, for lists and counts: what `hasVote` and `votesFor` say of each request, asked once of
 * all that have the same ballot (prisma/migrations/0002_functions_and_policies/migration.sql).
 */
import { isPerson, type Principal } from "../../access/principal.ts";
import { Prisma } from "../../base/db/db.ts";
import { callerVotesFor, isAbsentAskedIn, isCallerAskedIn, personOf } from "./voter-sql.ts";

/** SQL condition: any one approver decides on the open request `r`, or the caller has a vote on it, of their own or for who is away. */
export function isFreeOrHasVote(organizationId: string, principal: Principal): Prisma.Sql {
  const approval = Prisma.sql`q.approval`;
  const isAsked = isCallerAskedIn(approval, principal);
  const asked = ballotsWhere(
    organizationId,
    isPerson(principal) ? isAsked : Prisma.sql`${isAsked} AND NOT ${NEEDS_STEP_UP}`,
  );
  const askedForAbsent = ballotsWhere(organizationId, isAbsentAskedIn(approval, principal));
  // Many of each: Postgres hashes what is IN a query, and goes through an array once a row.
  return Prisma.sql`(r.ballot IS NULL
    OR (r.ballot IN (${asked}) AND (r.kept_out IS NULL OR r.kept_out NOT IN (${actorsOf(organizationId, personOf(principal))})))
    OR r.id IN (SELECT q.id FROM input_request q JOIN task t ON t.organization_id = q.organization_id AND t.id = q.task_id
      WHERE q.organization_id = ${organizationId}::uuid AND q.state = 'open' AND q.ballot = ANY (ARRAY(${askedForAbsent}))
        AND ${callerVotesFor(approval, principal)} IS NOT NULL))`;
}

/** Who votes has to show that it is them, which no program can. */
const NEEDS_STEP_UP = Prisma.sql`coalesce(
  (q.approval -> 'stages' -> (q.approval -> 'open' ->> 'stage')::integer ->> 'stepUp')::boolean, false)`;

/** The ballots of open requests, of which one request `q` fulfils the condition. Each is found by one step along the index. */
function ballotsWhere(organizationId: string, condition: Prisma.Sql): Prisma.Sql {
  const next = (after: Prisma.Sql) => Prisma.sql`(SELECT o.ballot, o.id FROM input_request o
    WHERE o.organization_id = ${organizationId}::uuid AND o.state = 'open' AND o.ballot ${after} ORDER BY o.ballot LIMIT 1)`;
  return Prisma.sql`WITH RECURSIVE one AS (
      ${next(Prisma.sql`IS NOT NULL`)}
      UNION ALL SELECT later.ballot, later.id FROM one CROSS JOIN LATERAL ${next(Prisma.sql`> one.ballot`)} later
    )
    SELECT one.ballot FROM one JOIN input_request q ON q.organization_id = ${organizationId}::uuid AND q.id = one.id
      CROSS JOIN (SELECT ${organizationId}::uuid AS organization_id) t
    WHERE ${condition}`;
}

/** The ids by which a person may have asked for tasks: their own, and those of the keys, service accounts' keys and agents that are theirs. */
function actorsOf(organizationId: string, person: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`SELECT ${person} WHERE ${person} IS NOT NULL
    UNION ALL SELECT k.id FROM api_key k WHERE k.organization_id = ${organizationId}::uuid
      AND CASE WHEN k.service_account_id IS NULL THEN k.created_by = ${person}
        ELSE EXISTS (SELECT FROM service_account a WHERE a.organization_id = k.organization_id AND a.id = k.service_account_id
            AND a.owner_id = ${person})
          OR EXISTS (SELECT FROM service_account_maker held WHERE held.organization_id = k.organization_id
            AND held.service_account_id = k.service_account_id AND held.user_id = ${person}) END
    UNION ALL SELECT c.id FROM agent_credential c WHERE c.organization_id = ${organizationId}::uuid
      AND coalesce(c.user_id, c.created_by) = ${person}`;
}

/**
 * Who is to be told of what, as the rows say it now. It is asked when something changed, to make notices and to withdraw
 * them, and once more before a mail leaves.
 */

import { may, type Permission } from "../access/permissions.ts";
import { ROLES, type Role } from "../access/roles.ts";
import { Prisma } from "../base/db/db.ts";
import { CLAIM_IDLE_MS } from "../input-requests/status.ts";
import type { Cause } from "./schema.ts";

/** What may have changed, by id. */
export interface Subjects {
  requests: string[];
  tasks: string[];
  connections: string[];
  servers: string[];
  webhooks: string[];
}

/** What one has to be allowed to do something about it; what is missing is told to one person, whatever their role. */
const NEEDS: Partial<Record<Cause, Permission>> = {
  "request.waiting": "requests:answer",
  "request.assigned": "requests:answer",
  "request.undeliverable": "tasks:manage",
  "delivery.flagged": "requests:resend",
  "task.start_unknown": "tasks:manage",
  "connection.needs_reauth": "connections:own",
  "connection.needs_scope": "connections:own",
  "server.unhealthy": "servers:check",
  "webhook.disabled": "webhooks:manage",
};

/** Whether a role may still be told of it. */
export function concerns(role: Role, cause: Cause): boolean {
  const needed = NEEDS[cause];
  return needed === undefined || may(role, needed);
}

const rolesFor = (permission: Permission) =>
  Prisma.sql`m.role = ANY(${ROLES.filter((role) => may(role, permission))}::text[])`;

/** As `visibleTask`, for the member `m`. */
const SEES = Prisma.sql`(t.visibility = 'organization' OR t.requester_user_id = m.user_id OR EXISTS (
  SELECT FROM input_request mine WHERE mine.organization_id = t.organization_id AND mine.task_id = t.id
    AND mine.assignee_user_id = m.user_id))`;

const MEMBER = Prisma.sql`JOIN membership m ON m.organization_id = x.organization_id`;
const TASK = Prisma.sql`JOIN task t ON t.organization_id = x.organization_id AND t.id = x.task_id`;

/** Rows `user_id, cause, subject, task_id, input_request_id, server_id`. */
export function audienceOf(organizationId: string, subjects: Subjects): Prisma.Sql {
  const these = (ids: string[]) =>
    Prisma.sql`x.organization_id = ${organizationId}::uuid AND x.id = ANY(${ids}::uuid[])`;
  const parts = [
    [subjects.requests, waiting],
    [subjects.requests, undeliverable],
    [subjects.requests, flagged],
    [subjects.tasks, ended],
    [subjects.tasks, startUnknown],
    [subjects.connections, needsSignIn],
    [subjects.servers, unhealthy],
    [subjects.webhooks, webhookDisabled],
  ] as const;
  const asked = parts.flatMap(([ids, part]) => (ids.length > 0 ? [part(these(ids))] : []));
  return Prisma.join(asked, " UNION ALL ");
}

type Part = (these: Prisma.Sql) => Prisma.Sql;

/** Whoever may answer, or the one it is assigned to; not who may not accept: by four eyes, or another's address. */
const waiting: Part = (these) => Prisma.sql`
  SELECT m.user_id, CASE WHEN x.assignee_user_id IS NULL THEN 'request.waiting' ELSE 'request.assigned' END AS cause,
    x.id AS subject, x.task_id, x.id AS input_request_id, x.server_id
  FROM input_request x ${TASK} ${MEMBER}
    JOIN organization o ON o.id = x.organization_id
    JOIN connection c ON c.organization_id = x.organization_id AND c.id = x.connection_id
  WHERE ${these} AND x.state = 'open' AND t.cancel_requested_at IS NULL AND ${rolesFor("requests:answer")} AND ${SEES}
    AND (x.assignee_user_id = m.user_id OR (x.assignee_user_id IS NULL
      AND (o.four_eyes AND t.requester_user_id = m.user_id) IS NOT TRUE
      AND (x.mode <> 'url' OR coalesce(c.user_id, c.authorized_by, m.user_id) = m.user_id)))`;

const undeliverable: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'request.undeliverable', x.id, x.task_id, x.id, x.server_id FROM input_request x ${TASK} ${MEMBER}
  WHERE ${these} AND x.state = 'undeliverable' AND t.finished_at IS NULL AND ${rolesFor("tasks:manage")} AND ${SEES}`;

const flagged: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'delivery.flagged', x.id, x.task_id, x.id, x.server_id FROM input_request x ${TASK} ${MEMBER}
  WHERE ${these} AND x.state = 'answered' AND ${rolesFor("requests:resend")} AND ${SEES} AND EXISTS (
    SELECT FROM delivery d JOIN answer a ON a.organization_id = d.organization_id AND a.id = d.answer_id
    WHERE d.organization_id = x.organization_id AND d.input_request_id = x.id AND d.flagged AND a.withdrawn_at IS NULL)`;

/**
 * Who started it. A result that says of itself that it is an error is a failure; one that is tried again by itself is
 * none yet.
 */
const ended: Part = (these) => Prisma.sql`
  SELECT m.user_id, CASE WHEN x.state = 'completed' AND x.outcome_is_error THEN 'task.failed' ELSE 'task.' || x.state END,
    x.id, x.id, NULL::uuid, x.server_id
  FROM task x JOIN membership m ON m.organization_id = x.organization_id AND m.user_id = x.requester_user_id
  WHERE ${these} AND x.state IN ('completed', 'failed', 'lost', 'expired') AND NOT EXISTS (SELECT FROM task again
    WHERE again.organization_id = x.organization_id AND again.retry_of = x.id)`;

const startUnknown: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'task.start_unknown', t.id, t.id, NULL::uuid, t.server_id
  FROM task x JOIN task t ON t.organization_id = x.organization_id AND t.id = x.id ${MEMBER}
  WHERE ${these} AND t.state = 'start_unknown' AND ${rolesFor("tasks:manage")} AND ${SEES}`;

/** Whose own connection it is; the shared one's are all who may sign in for it. */
const needsSignIn: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'connection.' || g.state, x.id, NULL::uuid, NULL::uuid, x.server_id
  FROM connection x ${MEMBER}
    JOIN oauth_grant g ON g.organization_id = x.organization_id AND g.connection_id = x.id
    JOIN server s ON s.organization_id = x.organization_id AND s.id = x.server_id
  WHERE ${these} AND g.state IN ('needs_reauth', 'needs_scope') AND s.removed_at IS NULL
    AND CASE WHEN x.user_id IS NULL THEN ${rolesFor("connections:share")}
      ELSE x.user_id = m.user_id AND ${rolesFor("connections:own")} END`;

/** That somebody has to sign in is told of the connection. */
const unhealthy: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'server.unhealthy', x.id, NULL::uuid, NULL::uuid, x.id FROM server x ${MEMBER}
  WHERE ${these} AND x.removed_at IS NULL AND x.health_state <> 'ok'
    AND NOT (x.health_state = 'unauthorized' AND x.auth_kind = 'oauth') AND ${rolesFor("servers:check")}`;

/** By itself: who switches one off knows. */
const webhookDisabled: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'webhook.disabled', x.id, NULL::uuid, NULL::uuid, NULL::uuid FROM webhook_endpoint x ${MEMBER}
  WHERE ${these} AND x.disabled_reason IN ('gone', 'failing') AND ${rolesFor("webhooks:manage")}`;

/** Whether another works on the request of the notice `n`. */
export const HELD_BY_ANOTHER = Prisma.sql`(n.cause = 'request.waiting' AND EXISTS (SELECT FROM claim c
  WHERE c.organization_id = n.organization_id AND c.input_request_id = n.input_request_id AND c.user_id <> n.user_id
    AND c.active_at > now() - ${CLAIM_IDLE_MS} * interval '1 ms'))`;

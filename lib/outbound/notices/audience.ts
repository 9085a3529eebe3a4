/**
 * Determines the recipients of notices from the current rows. Queried after changes, to create and withdraw
 * notices, and again before a mail is sent.
 */

import { may, type Permission } from "../../access/permissions.ts";
import { ROLES, type Role } from "../../access/roles.ts";
import { Prisma } from "../../base/db/db.ts";
import { allRefusedByFourEyes } from "../../people/members/one-maker.ts";
import { CLAIM_IS_LIVE } from "../../requests/claims/claim-checks.ts";
import { allStandingIn, hasVote, isInScope, votesFor } from "../../requests/voting/voter-sql.ts";
import { SEEN_BY_MEMBER } from "../../tasks/visibility.ts";
import { type Platform, SLACK, TEAMS } from "../channel/platforms.ts";
import type { Cause } from "./notice-schema.ts";

/** Ids of objects that may have changed. */
export interface Subjects {
  requests: string[];
  comments: string[];
  tasks: string[];
  connections: string[];
  servers: string[];
  webhooks: string[];
  /** Accounts that were given to another person. */
  accounts: string[];
  /** Proposals to require no second person any more. */
  proposals: string[];
  /** Changes of the policy that wait for a second admin. */
  policyProposals: string[];
  /** Memberships that an owner has vouched for. */
  vouched: string[];
  /** Organizations whose deletion was asked for or taken back. */
  ending: string[];
  keys: string[];
  agents: string[];
  auditStreams: string[];
  serviceAccounts: string[];
  samlProviders: string[];
  /** Organizations, each with one app a platform. */
  slackApps: string[];
  teamsApps: string[];
}

export const NO_SUBJECTS: Subjects = {
  requests: [],
  comments: [],
  tasks: [],
  connections: [],
  servers: [],
  webhooks: [],
  accounts: [],
  proposals: [],
  policyProposals: [],
  vouched: [],
  ending: [],
  keys: [],
  agents: [],
  auditStreams: [],
  serviceAccounts: [],
  samlProviders: [],
  slackApps: [],
  teamsApps: [],
};

/** The permission needed to act on a cause. Causes without one concern one person, regardless of role. */
const NEEDS: Partial<Record<Cause, Permission>> = {
  "request.waiting": "requests:answer",
  "request.assigned": "requests:answer",
  "request.reminded": "requests:answer",
  "request.woke": "requests:answer",
  "request.undeliverable": "tasks:manage",
  "delivery.flagged": "requests:resend",
  "task.start_unknown": "tasks:manage",
  "connection.needs_reauth": "connections:own",
  "connection.needs_scope": "connections:own",
  "server.unhealthy": "servers:check",
  "webhook.disabled": "webhooks:manage",
  "account.replaced": "owners:manage",
  "organization.four_eyes_ending": "settings:manage",
  "policy.proposed": "settings:manage",
  "member.vouched": "owners:manage",
  "organization.deleting": "organization:delete",
  "audit_stream.failing": "audit:manage",
  "service_account.rests": "keys:manage",
  "saml_provider.certificate_ends": "owners:manage",
  "slack.revoked": "settings:manage",
  "teams.revoked": "settings:manage",
};

/** Returns true if a role may get notices of this cause. */
export function concerns(role: Role, cause: Cause): boolean {
  const needed = NEEDS[cause];
  return needed === undefined || may(role, needed);
}

const rolesFor = (permission: Permission) =>
  Prisma.sql`m.role = ANY(${ROLES.filter((role) => may(role, permission))}::text[])`;

const MEMBER = Prisma.sql`JOIN membership m ON m.organization_id = x.organization_id`;
const TASK = Prisma.sql`JOIN task t ON t.organization_id = x.organization_id AND t.id = x.task_id`;

/** Returns SQL with rows `user_id, cause, subject, task_id, input_request_id, server_id`. */
export function audienceOf(organizationId: string, subjects: Subjects): Prisma.Sql {
  const these = (ids: string[]) =>
    Prisma.sql`x.organization_id = ${organizationId}::uuid AND x.id = ANY(${ids}::uuid[])`;
  const parts = [
    [subjects.requests, waiting],
    [subjects.requests, infoWanted],
    [subjects.comments, commented],
    [subjects.requests, undeliverable],
    [subjects.requests, flagged],
    [subjects.tasks, ended],
    [subjects.tasks, startUnknown],
    [subjects.connections, needsSignIn],
    [subjects.servers, unhealthy],
    [subjects.webhooks, webhookDisabled],
    [subjects.proposals, fourEyesEnding],
    [subjects.policyProposals, policyProposed],
    [subjects.vouched, vouched],
    [subjects.ending, deleting],
    [subjects.keys, keyEnds],
    [subjects.agents, agentEnds],
    [subjects.auditStreams, auditStreamFailing],
    [subjects.serviceAccounts, accountRests],
    [subjects.samlProviders, certificateEnds],
    [subjects.slackApps, revoked(SLACK)],
    [subjects.teamsApps, revoked(TEAMS)],
  ] as const;
  const asked = parts.flatMap(([ids, part]) => (ids.length > 0 ? [part(these(ids), organizationId)] : []));
  if (subjects.accounts.length > 0) asked.push(accountReplaced(organizationId, subjects.accounts));
  return Prisma.join(asked, " UNION ALL ");
}

type Part = (these: Prisma.Sql, organizationId: string) => Prisma.Sql;

/**
 * Recipients: everyone who may accept, or the assignee alone: for members, the rule of `waitingFor` in
 * lib/requests/lists/filter.ts. Left out is who may not accept, because of the four-eyes rule or because a URL
 * belongs to another person's connection; a claim of another only holds a notice back (`HELD_BY_ANOTHER`). Who is away
 * is told all the same, and with them whoever stands in for them. Who has been reminded has a notice of that too. Who has put the
 * request off is told when that is over; `request.snoozed` is no notice, and says meanwhile that it is theirs all the same.
 */
const waiting: Part = (these, organizationId) => Prisma.sql`
  SELECT m.user_id, told.cause, x.id AS subject, x.task_id, x.id AS input_request_id, x.server_id
  FROM input_request x ${TASK}
    -- OFFSET keeps the planner from asking for each member anew.
    CROSS JOIN LATERAL (SELECT ${allRefusedByFourEyes(Prisma.sql`x.organization_id`)} AS ids OFFSET 0) refused
    ${MEMBER}
    JOIN connection c ON c.organization_id = x.organization_id AND c.id = x.connection_id
    LEFT JOIN request_snooze z ON z.organization_id = x.organization_id AND z.user_id = m.user_id AND z.input_request_id = x.id
    CROSS JOIN LATERAL (SELECT CASE WHEN z.woken_at IS NOT NULL THEN 'request.woke' WHEN z.ends_at IS NOT NULL THEN 'request.snoozed'
        WHEN x.assignee_user_id = m.user_id THEN 'request.assigned' ELSE 'request.waiting' END AS cause
      UNION ALL SELECT 'request.reminded' WHERE (x.approval -> 'open' ->> 'reminded')::boolean
        AND (z.ends_at IS NULL OR z.woken_at IS NOT NULL)) told
  WHERE ${these} AND x.state = 'open' AND t.cancel_requested_at IS NULL AND ${rolesFor("requests:answer")} AND ${SEEN_BY_MEMBER}
    AND (x.assignee_user_id IS NULL OR x.assignee_user_id = m.user_id OR EXISTS (
      SELECT FROM ${allStandingIn(organizationId)} s WHERE s.person = x.assignee_user_id AND s.delegate = m.user_id
        AND ${isInScope(Prisma.sql`x.approval`)}))
    AND NOT coalesce(m.user_id = ANY (refused.ids), false)
    AND (x.approval IS NULL OR ${hasVote(Prisma.sql`x.approval`, Prisma.sql`m.user_id`, [Prisma.sql`m.role`])}
      OR ${votesFor(Prisma.sql`x.approval`, allStandingIn(organizationId), Prisma.sql`m.user_id`)} IS NOT NULL)
    AND (x.mode <> 'url' OR coalesce(c.user_id, c.authorized_by, m.user_id) = m.user_id)`;

/** Recipient: the member behind the task, while somebody waits for what they know. */
const infoWanted: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'request.info_wanted', x.id, x.task_id, x.id, x.server_id FROM input_request x ${TASK} ${MEMBER}
  WHERE ${these} AND x.state = 'open' AND m.user_id = (x.needs_info -> 'of' ->> 'id')::uuid AND ${SEEN_BY_MEMBER}`;

/** Recipients: whoever is mentioned, and who had asked what the comment replies to. */
const commented: Part = (these) => Prisma.sql`
  SELECT m.user_id, CASE WHEN m.user_id = x.replies_to THEN 'comment.info_given' ELSE 'comment.mentioned' END, x.id, r.task_id,
    r.id, r.server_id
  FROM request_comment x JOIN input_request r ON r.organization_id = x.organization_id AND r.id = x.input_request_id
    JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id ${MEMBER}
  WHERE ${these} AND x.deleted_at IS NULL AND m.user_id = ANY (x.mentions || x.replies_to) AND m.user_id <> x.author AND ${SEEN_BY_MEMBER}`;

const undeliverable: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'request.undeliverable', x.id, x.task_id, x.id, x.server_id FROM input_request x ${TASK} ${MEMBER}
  WHERE ${these} AND x.state = 'undeliverable' AND t.finished_at IS NULL AND ${rolesFor("tasks:manage")} AND ${SEEN_BY_MEMBER}`;

const flagged: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'delivery.flagged', x.id, x.task_id, x.id, x.server_id FROM input_request x ${TASK} ${MEMBER}
  WHERE ${these} AND x.state = 'answered' AND ${rolesFor("requests:resend")} AND ${SEEN_BY_MEMBER} AND EXISTS (
    SELECT FROM delivery d JOIN answer a ON a.organization_id = d.organization_id AND a.id = d.answer_id
    WHERE d.organization_id = x.organization_id AND d.input_request_id = x.id AND d.flagged AND a.withdrawn_at IS NULL)`;

/**
 * Recipient: the member who started the task. A result marked as error counts as a failure. A task that is
 * being retried automatically does not count.
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
  WHERE ${these} AND t.state = 'start_unknown' AND ${rolesFor("tasks:manage")} AND ${SEEN_BY_MEMBER}`;

/** Recipients: the connection's owner, or for the shared one everyone who may sign in for it. */
const needsSignIn: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'connection.' || g.state, x.id, NULL::uuid, NULL::uuid, x.server_id
  FROM connection x ${MEMBER}
    JOIN oauth_grant g ON g.organization_id = x.organization_id AND g.connection_id = x.id
    JOIN server s ON s.organization_id = x.organization_id AND s.id = x.server_id
  WHERE ${these} AND g.state IN ('needs_reauth', 'needs_scope') AND s.removed_at IS NULL
    AND CASE WHEN x.user_id IS NULL THEN ${rolesFor("connections:share")}
      ELSE x.user_id = m.user_id AND ${rolesFor("connections:own")} END`;

/** Excludes servers that need a sign-in, since the connection has its own notice. */
const unhealthy: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'server.unhealthy', x.id, NULL::uuid, NULL::uuid, x.id FROM server x ${MEMBER}
  WHERE ${these} AND x.removed_at IS NULL AND x.health_state <> 'ok'
    AND NOT (x.health_state = 'unauthorized' AND x.auth_kind = 'oauth') AND ${rolesFor("servers:check")}`;

/** Only webhooks disabled automatically, since people know about those that they disable themselves. */
const webhookDisabled: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'webhook.disabled', x.id, NULL::uuid, NULL::uuid, NULL::uuid FROM webhook_endpoint x ${MEMBER}
  WHERE ${these} AND x.disabled_reason IN ('gone', 'failing') AND ${rolesFor("webhooks:manage")}`;

/** Who owns the organization, but for the new person of the account: it is they who have done it. */
const accountReplaced = (organizationId: string, accounts: string[]) => Prisma.sql`
  SELECT DISTINCT m.user_id, 'account.replaced', (x.data ->> 'userId')::uuid, NULL::uuid, NULL::uuid, NULL::uuid
  FROM event x ${MEMBER}
  WHERE x.organization_id = ${organizationId}::uuid AND x.type = 'account.replaced'
    AND x.data ->> 'userId' = ANY(${accounts}::text[]) AND m.user_id::text <> x.data ->> 'userId'
    AND ${rolesFor("owners:manage")}`;

const fourEyesEnding: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'organization.four_eyes_ending', x.id, NULL::uuid, NULL::uuid, NULL::uuid
  FROM four_eyes_proposal x ${MEMBER} WHERE ${these} AND x.state = 'open' AND ${rolesFor("settings:manage")}`;

/** Who may approve it: not who counts as one person with whoever proposed. */
const policyProposed: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'policy.proposed', x.id, NULL::uuid, NULL::uuid, NULL::uuid
  FROM policy_proposal x ${MEMBER} WHERE ${these} AND x.state = 'open' AND ${rolesFor("settings:manage")}
    AND NOT same_maker(x.organization_id, x.proposer, m.user_id)`;

const vouched: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'member.vouched', x.id, NULL::uuid, NULL::uuid, NULL::uuid FROM membership x
    JOIN maker k ON k.organization_id = x.organization_id AND k.user_id = x.user_id ${MEMBER}
  WHERE ${these} AND k.vouched_at IS NOT NULL AND ${rolesFor("owners:manage")}`;

/** Of the organizations only one's own is there to be read. */
const deleting: Part = () => Prisma.sql`
  SELECT m.user_id, 'organization.deleting', o.id, NULL::uuid, NULL::uuid, NULL::uuid
  FROM organization o JOIN membership m ON m.organization_id = o.id
  WHERE o.id = current_organization() AND o.deletion_requested_at IS NOT NULL AND ${rolesFor("organization:delete")}`;

/**
 * Recipients: the key's maker, and everyone who may make another key. Of each key the last warning that was due
 * (`warned_days`) is the one that applies; what is due from the start, as of a short life, is told to nobody.
 */
const keyEnds: Part = (these) => Prisma.sql`
  SELECT m.user_id, CASE x.warned_days WHEN 14 THEN 'key.ends_in_14_days' WHEN 3 THEN 'key.ends_in_3_days' ELSE 'key.ended' END,
    x.id, NULL::uuid, NULL::uuid, NULL::uuid FROM api_key x ${MEMBER}
  WHERE ${these} AND x.revoked_at IS NULL AND x.expires_at <= now() + x.warned_days * interval '1 day'
    AND (x.warned_days = 0 OR x.expires_at > now())
    AND x.expires_at - x.warned_days * interval '1 day' > coalesce(x.rotated_at, x.created_at) AND (x.created_by = m.user_id OR ${rolesFor("keys:manage")})`;

/** As `keyEnds`, for agents: the members who may make another one. */
const agentEnds: Part = (these) => Prisma.sql`
  SELECT m.user_id, CASE x.warned_days WHEN 14 THEN 'agent.ends_in_14_days' WHEN 3 THEN 'agent.ends_in_3_days' ELSE 'agent.ended' END,
    x.id, NULL::uuid, NULL::uuid, NULL::uuid FROM agent_credential x ${MEMBER}
  WHERE ${these} AND x.revoked_at IS NULL AND x.expires_at <= now() + x.warned_days * interval '1 day'
    AND (x.warned_days = 0 OR x.expires_at > now())
    AND x.expires_at - x.warned_days * interval '1 day' > x.created_at
    AND (x.created_by = m.user_id OR ${rolesFor("agents:manage")})`;

const auditStreamFailing: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'audit_stream.failing', x.id, NULL::uuid, NULL::uuid, NULL::uuid FROM audit_stream x ${MEMBER}
  WHERE ${these} AND x.reported_at IS NOT NULL AND x.paused_at IS NULL AND ${rolesFor("audit:manage")}`;

/** Recipients: everyone who may give the account another owner. One that an admin put to rest is told to nobody. */
const accountRests: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'service_account.rests', x.id, NULL::uuid, NULL::uuid, NULL::uuid FROM service_account x ${MEMBER}
  WHERE ${these} AND x.told_at IS NOT NULL AND x.deleted_at IS NULL
    AND owner_is_missing(x.organization_id, x.owner_id, x.role) AND ${rolesFor("keys:manage")}`;

/** Recipients: the owners, 30 days before nobody can sign in that way any more (lib/people/saml/saml-writes.ts). Told once. */
const certificateEnds: Part = (these) => Prisma.sql`
  SELECT m.user_id, 'saml_provider.certificate_ends', x.id, NULL::uuid, NULL::uuid, NULL::uuid
  FROM saml_provider x ${MEMBER}
  WHERE ${these} AND x.certificate_ends_at < now() + interval '30 days' AND ${rolesFor("owners:manage")}`;

/** Recipients: everyone who may set the platform up again. An organization has one app, which goes by the organization's id. */
const revoked =
  ({ name, app }: Platform): Part =>
  (_, organizationId) =>
    Prisma.sql`
  SELECT m.user_id, ${`${name}.revoked`}::text, x.organization_id, NULL::uuid, NULL::uuid, NULL::uuid FROM ${app} x ${MEMBER}
  WHERE x.organization_id = ${organizationId}::uuid AND x.revoked_at IS NOT NULL AND ${rolesFor("settings:manage")}`;

/** SQL condition: another member is working on the request of notice `n`. */
export const HELD_BY_ANOTHER = Prisma.sql`(n.cause IN ('request.waiting', 'request.reminded', 'request.woke') AND EXISTS (SELECT FROM claim c
  WHERE c.organization_id = n.organization_id AND c.input_request_id = n.input_request_id AND c.user_id <> n.user_id
    AND ${CLAIM_IS_LIVE}))`;

/** Reads the notices that a channel may still tell. All channels ask here, right before they send. */

import { Prisma, type Tx } from "../../base/db/db.ts";
import { audienceOf, type Subjects } from "./audience.ts";
import { ASSIGNMENT, assignmentOf, JOIN_AGENT, JOIN_ASSIGNMENT, JOIN_KEY } from "./notice-reads.ts";
import { causeSchema } from "./notice-schema.ts";
import type { NoticeAbout } from "./notice-words.ts";

/** A notice of one member that still applies. `matter`: what several notices may be about, as one request. */
export type StillTrue = NoticeAbout & { subject: string; matter: string };

/**
 * Returns the member's notices that still apply, oldest first: unread, not withdrawn, and by the member's role and the task's
 * visibility of now still theirs. `which`: a condition on notice `n` and the member's choice for its kind, `p`.
 */
export async function stillTrue(tx: Tx, userId: string, which: Prisma.Sql): Promise<StillTrue[]> {
  const untold = Prisma.sql`FROM notice n
    LEFT JOIN notice_preference p ON p.organization_id = n.organization_id AND p.user_id = n.user_id AND p.kind = n.kind
    WHERE n.organization_id = ${tx.organizationId}::uuid AND n.user_id = ${userId}::uuid AND n.read_at IS NULL
      AND n.withdrawn_at IS NULL AND ${which}`;
  const noticed = await tx.$queryRaw<
    { cause: string; subject: string }[]
  >`SELECT n.cause, n.subject ${untold}`;
  if (noticed.length === 0) return [];
  // The member stands in the condition, and not in a join, so that the planner looks for nobody else.
  const rows = await tx.$queryRaw<NoticeRow[]>`
    WITH audience AS (SELECT a.cause, a.subject
      FROM (${audienceOf(tx.organizationId, sorted(noticed))}) AS a (user_id, cause, subject, task_id, input_request_id, server_id)
      WHERE a.user_id = ${userId}::uuid)
    SELECT n.cause, n.subject, n.input_request_id AS "inputRequestId", t.id AS "taskId", t.tool, s.id AS "serverId",
      s.name AS "serverName", k.id AS "keyId", k.name AS "keyName", g.id AS "agentId", g.name AS "agentName",
      ${ASSIGNMENT} AS assignment
    FROM (SELECT n.* ${untold}) n JOIN audience a ON a.cause = n.cause AND a.subject = n.subject
      LEFT JOIN task t ON t.organization_id = n.organization_id AND t.id = n.task_id
      LEFT JOIN server s ON s.organization_id = n.organization_id AND s.id = n.server_id
      ${JOIN_KEY} ${JOIN_AGENT} ${JOIN_ASSIGNMENT}
    ORDER BY n.created_at, n.id`;
  return rows.map(toStillTrue);
}

interface NoticeRow {
  cause: string;
  subject: string;
  inputRequestId: string | null;
  taskId: string | null;
  tool: string | null;
  serverId: string | null;
  serverName: string | null;
  keyId: string | null;
  keyName: string | null;
  agentId: string | null;
  agentName: string | null;
  assignment: unknown;
}

function toStillTrue(row: NoticeRow): StillTrue {
  const { cause, subject, inputRequestId, taskId, tool, serverId, serverName } = row;
  const { keyId, keyName, agentId, agentName } = row;
  return {
    cause: causeSchema.parse(cause),
    subject,
    matter: inputRequestId ?? subject,
    inputRequestId,
    task: taskId !== null && tool !== null ? { id: taskId, tool } : null,
    server: serverId !== null && serverName !== null ? { id: serverId, name: serverName } : null,
    apiKey: keyId !== null && keyName !== null ? { id: keyId, name: keyName } : null,
    agent: agentId !== null && agentName !== null ? { id: agentId, name: agentName } : null,
    assignment: assignmentOf(row.assignment),
  };
}

function sorted(noticed: { cause: string; subject: string }[]): Subjects {
  const of = (pattern: RegExp) =>
    noticed.flatMap(({ cause, subject }) => (pattern.test(cause) ? [subject] : []));
  return {
    requests: of(/^(request|delivery)\./),
    comments: of(/^comment\./),
    tasks: of(/^task\./),
    connections: of(/^connection\./),
    servers: of(/^server\./),
    webhooks: of(/^webhook\./),
    accounts: of(/^account\./),
    proposals: of(/^organization\.four_eyes_/),
    policyProposals: of(/^policy\./),
    vouched: of(/^member\.vouched$/),
    ending: of(/^organization\.deleting$/),
    keys: of(/^key\./),
    agents: of(/^agent\./),
    auditStreams: of(/^audit_stream\./),
    serviceAccounts: of(/^service_account\./),
    samlProviders: of(/^saml_provider\./),
    slackApps: of(/^slack\./),
    teamsApps: of(/^teams\./),
  };
}

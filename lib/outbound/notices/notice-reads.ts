/** Scoped reads of notices; members see only their own. */

import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import { actorWords } from "../../access/actor-words.ts";
import type { Principal } from "../../access/principal.ts";
import { readPosition, toPage } from "../../base/cursor.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import type { Page } from "../../base/page.ts";
import { visibleTask } from "../../tasks/visibility.ts";
import { concerns } from "./audience.ts";
import {
  ACCOUNT_CAUSES,
  CAUSES,
  type Cause,
  MOST_COUNTED,
  type Notice,
  type NoticeQuery,
  noticeSchema,
} from "./notice-schema.ts";

/**
 * Lists notices of the organization and those of the account, newest first. `sessionId`: the session that asks. Throws
 * `forbidden` for an API key, which has none.
 */
export async function listNotices(
  tx: Tx,
  principal: Principal,
  query: NoticeQuery,
  sessionId: string | null = null,
): Promise<Page<Notice>> {
  const userId = memberOf(principal);
  const before = readPosition(query.cursor);
  const at = before?.createdAt.toISOString();
  const isBefore = before
    ? Prisma.sql`AND (n.created_at, n.id) < (${at}::timestamptz, ${before.id}::uuid)`
    : Prisma.empty;
  const rows = await tx.$queryRaw<NoticeRow[]>`
    (SELECT n.id, n.kind, n.cause, n.task_id AS "taskId", t.tool, t.label, n.input_request_id AS "inputRequestId",
      s.id AS "serverId", s.name AS "serverName", k.id AS "keyId", k.name AS "keyName", g.id AS "agentId", g.name AS "agentName",
      ${ASSIGNMENT} AS assignment,
      n.created_at AS "createdAt", n.read_at AS "readAt", NULL::jsonb AS account
    FROM notice n LEFT JOIN task t ON t.organization_id = n.organization_id AND t.id = n.task_id
      LEFT JOIN server s ON s.organization_id = n.organization_id AND s.id = n.server_id
      ${JOIN_KEY} ${JOIN_AGENT} ${JOIN_ASSIGNMENT}
    WHERE n.organization_id = ${tx.organizationId}::uuid AND n.user_id = ${userId}::uuid AND ${shownTo(principal)}
      AND ${query.unread === "true" ? UNREAD : Prisma.sql`(n.withdrawn_at IS NULL OR n.read_at IS NOT NULL)`}
      ${isBefore} ORDER BY n.created_at DESC, n.id DESC LIMIT ${query.limit + 1})
    UNION ALL
    (SELECT n.id, 'account', n.cause, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, n.created_at, n.read_at,
      jsonb_build_object('data', n.data, 'more', n.more, 'canBeRead', n.can_read)
    FROM gate.account_notices(${userId}::uuid, ${sessionId}::uuid) n
    WHERE n.cause = ANY(${[...ACCOUNT_CAUSES]}::text[]) ${query.unread === "true" ? Prisma.sql`AND n.read_at IS NULL` : Prisma.empty}
      ${isBefore} ORDER BY n.created_at DESC, n.id DESC LIMIT ${query.limit + 1})
    ORDER BY "createdAt" DESC, id DESC LIMIT ${query.limit + 1}`;
  return toPage(rows, query.limit, (row) => row, toNotice);
}

/** Joins the API key that notice `n` is about, as `k`. */
export const JOIN_KEY = Prisma.sql`LEFT JOIN api_key k ON n.cause LIKE 'key.%' AND k.organization_id = n.organization_id
  AND k.id = n.subject`;

/** Joins the agent that notice `n` is about, as `g`. */
export const JOIN_AGENT = Prisma.sql`LEFT JOIN agent_credential g ON n.cause LIKE 'agent.%'
  AND g.organization_id = n.organization_id AND g.id = n.subject`;

/** Joins the request that was given to the member of notice `n`, as `given`, while it is theirs. */
export const JOIN_ASSIGNMENT = Prisma.sql`LEFT JOIN input_request given ON n.cause = 'request.assigned'
  AND given.organization_id = n.organization_id AND given.id = n.input_request_id
  AND given.assignee_user_id = n.user_id`;
export const ASSIGNMENT = Prisma.sql`CASE WHEN given.assigned_by->>'to' = given.assignee_user_id::text
  THEN jsonb_build_object('by', given.assigned_by, 'note', given.assignment_note) END`;

/** Counts unread notices, up to MOST_COUNTED. */
export async function countUnread(tx: Tx, principal: Principal): Promise<number> {
  const userId = memberOf(principal);
  const [row] = await tx.$queryRaw<{ unread: number }[]>`SELECT count(*)::integer AS unread FROM (
    SELECT FROM notice n LEFT JOIN task t ON t.organization_id = n.organization_id AND t.id = n.task_id
    WHERE n.organization_id = ${tx.organizationId}::uuid AND n.user_id = ${userId}::uuid AND ${UNREAD}
      AND ${shownTo(principal)}
    UNION ALL SELECT FROM gate.account_notices(${userId}::uuid, NULL) n
      WHERE n.read_at IS NULL AND n.cause = ANY(${[...ACCOUNT_CAUSES]}::text[])
    LIMIT ${MOST_COUNTED}) counted`;
  return row?.unread ?? 0;
}

export function memberOf(principal: Principal): string {
  if (!principal.userId) throw new AppError("forbidden", "An API key has no notices; members have.");
  return principal.userId;
}

const UNREAD = Prisma.sql`n.read_at IS NULL AND n.withdrawn_at IS NULL`;

/** Filters again, since role and visibility may have changed after the notice was created. */
function shownTo(principal: Principal): Prisma.Sql {
  const causes = (Object.keys(CAUSES) as Cause[]).filter((cause) => concerns(principal.role, cause));
  return Prisma.sql`n.in_app AND n.cause = ANY(${causes}::text[]) AND (n.task_id IS NULL OR ${visibleTask(principal)})`;
}

interface NoticeRow {
  id: string;
  kind: string;
  cause: string;
  taskId: string | null;
  tool: string | null;
  label: string | null;
  inputRequestId: string | null;
  serverId: string | null;
  serverName: string | null;
  keyId: string | null;
  keyName: string | null;
  agentId: string | null;
  agentName: string | null;
  assignment: unknown;
  account: unknown;
  createdAt: Date;
  readAt: Date | null;
}

/** What ASSIGNMENT found. */
export function assignmentOf(found: unknown): Notice["assignment"] {
  const given = z.object({ by: actorSchema, note: z.string().nullable() }).nullable().parse(found);
  return given && { by: actorWords(given.by, { begins: true }), note: given.note };
}

function toNotice(row: NoticeRow): Notice {
  const { id, taskId, tool, serverId, serverName, keyId, keyName, agentId, agentName } = row;
  return {
    id,
    kind: noticeSchema.shape.kind.parse(row.kind),
    cause: noticeSchema.shape.cause.parse(row.cause),
    task: taskId !== null && tool !== null ? { id: taskId, tool, label: row.label } : null,
    inputRequestId: row.inputRequestId,
    server: serverId !== null && serverName !== null ? { id: serverId, name: serverName } : null,
    apiKey: keyId !== null && keyName !== null ? { id: keyId, name: keyName } : null,
    agent: agentId !== null && agentName !== null ? { id: agentId, name: agentName } : null,
    assignment: assignmentOf(row.assignment),
    account: noticeSchema.shape.account.parse(row.account),
    createdAt: row.createdAt.toISOString(),
    readAt: row.readAt?.toISOString() ?? null,
  };
}

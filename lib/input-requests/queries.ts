/** Scoped reads of input requests. Every one carries the organization and what the principal may see. */
import { z } from "zod";
import { type Position, readPosition, toPage } from "../cursor.ts";
import { Prisma, type Tx } from "../db.ts";
import { notFound } from "../errors.ts";
import { formSchema } from "../mcp/form.ts";
import type { Page, PageQuery } from "../page.ts";
import type { Principal } from "../principal.ts";
import { containing } from "../search.ts";
import { eraSchema } from "../servers/schema.ts";
import { traitsSchema } from "../servers/traits.ts";
import { progressSchema, taskStateSchema } from "../tasks/schema.ts";
import { visibleTask } from "../tasks/visibility.ts";
import { CLAIM_IS_LIVE, iso, JOINS, person, type RequestRow, SUMMARY, toSummary } from "./row.ts";
import {
  type InputRequestDetail,
  type InputRequestSummary,
  REQUEST_STATES,
  type RequestListQuery,
} from "./schema.ts";

/** Oldest first, as who has waited longest is first in line; `newest` is for looking back. */
export async function listInputRequests(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  query: RequestListQuery & PageQuery,
): Promise<Page<InputRequestSummary>> {
  const position = readPosition(query.cursor);
  const newest = query.order === "newest";
  const direction = newest ? Prisma.sql`DESC` : Prisma.sql`ASC`;
  // State by state, so that each runs along its index whatever the others hold.
  const rows = await tx.$queryRaw<RequestRow[]>`
    WITH page AS (
      SELECT found.id, found.created_at FROM unnest(${query.state ?? [...REQUEST_STATES]}::text[]) AS wanted(state),
      LATERAL (
        SELECT r.id, r.created_at FROM input_request r
          JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
        WHERE r.organization_id = ${organizationId}::uuid AND r.state = wanted.state AND ${visibleTask(principal)}
          AND ${filters(principal, query)} AND ${position ? beyond(position, newest) : Prisma.sql`true`}
        ORDER BY r.created_at ${direction}, r.id ${direction} LIMIT ${query.limit + 1}
      ) found
      ORDER BY found.created_at ${direction}, found.id ${direction} LIMIT ${query.limit + 1}
    )
    SELECT ${SUMMARY} FROM page
      JOIN input_request r ON r.organization_id = ${organizationId}::uuid AND r.id = page.id ${JOINS}
    ORDER BY page.created_at ${direction}, page.id ${direction}`;
  return toPage(rows, query.limit, (row) => row, toSummary);
}

/** Throws `not_found`, for invisible ones too. */
export async function readInputRequest(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  requestId: string,
): Promise<InputRequestDetail> {
  const [row] = await tx.$queryRaw<DetailRow[]>`
    SELECT ${SUMMARY}, t.arguments, t.era, r.requested_schema AS schema, r.form, r.url,
      r.question_hash AS "questionHash", r.ended_reason AS "endedReason", t.state AS "taskState",
      t.status_message AS "statusMessage", t.cancel_requested_at AS "cancelRequestedAt",
      t.expires_at AS "taskExpiresAt", t.progress, t.durable, t.adopted, s.traits,
      previous.message AS "previousMessage",
      previous.requested_schema AS "previousSchema", previous.url AS "previousUrl", draft.content AS "draftContent",
      draft.comment AS "draftComment", draft.updated_at AS "draftSavedAt", opener.id AS "openerId",
      opener.name AS "openerName",
      holder.id AS "ownerId", holder.name AS "ownerName",
      t.tool_hints->'annotations'->'destructiveHint' AS destructive
    FROM input_request r ${JOINS}
      JOIN connection link ON link.organization_id = r.organization_id AND link.id = r.connection_id
      LEFT JOIN "user" holder ON holder.id = link.user_id
      LEFT JOIN "user" opener ON opener.id = coalesce(link.user_id, link.authorized_by)
      LEFT JOIN input_request previous ON previous.organization_id = r.organization_id AND previous.id = r.replaces
      LEFT JOIN draft ON draft.organization_id = r.organization_id AND draft.input_request_id = r.id
        AND draft.user_id = ${principal.userId}::uuid
    WHERE r.organization_id = ${organizationId}::uuid AND r.id = ${requestId}::uuid AND ${visibleTask(principal)}`;
  if (!row) throw notFound("request");
  const summary = toSummary(row);
  return {
    ...summary,
    server: {
      ...summary.server,
      questionLifetimeMs: traitsSchema.catch({}).parse(row.traits).questionLifetimeMs ?? null,
    },
    arguments: record.parse(row.arguments),
    era: eraSchema.nullable().parse(row.era),
    schema: row.schema,
    fields: formSchema.parse(row.form),
    url: row.url,
    questionHash: row.questionHash,
    previous:
      row.previousMessage === null
        ? null
        : { message: row.previousMessage, schema: row.previousSchema, url: row.previousUrl },
    draft: row.draftSavedAt && {
      content: record.parse(row.draftContent),
      comment: row.draftComment,
      savedAt: row.draftSavedAt.toISOString(),
    },
    endedReason: row.endedReason,
    task: {
      state: taskStateSchema.parse(row.taskState),
      statusMessage: row.statusMessage,
      cancelRequestedAt: iso(row.cancelRequestedAt),
      expiresAt: iso(row.taskExpiresAt),
      progress: progressSchema.nullable().parse(row.progress),
      durable: row.durable,
      adopted: row.adopted,
    },
    connectionOwner: person(row.ownerId, row.ownerName),
    urlOwner: person(row.openerId, row.openerName),
    destructive: typeof row.destructive === "boolean" ? row.destructive : null,
  };
}

const record = z.record(z.string(), z.unknown());

interface DetailRow extends RequestRow {
  arguments: unknown;
  era: string | null;
  schema: unknown;
  form: unknown;
  url: string | null;
  questionHash: string;
  endedReason: string | null;
  taskState: string;
  statusMessage: string | null;
  cancelRequestedAt: Date | null;
  taskExpiresAt: Date | null;
  progress: unknown;
  durable: boolean;
  adopted: boolean;
  traits: unknown;
  previousMessage: string | null;
  previousSchema: unknown;
  previousUrl: string | null;
  draftContent: unknown;
  draftComment: string | null;
  draftSavedAt: Date | null;
  openerId: string | null;
  openerName: string | null;
  ownerId: string | null;
  ownerName: string | null;
  destructive: unknown;
}

/** The first half lets the index find the place; the OR alone would read everything before it. */
function beyond({ createdAt, id }: Position, newest: boolean): Prisma.Sql {
  const at = createdAt.toISOString();
  if (newest)
    return Prisma.sql`r.created_at <= ${at}::timestamptz AND (r.created_at < ${at}::timestamptz OR r.id < ${id}::uuid)`;
  return Prisma.sql`r.created_at >= ${at}::timestamptz AND (r.created_at > ${at}::timestamptz OR r.id > ${id}::uuid)`;
}

function filters(principal: Principal, query: RequestListQuery): Prisma.Sql {
  const conditions = [Prisma.sql`true`];
  if (query.taskId) conditions.push(Prisma.sql`r.task_id = ${query.taskId}::uuid`);
  if (query.serverId) conditions.push(Prisma.sql`t.server_id = ${query.serverId}::uuid`);
  if (query.assignee === "me") conditions.push(mine(principal));
  if (query.assignee === "none")
    conditions.push(
      Prisma.sql`r.state = 'open' AND r.assignee_user_id IS NULL AND NOT ${claimed(Prisma.empty)}`,
    );
  if (query.q?.trim()) {
    const pattern = containing(query.q);
    conditions.push(Prisma.sql`(r.message ILIKE ${pattern} OR t.tool ILIKE ${pattern} OR t.label ILIKE ${pattern}
      OR t.arguments::text ILIKE ${pattern} OR EXISTS (SELECT FROM server s WHERE s.organization_id = t.organization_id
        AND s.id = t.server_id AND s.name ILIKE ${pattern}))`);
  }
  return Prisma.join(conditions, " AND ");
}

/** Assigned to the principal, or claimed by it. Nothing is ever a key's. */
function mine({ userId }: Principal): Prisma.Sql {
  if (userId === null) return Prisma.sql`false`;
  return Prisma.sql`(r.assignee_user_id = ${userId}::uuid OR ${claimed(Prisma.sql`AND c.user_id = ${userId}::uuid`)})`;
}

function claimed(by: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`EXISTS (SELECT FROM claim c WHERE c.organization_id = r.organization_id
    AND c.input_request_id = r.id AND ${CLAIM_IS_LIVE} ${by})`;
}

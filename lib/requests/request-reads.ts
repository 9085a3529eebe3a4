/** Reads one input request, as far as the principal may see it; list.ts reads many. */
import { z } from "zod";
import { actorSchema } from "../access/access-schema.ts";
import { allows } from "../access/key-scope.ts";
import { may } from "../access/permissions.ts";
import { agentOf, type Principal, selfOf } from "../access/principal.ts";
import type { Tx } from "../base/db/db.ts";
import { planOnce } from "../base/db/plan-mode.ts";
import { notFound } from "../base/errors.ts";
import { formSchema } from "../mcp/forms/form.ts";
import { isUnderFourEyes } from "../people/members/one-maker.ts";
import { connectionStateSchema } from "../servers/connections/connection-schema.ts";
import { JOIN_GRANT, SHOWN_STATE } from "../servers/connections/list.ts";
import { DETAILS } from "../servers/recipes/choices.ts";
import { toPause } from "../servers/server-reads.ts";
import { eraSchema } from "../servers/server-schema.ts";
import { traitsSchema } from "../servers/traits.ts";
import { iso } from "../tasks/task-row.ts";
import { progressSchema, taskStateSchema } from "../tasks/task-schema.ts";
import { visibleTask } from "../tasks/visibility.ts";
import { siteOf } from "../text/foreign/address.ts";
import { isRecord } from "../text/json.ts";
import { typedContent } from "./answers/answer-content.ts";
import { isEditable } from "./answers/changed-call.ts";
import { harmlessOf } from "./answers/plain-no.ts";
import { rejectionOf } from "./answers/rejection.ts";
import { documentsOfQuestion, SERVES_RESOURCES } from "./documents/document-reads.ts";
import { idsIn } from "./documents/find.ts";
import { JOINS, person, type RequestRow, summaryOf, toSummary } from "./request-row.ts";
import { type InputRequestDetail, inputRequestDetailSchema, type Revision } from "./request-schema.ts";
import { NEEDS_ADMIN } from "./standing-approvals/standing-approval-reads.ts";
import { votersNamed } from "./voting/voter-sql.ts";
import { judgeQuestion, warningsAt } from "./warnings.ts";

/** Throws `not_found`, also for invisible requests. */
export async function readInputRequest(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
): Promise<InputRequestDetail> {
  await planOnce(tx);
  const [row] = await tx.$queryRaw<DetailRow[]>`
    SELECT ${summaryOf(principal)}, t.arguments, t.asked_arguments AS "askedArguments", t.era, r.requested_schema AS schema, r.form, r.url,
      r.ended_reason AS "endedReason", r.revises, t.state AS "taskState", t.status_message AS "statusMessage",
      CASE WHEN r.assigned_by->>'to' = r.assignee_user_id::text THEN r.assigned_by END AS "assignedBy", r.assigned_at AS "assignedAt", r.assignment_note AS "assignmentNote",
      t.expires_at AS "taskExpiresAt", t.progress, t.durable, t.adopted, s.traits,
      s.paused_at AS "pausedAt", s.paused_by AS "pausedBy", s.pause_reason AS "pauseReason",
      previous.id AS "previousId", previous.message AS "previousMessage",
      previous.requested_schema AS "previousSchema", previous.url AS "previousUrl", draft.content AS "draftContent",
      draft.comment AS "draftComment", draft.updated_at AS "draftSavedAt",
      holder.id AS "ownerId", holder.name AS "ownerName", ${SHOWN_STATE} AS "connectionState",
      t.tool_hints->'annotations'->'destructiveHint' AS destructive, ${NEEDS_ADMIN} AS "needsAdmin", ${SERVES_RESOURCES} AS "servesResources",
      t.finished_at IS NOT NULL AS "hasEnded", ${isUnderFourEyes(tx.organizationId)} AS "secondPerson",
      CASE WHEN r.approval IS NOT NULL AND r.state = 'open' AND ${mayNameVoters(principal)}::boolean
        THEN ${votersNamed(tx.organizationId)} END AS voters
    FROM input_request r ${JOINS} ${JOIN_GRANT}
      LEFT JOIN "user" holder ON holder.id = link.user_id
      LEFT JOIN input_request previous ON previous.organization_id = r.organization_id AND previous.id = r.replaces
      LEFT JOIN draft ON draft.organization_id = r.organization_id AND draft.input_request_id = r.id
        AND draft.user_id = ${selfOf(principal)}::uuid
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ${inputRequestId}::uuid AND ${visibleTask(principal)}`;
  if (!row) throw notFound("request");
  const revisions = row.revises === null ? [] : await readRevisions(tx, principal, row.revises);
  const summary = toSummary(principal, row);
  const form = formSchema.parse(row.form);
  // What was asked about, also where the call was made with other arguments.
  const args = record.parse(row.askedArguments ?? row.arguments);
  const drafted = record.nullable().parse(row.draftContent) ?? {};
  const { draftSavedAt, rewordedAt } = row;
  const isForEarlierWording = draftSavedAt !== null && rewordedAt !== null && draftSavedAt <= rewordedAt;
  return {
    ...summary,
    // Judged again: a question captured by an earlier version has no warnings stored.
    warnings: warningsAt(judgeQuestion({ ...row, form, arguments: args }), Date.now()),
    server: {
      ...summary.server,
      pause: toPause(row),
      questionLifetimeMs: traitsSchema.catch({}).parse(row.traits).questionLifetimeMs ?? null,
    },
    arguments: args,
    editable: isEditable({ ...row, arguments: args }),
    details: row.isRecipes ? detailsIn(row.schema) : null,
    era: eraSchema.nullable().parse(row.era),
    schema: row.schema,
    fields: form,
    rejection: rejectionOf(form),
    harmless: harmlessOf(form, row.message),
    url: urlFor(principal, row, row.url),
    previous:
      row.previousMessage === null
        ? null
        : {
            message: row.previousMessage,
            schema: row.previousSchema,
            url: urlFor(principal, row, row.previousUrl),
          },
    revisions,
    draft: row.draftSavedAt && {
      content: isForEarlierWording ? typedContent(form, drafted) : drafted,
      comment: row.draftComment,
      savedAt: row.draftSavedAt.toISOString(),
    },
    assignment:
      row.assignedBy !== null && row.assignedAt !== null
        ? {
            by: actorSchema.parse(row.assignedBy),
            at: row.assignedAt.toISOString(),
            note: row.assignmentNote,
          }
        : null,
    endedReason: row.endedReason,
    task: {
      ...summary.task,
      state: taskStateSchema.parse(row.taskState),
      statusMessage: row.statusMessage,
      expiresAt: iso(row.taskExpiresAt),
      progress: progressSchema.nullable().parse(row.progress),
      durable: row.durable,
      adopted: row.adopted,
    },
    connectionOwner: person(row.ownerId, row.ownerName),
    connectionState: connectionStateSchema.parse(row.connectionState),
    destructive: typeof row.destructive === "boolean" ? row.destructive : null,
    secondPerson: row.secondPerson,
    voters: inputRequestDetailSchema.shape.voters.parse(row.voters),
    standingNeedsAdmin: row.needsAdmin,
    documents: {
      items: documentsOfQuestion({ ...row, arguments: args }),
      mayHaveMore: row.hasEnded || idsIn(args).length > 0,
    },
  };
}

/** Whether the caller may learn who the approvers are, as `GET /people` tells them. An agent learns no names. */
const mayNameVoters = (principal: Principal) =>
  agentOf(principal) === null && allows(principal, "people:find");

const MOST_REVISIONS = 5;

/** Follows a request's earlier requests back, as far as the principal may see them. Returns the oldest first. */
async function readRevisions(tx: Tx, principal: Principal, latest: string): Promise<Revision[]> {
  const rows = await tx.$queryRaw<
    {
      id: string;
      message: string;
      arguments: unknown;
      comment: string | null;
      by: unknown;
      at: Date;
    }[]
  >`
    WITH RECURSIVE earlier (id, n) AS (
      VALUES (${latest}::uuid, 1)
      UNION ALL
      SELECT r.revises, e.n + 1 FROM earlier e JOIN input_request r ON r.organization_id = ${tx.organizationId}::uuid
        AND r.id = e.id AND r.revises IS NOT NULL WHERE e.n < ${MOST_REVISIONS})
    SELECT r.id, t.id AS "taskId", r.message, t.arguments, a.id AS "answerId", a.comment, a.answered_by AS by, a.created_at AS at
    FROM earlier e JOIN input_request r ON r.organization_id = ${tx.organizationId}::uuid AND r.id = e.id
      JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
      JOIN answer a ON a.organization_id = r.organization_id AND a.input_request_id = r.id AND a.withdrawn_at IS NULL AND a.revise
    WHERE ${visibleTask(principal)} ORDER BY e.n DESC`;
  return rows.map((row) => ({
    id: row.id,
    message: row.message,
    arguments: record.parse(row.arguments),
    comment: row.comment ?? "",
    by: actorSchema.parse(row.by),
    at: row.at.toISOString(),
  }));
}

function detailsIn(schema: unknown): Record<string, unknown> | null {
  const given = record.safeParse(schema);
  return record.safeParse(given.data?.[DETAILS]).data ?? null;
}

/**
 * The whole address for people who may open it, the site alone for others: the rest would let them open it too. A
 * connection without an owner speaks in nobody's name: anybody who may answer may open it, in person. An owner whose account
 * is gone is still its owner.
 */
function urlFor(principal: Principal, { openerId }: RequestRow, url: string | null): string | null {
  const self = selfOf(principal);
  const mayOpen =
    self !== null && (openerId === null ? may(principal.role, "requests:answer") : openerId === self);
  return url === null || mayOpen ? url : siteOf(url);
}

// Of any size: zod's record would copy them name by name.
const record = z.custom<Record<string, unknown>>(isRecord);

interface DetailRow extends RequestRow {
  arguments: unknown;
  askedArguments: unknown;
  era: string | null;
  schema: unknown;
  form: unknown;
  url: string | null;
  assignedBy: unknown;
  assignedAt: Date | null;
  assignmentNote: string | null;
  endedReason: string | null;
  revises: string | null;
  taskState: string;
  statusMessage: string | null;
  taskExpiresAt: Date | null;
  progress: unknown;
  durable: boolean;
  adopted: boolean;
  traits: unknown;
  pausedAt: Date | null;
  pausedBy: unknown;
  pauseReason: string | null;
  previousMessage: string | null;
  previousSchema: unknown;
  previousUrl: string | null;
  draftContent: unknown;
  draftComment: string | null;
  draftSavedAt: Date | null;
  ownerId: string | null;
  ownerName: string | null;
  connectionState: string;
  destructive: unknown;
  needsAdmin: boolean;
  servesResources: boolean;
  hasEnded: boolean;
  secondPerson: boolean;
  voters: unknown;
}

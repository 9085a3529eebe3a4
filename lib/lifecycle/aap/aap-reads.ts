/** Requests as the Agent Approval Protocol shows them, each to the caller that made it and to nobody else. */
import { z } from "zod";
import type { Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import { visibleTask } from "../../tasks/visibility.ts";
import { askedSchema, endedSchema, endOfApproval } from "../human-tasks/human-task-schema.ts";
import type { AapRequest } from "./aap-schema.ts";

/** SQL: the principal itself asked for the task `t`. */
function askedBy({ actor: { kind, id } }: Principal): Prisma.Sql {
  return Prisma.sql`(t.requested_by ->> 'kind' = ${kind} AND coalesce(t.requested_by ->> 'id', '') = ${id ?? ""})`;
}

interface AapRow {
  id: string;
  taskId: string;
  arguments: unknown;
  taskState: string;
  result: unknown;
  createdAt: Date;
  expiresAt: Date | null;
  finishedAt: Date | null;
  usedAt: Date | null;
  outcome: "succeeded" | "failed" | null;
  outcomeNote: string | null;
  reportedAt: Date | null;
}

/** What people see beside the call, under the names that the card has. */
const shownSchema = z.object({
  agentReasoning: z.string().optional(),
  context: z.record(z.string(), z.unknown()).optional(),
});

/** Throws `not_found`, also for a request of another caller, and for one that did not come by the protocol. */
export async function readAapRequest(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
): Promise<{ taskId: string; request: AapRequest }> {
  const [row] = await tx.$queryRaw<AapRow[]>`
    SELECT r.id, t.id AS "taskId", t.arguments, t.state AS "taskState", t.result, t.created_at AS "createdAt",
      t.expires_at AS "expiresAt", t.finished_at AS "finishedAt", use.used_at AS "usedAt", use.outcome,
      use.outcome_note AS "outcomeNote", use.reported_at AS "reportedAt"
    FROM input_request r JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
      LEFT JOIN approval_use use ON use.organization_id = r.organization_id AND use.input_request_id = r.id
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ${inputRequestId}::uuid AND t.builtin
      AND ${visibleTask(principal)} AND ${askedBy(principal)}`;
  const request = row && toAapRequest(row);
  if (!request) throw notFound("request");
  return { taskId: row.taskId, request };
}

/** Null for a request that did not come by the protocol. */
function toAapRequest(row: AapRow): AapRequest | null {
  const { subject, details, aap } = askedSchema.parse(row.arguments);
  if (!aap || !subject?.tool || !subject.arguments || !row.expiresAt) return null;
  const decision = decisionOf(row);
  const { agentReasoning, context } = shownSchema.parse(details ?? {});
  return {
    id: row.id,
    tool: subject.tool,
    ...(subject.server !== undefined && { server: subject.server }),
    arguments: subject.arguments,
    timeout: aap.timeout,
    ...(agentReasoning !== undefined && { agent_reasoning: agentReasoning }),
    ...(context !== undefined && { context }),
    status: decision?.status ?? "pending",
    created_at: row.createdAt.toISOString(),
    deadline_at: row.expiresAt.toISOString(),
    ...(decision && { decision }),
    ...(decision?.status === "approved" &&
      row.usedAt && { consumption: consumptionOf(row, decision.decided_at) }),
  };
}

/** Only an acceptance that has taken effect is an approval. */
function decisionOf(row: AapRow): AapRequest["decision"] {
  const { taskState, result, finishedAt } = row;
  if (!finishedAt) return undefined;
  if (taskState !== "completed") return { status: "cancelled", decided_at: finishedAt.toISOString() };
  const { outcome, at, comment, reason, revise } = endedSchema.parse(result).structuredContent;
  if (outcome === "expired") return { status: "expired", decided_at: at };
  if (outcome === "declined") {
    const note = revise ? `Change the call and ask again: ${reason}` : reason;
    return { status: "denied", ...(note && { note }), decided_at: at };
  }
  const { aap } = askedSchema.parse(row.arguments);
  const end = endOfApproval({ ...row, aap });
  if (!end) throw new Error("an approval by the protocol has an end");
  return {
    status: "approved",
    ...(comment && { note: comment }),
    decided_at: at,
    expires_at: end.toISOString(),
  };
}

/** A transaction can have begun just before what it found. */
function consumptionOf({ usedAt, outcome, outcomeNote, reportedAt }: AapRow, decidedAt: string) {
  const consumed_at = later(decidedAt, usedAt);
  if (!outcome) return { consumed_at };
  const reported_at = later(consumed_at, reportedAt);
  return {
    consumed_at,
    outcome: { status: outcome, ...(outcomeNote && { note: outcomeNote }), reported_at },
  };
}

function later(one: string, other: Date | null): string {
  return other && other.getTime() > Date.parse(one) ? other.toISOString() : one;
}

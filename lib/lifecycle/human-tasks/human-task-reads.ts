/** Reads of requests that programs put to people, as their requesters see them. */

import type { Person } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import type { Seal } from "../../base/seal.ts";
import { visibleTask } from "../../tasks/visibility.ts";
import { callbackPlace, lastAttemptSchema } from "./callbacks.ts";
import { askedSchema, endedSchema, type HumanRequest } from "./human-task-schema.ts";

interface Row {
  id: string;
  taskId: string;
  tool: string;
  arguments: unknown;
  label: string | null;
  taskState: string;
  result: unknown;
  createdAt: Date;
  expiresAt: Date | null;
  finishedAt: Date | null;
  assignedTo: Person | null;
  usedAt: Date | null;
  callbackState: "pending" | "delivered" | "failed" | null;
  attempts: number | null;
  lastAttempt: unknown;
}

/** Returns a request. `origin`: of Intray's address. Throws `not_found`. */
export async function readHumanRequest(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
  origin: string,
): Promise<HumanRequest> {
  const [row] = await tx.$queryRaw<Row[]>`
    SELECT r.id, t.id AS "taskId", t.tool, t.arguments, t.label, t.state AS "taskState", t.result,
      r.created_at AS "createdAt", t.expires_at AS "expiresAt", t.finished_at AS "finishedAt",
      (SELECT json_build_object('id', u.id, 'name', u.name) FROM "user" u WHERE u.id = r.assignee_user_id) AS "assignedTo",
      use.used_at AS "usedAt", c.state AS "callbackState", c.attempts, c.last_attempt AS "lastAttempt"
    FROM input_request r JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
      LEFT JOIN approval_use use ON use.organization_id = r.organization_id AND use.input_request_id = r.id
      LEFT JOIN request_callback c ON c.organization_id = r.organization_id AND c.input_request_id = r.id
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ${inputRequestId}::uuid AND t.builtin
      AND ${visibleTask(principal)}`;
  if (!row) throw notFound("request");
  return toRequest(row, origin);
}

function toRequest(row: Row, origin: string): HumanRequest {
  const asked = askedSchema.parse(row.arguments);
  const ended = row.finishedAt === null ? null : outcomeOf(row, row.finishedAt);
  const last = lastAttemptSchema.nullable().parse(row.lastAttempt);
  return {
    id: row.id,
    taskId: row.taskId,
    kind: row.tool === "request_approval" ? "approval" : "question",
    message: asked.message ?? asked.action ?? "",
    details: asked.details ?? null,
    form: asked.form ?? null,
    amount: asked.amount ?? null,
    currency: asked.currency ?? null,
    links: (asked.links ?? []).map((link) => (typeof link === "string" ? { title: null, url: link } : link)),
    label: row.label,
    subject: asked.subject ?? null,
    assignedTo: row.assignedTo,
    state: ended ? "ended" : "waiting",
    outcome: ended?.outcome ?? null,
    revise: ended?.revise === true,
    content: ended?.content ?? null,
    by: ended?.by ?? null,
    at: ended?.at ?? null,
    comment: ended?.comment ?? null,
    reason: ended?.reason ?? null,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    consumedAt: row.usedAt?.toISOString() ?? null,
    callback: row.callbackState && {
      state: row.callbackState,
      attempts: row.attempts ?? 0,
      lastStatus: last?.status ?? null,
      lastError: last?.error ?? null,
    },
    url: `${origin}/inbox/${row.id}`,
  };
}

function outcomeOf({ taskState, result }: Row, finishedAt: Date) {
  if (taskState === "completed") return endedSchema.parse(result).structuredContent;
  return {
    outcome: "cancelled" as const,
    revise: undefined,
    at: finishedAt.toISOString(),
    content: undefined,
    by: undefined,
    comment: undefined,
    reason: undefined,
  };
}

/** Returns the secret that signs what a request's `callbackUrl` gets; null without one. */
export async function readCallbackSecret(tx: Tx, seal: Seal, inputRequestId: string): Promise<string | null> {
  const callback = await tx.requestCallback.findFirst({
    where: { organizationId: tx.organizationId, inputRequestId },
    select: { sealedSecret: true },
  });
  return callback && seal.open(callbackPlace(tx.organizationId, inputRequestId), callback.sealedSecret);
}

/**
 * Writes of callers that ask by the Agent Approval Protocol (docs/decisions/092). Each request is an approval that is bound to
 * one call (`subject`). The judgements are those of every other request: who decides, what counts as a yes, and the one use.
 */
import { createHash } from "node:crypto";
import { actorWords } from "../../access/actor-words.ts";
import type { Principal } from "../../access/principal.ts";
import { contentOf } from "../../base/content/content-keys.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { publishChange } from "../../base/live-updates.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import { argumentsDigest } from "../../requests/answers/changed-call.ts";
import { labelOf } from "../../tasks/task-status.ts";
import { namedInQuotes } from "../../text/foreign/quoted.ts";
import { shorten } from "../../text/labels.ts";
import {
  consumeApproval,
  createHumanTask,
  type HumanCall,
  type HumanTaskOptions,
} from "../human-tasks/human-task-writes.ts";
import { requestCancel } from "../task-writes.ts";
import { readAapRequest } from "./aap-reads.ts";
import { type AapRequest, durationMs, type Outcome, type Submission } from "./aap-schema.ts";

/** The longest time in which people can decide. */
const LONGEST_MS = 365 * 24 * 3600_000;
/** Characters of a name in the question. The card has all of it. */
const NAME_SHOWN = 100;

/**
 * Asks people about one call. The same key and submission find the earlier request. Throws `idempotency_mismatch`,
 * `quota_exceeded`.
 */
export async function createAapRequest(
  tx: Tx,
  principal: Principal,
  submission: Submission,
  idempotencyKey: string,
  callback: HumanTaskOptions["callback"] = null,
): Promise<{ request: AapRequest; created: boolean }> {
  const { tool, server, arguments: args, timeout, agent_reasoning, context } = submission;
  const [{ now }] = await tx.$queryRaw<[{ now: Date }]>`SELECT now()::timestamptz(3) AS now`;
  const expiresAt = new Date(now.getTime() + Math.min(durationMs(timeout), LONGEST_MS)).toISOString();
  const of = server === undefined ? "" : ` of ${namedInQuotes(shorten(server, NAME_SHOWN))}`;
  const details = {
    ...(agent_reasoning !== undefined && { agentReasoning: agent_reasoning }),
    ...(context && { context }),
  };
  const call: HumanCall = {
    tool: "request_approval",
    arguments: {
      action: `May ${actorWords(principal.actor)} use the tool ${namedInQuotes(shorten(tool, NAME_SHOWN))}${of}?`,
      ...(Object.keys(details).length > 0 && { details }),
      label: labelOf(args) ?? shorten(tool, NAME_SHOWN),
      expiresAt,
    },
  };
  const { inputRequestId, created } = await createHumanTask(tx, principal, call, {
    subject: {
      ...(server !== undefined && { server }),
      tool,
      argumentsDigest: argumentsDigest(args),
      arguments: args,
    },
    aap: { timeout },
    idempotencyKey,
    requestDigest: createHash("sha256")
      .update(canonicalJson({ aap: submission }))
      .digest(),
    callback,
  });
  return { request: (await readAapRequest(tx, principal, inputRequestId)).request, created };
}

/** Withdraws a request that nobody has decided. Throws `not_found`, and `task_ended` after a decision. */
export async function cancelAapRequest(tx: Tx, principal: Principal, id: string): Promise<AapRequest> {
  const { taskId, request } = await readAapRequest(tx, principal, id);
  if (request.status === "cancelled") return request;
  await requestCancel(tx, principal, taskId);
  return (await readAapRequest(tx, principal, id)).request;
}

/** Uses an approval once. The same caller may repeat it with its key. Throws `not_found`, `approval_unusable`. */
export async function consumeAapRequest(
  tx: Tx,
  principal: Principal,
  id: string,
  idempotencyKey: string,
): Promise<AapRequest> {
  const { request } = await readAapRequest(tx, principal, id);
  if (request.status !== "approved") throw conflict("not_approved", `This request is ${request.status}.`);
  // The protocol names the call by its request, which never changes: this is the digest that people saw.
  const shown = { argumentsDigest: argumentsDigest(request.arguments) };
  await consumeApproval(tx, principal, id, shown, idempotencyKey);
  return (await readAapRequest(tx, principal, id)).request;
}

/** Notes what became of the call, once. Throws `not_found`, and `approval_unusable` for a call that nobody may have made. */
export async function reportAapOutcome(
  tx: Tx,
  principal: Principal,
  id: string,
  outcome: Outcome,
): Promise<AapRequest> {
  const { status } = outcome;
  const note = outcome.note ?? null;
  const { taskId } = await readAapRequest(tx, principal, id);
  const { organizationId } = tx;
  const [use] = await tx.$queryRaw<{ id: string; outcome: string | null; outcomeNote: string | null }[]>`
    SELECT input_request_id AS id, outcome, outcome_note AS "outcomeNote" FROM approval_use
    WHERE organization_id = ${organizationId}::uuid AND input_request_id = ${id}::uuid FOR UPDATE`;
  if (!use) throw conflict("not_consumed", "This approval was not used.");
  if (use.outcome !== null && (use.outcome !== status || use.outcomeNote !== note))
    throw conflict("outcome_conflict", "Another outcome was reported before.");
  if (use.outcome === null) {
    const stored = contentOf(tx).text("approval_use.outcome_note", id, note);
    await tx.$executeRaw`UPDATE approval_use SET outcome = ${status}, outcome_note = ${stored}, reported_at = now()
      WHERE organization_id = ${organizationId}::uuid AND input_request_id = ${id}::uuid AND outcome IS NULL`;
    await publishChange(tx, "input_request", [id]);
    const data = { outcome: status, ...(note !== null && { note }) };
    const { actor } = principal;
    await appendEvents(tx, [{ type: "request.outcome_reported", actor, taskId, inputRequestId: id, data }]);
  }
  return (await readAapRequest(tx, principal, id)).request;
}

function conflict(reason: string, detail: string): AppError {
  return new AppError("approval_unusable", detail, { extra: { reason } });
}

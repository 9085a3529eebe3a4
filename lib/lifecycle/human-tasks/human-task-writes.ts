/** Writes of those who ask people: a task of the built-in server with its one question, and the use of an approval. */

import { createHash } from "node:crypto";
import { actorWords } from "../../access/actor-words.ts";
import { agentOf, type Principal } from "../../access/principal.ts";
import { Prisma, storable, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChange } from "../../base/live-updates.ts";
import { scope } from "../../base/process/scope.ts";
import { currentTraceparent } from "../../base/tracing/span.ts";
import { appendEvents, type NewEvent } from "../../history/events/event-writes.ts";
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import { normaliseForm } from "../../mcp/forms/read-form.ts";
import { argumentsDigest } from "../../requests/answers/changed-call.ts";
import { refuseUnableRecipient } from "../../requests/claims/claim-checks.ts";
import { type Recipient, recipientNamed } from "../../requests/claims/recipient.ts";
import { lockRequest } from "../../requests/lock-request.ts";
import { insertOwnQuestion } from "../../requests/own-question-writes.ts";
import type { ProgramCall } from "../../requests/words/program-call.ts";
import { labelOf } from "../../tasks/task-status.ts";
import { visibleTask } from "../../tasks/visibility.ts";
import { isRecord } from "../../text/json.ts";
import { findEarlier, idempotencyMismatch, storedDigest } from "../idempotency.ts";
import { insertTaskRow, storedContent } from "../insert-task-row.ts";
import { refuseBeyondQuota } from "../start-quota.ts";
import {
  type AapFacts,
  type AskPerson,
  askedSchema,
  type Consume,
  endedSchema,
  endOfApproval,
  type RequestApproval,
  type Subject,
} from "./human-task-schema.ts";

/** The server "Intray", whose tasks are questions that programs put to people. It has no address and is never called. */
const BUILTIN_NAME = "Intray";
const BUILTIN_URL = "intray:";

const ID = (organizationId: string) => Prisma.sql`builtin_server_id(${organizationId}::uuid)`;

interface Builtin {
  serverId: string;
  connectionId: string;
}

/** Returns the organization's built-in server, made now if this is the first who needs it. */
async function builtinServer(tx: Tx): Promise<Builtin> {
  const { organizationId } = tx;
  const known = await find(tx);
  if (known) return known;
  // Of two at once the second waits here, and then finds what the first has made.
  await tx.$executeRaw`INSERT INTO server (organization_id, id, name, url, era_setting, auth_kind, builtin)
    VALUES (${organizationId}::uuid, ${ID(organizationId)}, ${BUILTIN_NAME}, ${BUILTIN_URL}, 'auto', 'none', true)
    ON CONFLICT (organization_id, id) DO NOTHING`;
  await tx.$executeRaw`INSERT INTO connection (organization_id, id, server_id)
    VALUES (${organizationId}::uuid, ${uuidv7()}::uuid, ${ID(organizationId)})
    ON CONFLICT (organization_id, server_id) WHERE user_id IS NULL DO NOTHING`;
  const made = await find(tx);
  if (!made) throw new Error("the built-in server was not made");
  return made;
}

async function find(tx: Tx): Promise<Builtin | null> {
  const [row] = await tx.$queryRaw<Builtin[]>`SELECT s.id AS "serverId", c.id AS "connectionId"
    FROM server s JOIN connection c ON c.organization_id = s.organization_id AND c.server_id = s.id AND c.user_id IS NULL
    WHERE s.organization_id = ${tx.organizationId}::uuid AND s.id = ${ID(tx.organizationId)}`;
  return row ?? null;
}

/** A call of a human tool. The arguments are kept as the task's, so that people see all that was said. */
export type HumanCall =
  | {
      tool: "ask_person";
      arguments: AskPerson & Partial<Pick<RequestApproval, "amount" | "currency" | "links">>;
    }
  | { tool: "request_approval"; arguments: RequestApproval & Pick<AskPerson, "form"> };

export interface HumanTaskOptions {
  /** What an approval is bound to: it can be used once, for this digest. */
  subject?: Subject | undefined;
  /** The call that an approval is about, where a program asks through its hook. */
  call?: ProgramCall;
  /** The same call with its label, without masks: for the policy, and never stored. */
  judged?: { label: string; call: ProgramCall };
  /** What came by the Agent Approval Protocol beside the call. */
  aap?: AapFacts;
  /** The caller's `Idempotency-Key`. */
  idempotencyKey?: string | null;
  /** Of the request as the caller sent it, where `call` has more than that: an end that was computed here. */
  requestDigest?: Buffer;
  /** Who is told of the end. `seal` binds the secret to the request. */
  callback?: { url: string; instanceId?: string; seal(inputRequestId: string): string } | null;
}

export interface HumanTask {
  taskId: string;
  inputRequestId: string;
  /** False: it is the one that the caller made with the same `Idempotency-Key` before. */
  created: boolean;
}

/**
 * Puts a question to people: makes the task, its question and, once, the built-in server in this transaction, so that it
 * stands in the inbox even where no engine runs. Throws `invalid_input` for a form that can't be shown and for a `to` who
 * can't accept, `idempotency_mismatch`, `quota_exceeded`.
 */
export async function createHumanTask(
  tx: Tx,
  principal: Principal,
  call: HumanCall,
  {
    subject,
    call: programCall,
    judged,
    aap,
    idempotencyKey = null,
    requestDigest,
    callback = null,
  }: HumanTaskOptions = {},
): Promise<HumanTask> {
  const digest = requestDigest ?? digestOf(call, subject, callback?.url);
  const earlier = await findEarlier(tx, "task", principal.actor, idempotencyKey, digest);
  if (earlier !== null) return earlierTask(tx, earlier);
  const { to, label, expiresAt, form, amount, currency } = call.arguments;
  refuseUnlessShown(form);
  refuseOtherDigest(subject);
  const recipient = to === undefined ? null : await recipientNamed(tx, to);
  const { serverId, connectionId } = await builtinServer(tx);
  const id = uuidv7();
  const endsAt = expiresAt === undefined ? null : new Date(expiresAt);
  const args: Record<string, unknown> = {
    ...call.arguments,
    ...(subject && { subject }),
    ...(programCall && { call: programCall }),
    ...(aap && { aap }),
  };
  await insertTaskRow(tx, {
    ...{ id, serverId, connectionId, tool: call.tool },
    ...storedContent(tx, id, args, label ?? labelOf(call.arguments.details ?? {})),
    state: "input_required",
    builtin: true,
    watched: false,
    visibility: "organization",
    requestedBy: principal.actor,
    requesterUserId: principal.userId,
    agentId: agentOf(principal),
    idempotencyKey,
    requestDigest: idempotencyKey === null ? null : storedDigest(tx, digest),
    startedAt: new Date(),
    expiresAt: endsAt,
    requestId: scope().requestId,
    traceparent: currentTraceparent(),
  });
  const question = await insertOwnQuestion(tx, {
    task: { id, connectionId, tool: call.tool, arguments: args },
    ...(judged && { judged: { label: judged.label, arguments: { ...args, call: judged.call } } }),
    key: "question",
    message: call.tool === "ask_person" ? call.arguments.message : call.arguments.action,
    form: form ?? null,
    ...(amount !== undefined && { amount: { value: amount, currency: currency ?? null } }),
    expiresAt: endsAt,
    actor: principal.actor,
  });
  const assigned = recipient && (await giveTo(tx, principal, question.id, recipient));
  if (callback)
    await tx.requestCallback.create({
      data: {
        organizationId: tx.organizationId,
        inputRequestId: question.id,
        taskId: id,
        url: callback.url,
        instanceId: callback.instanceId ?? null,
        sealedSecret: callback.seal(question.id),
      },
    });
  await publishChange(tx, "task", [id]);
  await refuseBeyondQuota(tx, principal, 1);
  const queued: NewEvent = {
    type: "task.queued",
    actor: principal.actor,
    taskId: id,
    data: { tool: call.tool, serverId },
  };
  await appendEvents(tx, [queued, question.event, ...(assigned ? [assigned] : [])]);
  return { taskId: id, inputRequestId: question.id, created: true };
}

function digestOf(call: HumanCall, subject: Subject | undefined, callbackUrl: string | undefined): Buffer {
  const { tool, arguments: args } = call;
  return createHash("sha256").update(canonicalJson({ tool, args, subject, callbackUrl })).digest();
}

async function earlierTask(tx: Tx, taskId: string): Promise<HumanTask> {
  const request = await tx.inputRequest.findFirst({
    where: { organizationId: tx.organizationId, taskId, origin: "intray" },
    select: { id: true },
  });
  if (!request) throw idempotencyMismatch();
  return { taskId, inputRequestId: request.id, created: false };
}

/** Judged as a server's form is: what could only be shown in part is refused. */
function refuseUnlessShown(form: Record<string, unknown> | undefined): void {
  const read = normaliseForm(form);
  if (read.kind === "supported") return;
  throw new AppError("invalid_input", "Intray can’t show this form.", {
    errors: [{ field: "form", message: read.reason }],
  });
}

/** Refuses arguments under another digest than theirs: people would read one call, and the approval would be for another. */
function refuseOtherDigest(subject: Subject | undefined): void {
  if (!subject?.arguments) return;
  if (argumentsDigest(subject.arguments) === plain(subject.argumentsDigest)) return;
  const message = "Not the SHA-256 of the arguments in the form of RFC 8785";
  throw new AppError("invalid_input", "The digest is of other arguments.", {
    errors: [{ field: "subject.argumentsDigest", message }],
  });
}

/** Assigns the new question, if the recipient could accept it. Returns the line of history. */
async function giveTo(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
  { userId, name }: Recipient,
): Promise<NewEvent> {
  const request = await lockRequest(tx, principal, inputRequestId);
  await refuseUnableRecipient(tx, principal, request, { userId, name }).catch(inFieldTo);
  await tx.inputRequest.updateMany({
    where: { organizationId: tx.organizationId, id: inputRequestId, state: "open" },
    data: {
      assigneeUserId: userId,
      assignedBy: storable({ ...principal.actor, to: userId }),
      assignedAt: new Date(),
    },
  });
  const { actor } = principal;
  const data = { userId, name };
  return { type: "request.assigned", actor, taskId: request.taskId, inputRequestId, data };
}

function inFieldTo(error: unknown): never {
  if (error instanceof AppError && error.code === "invalid_input")
    throw new AppError("invalid_input", error.detail, { errors: [{ field: "to", message: error.detail }] });
  throw error;
}

interface Consumable {
  taskId: string;
  arguments: unknown;
  taskState: string;
  result: unknown;
  expiresAt: Date | null;
  finishedAt: Date | null;
  now: Date;
}

/**
 * Uses an approval that is bound to a call, once, for the arguments that were shown. The same caller may repeat the use with its
 * `Idempotency-Key`: nothing is written then. Throws `not_found`, and `approval_unusable` with the reason.
 */
export async function consumeApproval(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
  { argumentsDigest: given }: Consume,
  idempotencyKey: string | null = null,
): Promise<void> {
  const { organizationId } = tx;
  const { actor } = principal;
  // Of two at once the second waits here, and then finds the use.
  const [approval] = await tx.$queryRaw<Consumable[]>`
    SELECT t.id AS "taskId", t.arguments, t.state AS "taskState", t.result, t.expires_at AS "expiresAt",
      t.finished_at AS "finishedAt", now() AS now
    FROM task t WHERE t.organization_id = ${organizationId}::uuid AND t.builtin AND ${visibleTask(principal)}
      AND t.id = (SELECT task_id FROM input_request
        WHERE organization_id = ${organizationId}::uuid AND id = ${inputRequestId}::uuid)
    FOR NO KEY UPDATE`;
  if (!approval) throw notFound("request");
  const [use] = await tx.$queryRaw<Use[]>`
    SELECT used_by AS by, used_at AS at, coalesce(idempotency_key = ${idempotencyKey} AND used_by ->> 'kind' = ${actor.kind}
      AND coalesce(used_by ->> 'id', '') = ${actor.id ?? ""}, false) AS "isRepeated"
    FROM approval_use WHERE organization_id = ${organizationId}::uuid AND input_request_id = ${inputRequestId}::uuid`;
  const { changed } = usableApproval(approval, given, use);
  if (use) return;
  await tx.$executeRaw`INSERT INTO approval_use (organization_id, input_request_id, used_by, changed, idempotency_key)
    VALUES (${organizationId}::uuid, ${inputRequestId}::uuid, ${JSON.stringify(actor)}::jsonb, ${changed}::boolean, ${idempotencyKey})`;
  await publishChange(tx, "input_request", [inputRequestId]);
  await appendEvents(tx, [
    {
      ...{ type: "request.used", actor, taskId: approval.taskId, inputRequestId },
      ...(changed && { data: { changed } }),
    },
  ]);
}

interface Use {
  by: { name: string };
  at: Date;
  /** By the same caller, with the same key: its reply was lost. */
  isRepeated: boolean;
}

/** Throws `approval_unusable`, also for the call as it was asked about where a person approved it with changes. */
function usableApproval(approval: Consumable, digest: string, use: Use | undefined): { changed: boolean } {
  const { taskState, now } = approval;
  const { subject, aap } = askedSchema.parse(approval.arguments);
  const end = endOfApproval({ ...approval, aap });
  const ended = endedSchema.nullable().parse(approval.result)?.structuredContent;
  if (!subject) throw unusable("not_bound", "This request is bound to no call, so there is nothing to use.");
  if (taskState === "input_required") throw unusable("waiting", "Nobody has approved this yet.");
  if (taskState === "cancelled") throw unusable("cancelled", "This request was cancelled.");
  if (ended?.outcome === "expired") throw unusable("expired", "Nobody approved this in time.");
  if (ended?.outcome !== "answered") throw unusable("declined", "This was declined.");
  const changed = subject.editable && isRecord(ended.content?.arguments) ? ended.content.arguments : null;
  const approved = changed ? argumentsDigest(changed) : plain(subject.argumentsDigest);
  if (approved !== plain(digest))
    throw unusable(
      "other_arguments",
      changed
        ? "The call was approved with changes. Make it with these arguments, and send their digest."
        : "Another call was approved: the digests of the arguments differ.",
      changed ? { approved: { arguments: changed, argumentsDigest: approved } } : {},
    );
  // Also after its end: the caller has to learn that it, or another, used it.
  if (use?.isRepeated) return { changed: changed !== null };
  if (use)
    throw unusable("already_consumed", `${actorWords(use.by, { begins: true })} has used this approval.`, {
      by: use.by,
      at: use.at.toISOString(),
    });
  if (end && end <= now) throw unusable("expired", "The approval’s time is over.");
  return { changed: changed !== null };
}

const plain = (digest: string) => digest.replace(/^sha256:/, "");

function unusable(reason: string, detail: string, more: Record<string, unknown> = {}): AppError {
  return new AppError("approval_unusable", detail, { extra: { reason, ...more } });
}

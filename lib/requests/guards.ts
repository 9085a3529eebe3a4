/** Refuses actions on input requests that are not allowed. Reads and locks only; request-writes.ts writes. */

import { type Actor, actorSchema } from "../access/access-schema.ts";
import { actorWords } from "../access/actor-words.ts";
import { allows } from "../access/key-scope.ts";
import type { Principal } from "../access/principal.ts";
import type { Content } from "../base/content/content.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { AppError, notFound } from "../base/errors.ts";
import { validateContent } from "../mcp/forms/content.ts";
import { type Field, type Form, formSchema, isTyped } from "../mcp/forms/form.ts";
import { makerOf, refusedByFourEyes } from "../people/members/one-maker.ts";
import { choiceOf } from "../servers/recipes/choices.ts";
import { questionAt } from "../servers/recipes/judge.ts";
import { readVersion } from "../servers/recipes/recipe-reads.ts";
import { visibleTask } from "../tasks/visibility.ts";
import { type Action, type AnswerInput, actionSchema, type RequestState } from "./request-schema.ts";
import { CLAIM_IDLE_MS } from "./request-status.ts";
import { hasVote } from "./voting/voter.ts";

export interface LockedRequest {
  id: string;
  state: RequestState;
  taskId: string;
  connectionId: string;
  mode: "form" | "url";
  /** Whose question it is: a server's, or Intray's own. */
  origin: "server" | "intray";
  /** A question of Intray's own whose time is up: an engine is about to end it. */
  isOver: boolean;
  form: unknown;
  questionHash: string;
  /** When a constantly changing text was last read. Null: the text is stable. */
  rewordedAt: Date | null;
  /** Hashes of the earlier texts. */
  earlierHashes: string[];
  endedReason: string | null;
  urlOwner: string | null;
  cancelRequestedAt: Date | null;
  /** The principal, or who counts as one with them, asked for the task, and a second person has to accept. */
  fourEyes: boolean;
  visibility: "organization" | "private";
  requesterUserId: string | null;
  assigneeUserId: string | null;
  /** Its task is a recipe's: an answer to its server's question is the call of one of the choices. */
  isRecipes: boolean;
  recipeVersion: number | null;
  serverId: string;
  tool: string;
  /** Of the task: how an approval in front of its call stands; null: there is none. */
  gate: string | null;
  /** The server's own for the question; of a recipe's, by its place in the recipe. */
  key: string;
  /** Who has to agree, as stored (lib/policy); null: any one approver. */
  approval: unknown;
  /**
   * Rules judge this request, so people's answer may be compared with theirs. Set at insert and never reset, so it is safe to read
   * before the lock.
   */
  hasDecision: boolean;
}

/** Locks and returns the request and its task, if the principal may see them. */
export async function lockRequest(tx: Tx, principal: Principal, requestId: string): Promise<LockedRequest> {
  const { organizationId } = tx;
  // The task is locked before its request is looked for, as the request is when that lock is held.
  const [request] = await tx.$queryRaw<LockedRequest[]>`
    WITH its AS MATERIALIZED (
      SELECT t.cancel_requested_at AS "cancelRequestedAt", t.recipe_version IS NOT NULL AS "isRecipes", t.recipe_version AS "recipeVersion",
        t.server_id AS "serverId", t.tool, t.gate, coalesce(c.user_id, c.authorized_by) AS "urlOwner",
        ${refusedByFourEyes(organizationId, makerOf(organizationId, principal))} AS "fourEyes"
      FROM task t JOIN connection c ON c.organization_id = t.organization_id AND c.id = t.connection_id
      WHERE t.organization_id = ${organizationId}::uuid AND ${visibleTask(principal)} AND t.id = (
        SELECT task_id FROM input_request WHERE organization_id = ${organizationId}::uuid AND id = ${requestId}::uuid)
      FOR NO KEY UPDATE OF t)
    SELECT r.id, r.state, r.task_id AS "taskId", r.connection_id AS "connectionId", r.mode, r.form, r.origin, r.key,
      (r.origin = 'intray' AND r.expires_at IS NOT NULL AND r.expires_at <= now()) AS "isOver",
      r.question_hash AS "questionHash", r.reworded_at AS "rewordedAt", r.earlier_hashes AS "earlierHashes",
      r.ended_reason AS "endedReason", r.visibility, r.requester_user_id AS "requesterUserId",
      r.assignee_user_id AS "assigneeUserId", r.approval, its.*,
      EXISTS (SELECT FROM automatic_decision d WHERE d.organization_id = r.organization_id AND d.input_request_id = r.id) AS "hasDecision"
    FROM its JOIN input_request r ON (SELECT count(*) FROM its) > 0
    WHERE r.organization_id = ${organizationId}::uuid AND r.id = ${requestId}::uuid FOR NO KEY UPDATE OF r`;
  if (!request) throw notFound("request");
  return request;
}

export async function refuseUnlessOpen(tx: Tx, request: LockedRequest): Promise<void> {
  if (request.state === "open" && !request.cancelRequestedAt && !request.isOver) return;
  if (request.state === "answered" || request.state === "settled") {
    const answer = await tx.answer.findFirst({
      where: { organizationId: tx.organizationId, inputRequestId: request.id, withdrawnAt: null },
    });
    const by = actorSchema.parse(answer?.answeredBy);
    throw new AppError("already_answered", `${actorWords(by, { begins: true })} answered this already.`, {
      extra: { by, at: answer?.createdAt.toISOString(), action: answer?.action },
    });
  }
  if (request.endedReason === "replaced") throw questionChanged(request.id);
  const isOver = request.state === "open" && request.isOver;
  const reason =
    request.endedReason ??
    (request.cancelRequestedAt ? "task_cancelled" : isOver ? "expired" : request.state);
  throw new AppError(
    "no_longer_open",
    REASONS[reason] ?? "This question is no longer open. Nothing was sent.",
    {
      extra: { reason },
    },
  );
}

const REASONS: Record<string, string> = {
  task_cancelled: "The task was cancelled. Nothing was sent.",
  task_ended: "The task has ended. Nothing was sent.",
  retracted: "The server took the question back. Nothing was sent.",
  question_ttl: "The time that the server gave for the answer ran out. Nothing was sent.",
  question_lifetime: "The server gave the question up before it was answered. Nothing was sent.",
  expired: "The question's time ran out. Nothing was sent.",
};

function questionChanged(requestId: string): AppError {
  return new AppError(
    "question_changed",
    "The server changed the question; look at the new one before you decide.",
    {
      extra: { inputRequestId: requestId },
    },
  );
}

/**
 * Refuses an answer to a text other than the current one. Where the text changes again and again, an answer
 * to any text that this request has had is taken, if it carries `anyWording`.
 */
export function refuseOtherWording(
  its: Content,
  request: LockedRequest,
  input: Pick<AnswerInput, "questionHash" | "anyWording">,
): void {
  const { id, questionHash, rewordedAt, earlierHashes } = request;
  const isKnown =
    rewordedAt !== null && earlierHashes.some((earlier) => its.isSameHash(input.questionHash, earlier));
  if (!its.isSameHash(input.questionHash, questionHash) && !isKnown) throw questionChanged(id);
  if (rewordedAt === null || input.anyWording) return;
  throw new AppError(
    "question_changed",
    "The server changes this question again and again. Answer with `anyWording` to have the answer sent whatever it says by then.",
    { extra: { inputRequestId: id } },
  );
}

export async function refuseOthersClaim(tx: Tx, principal: Principal, requestId: string): Promise<void> {
  refuseClaimOfOther(principal, await liveClaim(tx, requestId));
}

interface Claim {
  /** The person's. */
  id: string;
  name: string;
  at: Date;
}

/** Who works on a request; null: nobody. */
export async function liveClaim(tx: Tx, requestId: string): Promise<Claim | null> {
  const [claim] = await tx.$queryRaw<Claim[]>`
    SELECT u.id, u.name, c.claimed_at AS at FROM claim c JOIN "user" u ON u.id = c.user_id
    WHERE c.organization_id = ${tx.organizationId}::uuid AND c.input_request_id = ${requestId}::uuid
      AND c.active_at > now() - ${CLAIM_IDLE_MS} * interval '1 ms'`;
  return claim ?? null;
}

/** Whether an operator takes over another's claim, `takeOver` being the time of the claim that they have seen. */
export function takesOver(principal: Principal, claim: Claim | null, takeOver: string | undefined): boolean {
  if (!claim || claim.id === principal.userId || takeOver === undefined) return false;
  return allows(principal, "requests:assign") && claim.at.getTime() === Date.parse(takeOver);
}

export function refuseClaimOfOther(principal: Principal, claim: Claim | null): void {
  if (!claim || claim.id === principal.userId) return;
  throw new AppError("claimed_by_other", `${claim.name} is working on this.`, {
    extra: { by: { id: claim.id, name: claim.name }, at: claim.at.toISOString() },
  });
}

/** Refuses what a program says to a question of Intray's own: those are for people. */
export function refuseProgram({ actor }: Principal, { origin }: Pick<LockedRequest, "origin">): void {
  if (origin === "intray" && actor.kind !== "member")
    throw new AppError("forbidden", "This question is for people: only a member can answer it.");
}

/** Refuses an acceptance by anyone but the person in whose name the server asked to visit a site. */
export function refuseForeignUrl(
  principal: Principal,
  request: LockedRequest,
  input: Pick<AnswerInput, "action">,
): void {
  if (request.mode !== "url" || input.action !== "accept") return;
  // An API key has no browser to visit the site. A connection without an owner is open to everybody who may
  // answer.
  const { userId } = principal;
  if (userId !== null && (request.urlOwner === null || request.urlOwner === userId)) return;
  throw new AppError("forbidden", "Only the owner of the connection may open this address and accept.");
}

/** Refuses to hand over what somebody else has: a request assigned to, or claimed by, another person. */
export async function refuseOthersRequest(
  tx: Tx,
  principal: Principal,
  { id, assigneeUserId }: LockedRequest,
): Promise<void> {
  await refuseOthersClaim(tx, principal, id);
  if (assigneeUserId === null || assigneeUserId === principal.userId) return;
  throw new AppError("assigned_to_other", "It is assigned to somebody else. An operator can reassign it.");
}

/**
 * Refuses to give a request to a person who could not accept it, and to show a private task to anyone but its
 * requester: an assignment lets people see the whole task. Who has the request already may keep it.
 */
export async function refuseUnableRecipient(
  tx: Tx,
  principal: Principal,
  request: LockedRequest,
  recipient: { userId: string; name: string },
): Promise<void> {
  const { userId, name } = recipient;
  const refuse = (why: string) =>
    new AppError("invalid_input", why, { errors: [{ field: "memberId", message: why }] });
  const mayShow = [principal.userId, userId].includes(request.requesterUserId);
  if (request.visibility === "private" && !mayShow && userId !== request.assigneeUserId)
    throw new AppError("forbidden", "The task is private. Only its requester can show it to others.");
  if (request.mode === "url" && request.urlOwner !== null && request.urlOwner !== userId)
    throw refuse(`Only the owner of the connection may open the address, not ${name}.`);
  const [rule] = await tx.$queryRaw<{ forbids: boolean }[]>`
    SELECT ${refusedByFourEyes(tx.organizationId, Prisma.sql`${userId}::uuid`)} AS forbids
    FROM task t JOIN organization o ON o.id = t.organization_id
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${request.taskId}::uuid
    -- A rule that is being switched on frees what is assigned by then.
    FOR SHARE OF o`;
  if (request.approval !== null) {
    const [voter] = await tx.$queryRaw<{ may: boolean }[]>`
      SELECT ${hasVote(Prisma.sql`r.approval`, Prisma.sql`${userId}::uuid`, [Prisma.sql`m.role`])} AS may
      FROM input_request r JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
        JOIN membership m ON m.organization_id = r.organization_id AND m.user_id = ${userId}::uuid
      WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ${request.id}::uuid`;
    if (!voter?.may) throw refuse(`${name} has no vote on this now: the policy says who decides.`);
  }
  if (rule?.forbids)
    throw refuse(
      `${name}, or somebody who counts as one person with ${name}, asked for this task: a second person has to accept.`,
    );
}

/** Of a recipe's question only a choice is an answer: no tool of the server would be told of a decline. */
function isDeclinable({ isRecipes, origin }: Pick<LockedRequest, "isRecipes" | "origin">): boolean {
  // An approval in front of a recipe's start is Intray's own question.
  return !isRecipes || origin !== "server";
}

/** Returns what an answer may be. `isShown`: people see the whole form, without which nobody can accept. */
export function actionsFor(
  request: Pick<LockedRequest, "isRecipes" | "origin"> & { isShown: boolean },
): Action[] {
  return actionSchema.options.filter((action) =>
    action === "accept" ? request.isShown : isDeclinable(request),
  );
}

/** Refuses an answer that is none of the question's. */
export function refuseAction(
  request: Pick<LockedRequest, "isRecipes" | "origin">,
  { action }: Pick<AnswerInput, "action">,
): void {
  if (action === "accept" || isDeclinable(request)) return;
  const message = "This question can't be declined. Choose one of its answers.";
  throw new AppError("invalid_content", message, { errors: [{ field: "action", message }] });
}

/** Refuses an answer to a recipe's question that can't be delivered: one that lacks what its choice needs. */
export async function refuseUnfitChoice(
  tx: Tx,
  { isRecipes, origin, recipeVersion, serverId, tool, key }: LockedRequest,
  answer: Pick<AnswerInput, "action" | "content">,
): Promise<void> {
  if (!isRecipes || origin !== "server" || recipeVersion === null) return;
  const recipe = await readVersion(tx, { serverId, name: tool, version: recipeVersion });
  const question = recipe && questionAt(recipe, key);
  const chosen = question && choiceOf(question, answer);
  if (!chosen || !("problem" in chosen)) return;
  const errors = chosen.missing ?? [{ field: "choice", message: chosen.problem }];
  throw new AppError("invalid_content", chosen.problem, { errors });
}

/**
 * Refuses an answer that may go to any wording where the organization has a policy: the next wording may be one on which several
 * people have to agree.
 */
export async function refuseAnyWording(
  tx: Tx,
  request: LockedRequest,
  { action }: Pick<AnswerInput, "action">,
): Promise<void> {
  if (request.rewordedAt === null || action !== "accept") return;
  const policy = await tx.policyVersion.findFirst({
    where: { organizationId: tx.organizationId },
    select: { version: true },
  });
  if (!policy) return;
  throw new AppError(
    "question_changed",
    "The server changes this question again and again, and the policy says who has to agree on which text: it can only be declined.",
    { extra: { inputRequestId: request.id, onlyDecline: true } },
  );
}

/** Refuses acceptance by the task's requester where the organization requires a second person. */
export function refuseFourEyes(request: LockedRequest, input: Pick<AnswerInput, "action">): void {
  if (!request.fourEyes || input.action !== "accept") return;
  const words =
    "You asked for this task, or somebody who counts as one person with you did, so somebody else has to accept.";
  throw new AppError("four_eyes", isDeclinable(request) ? `${words} You can decline.` : words);
}

/**
 * Refuses to take back what another person has decided, but for operators. Not even as an operator does the task's
 * requester take back another's decision where the organization requires a second person.
 */
export function refuseOthersAnswer(
  principal: Principal,
  request: Pick<LockedRequest, "fourEyes">,
  by: Actor,
): void {
  if (by.kind === principal.actor.kind && by.id === principal.actor.id) return;
  // What a rule answered is nobody's: whoever may answer takes it back.
  if (by.kind !== "rule" && !allows(principal, "requests:assign"))
    throw new AppError(
      "forbidden",
      `${actorWords(by, { begins: true })} decided this. Only ${actorWords(by)} or an operator can undo it.`,
    );
  if (request.fourEyes)
    throw new AppError(
      "four_eyes",
      `You asked for this task, or somebody who counts as one person with you did: you can't undo what ${actorWords(by)} decided.`,
    );
}

export function checkedContent(
  request: Pick<LockedRequest, "mode" | "form">,
  input: Pick<AnswerInput, "action" | "content">,
): Record<string, unknown> | null {
  if (input.action !== "accept" || request.mode === "url") {
    if (input.content && Object.keys(input.content).length > 0)
      throw new AppError("invalid_content", "Only an accepted form carries content.", {
        errors: [{ field: "content", message: "Leave it out." }],
      });
    if (input.action === "accept") acceptable(request);
    return null;
  }
  const form = acceptable(request);
  const content = input.content ?? {};
  const checked = validateContent(form, content);
  if (!checked.ok)
    throw new AppError("invalid_content", "The answer does not fit the question.", {
      errors: checked.errors,
    });
  return content;
}

/**
 * Returns the field that says what was decided, if the form has one alone; null if it has none. Of several fields a list: of
 * the one that was answered alone, or of none.
 */
export function decidedFieldOf(
  request: Pick<LockedRequest, "form">,
  content: Record<string, unknown> | null,
): Field | Field[] | null {
  const form = formSchema.parse(request.form);
  const fields = form.kind === "supported" ? form.fields : [];
  if (fields.length < 2) return fields[0] ?? null;
  const [name, ...others] = Object.keys(content ?? {});
  return fields.filter((field) => field.name === name && others.length === 0);
}

/** Returns the form, if the question can be shown whole. Throws `unsupported_form` otherwise. */
function acceptable(request: Pick<LockedRequest, "form">): Form & { kind: "supported" } {
  const form = formSchema.parse(request.form);
  if (form.kind !== "supported") throw new AppError("unsupported_form", form.reason);
  return form;
}

/**
 * The part of a draft's content that belongs to the form. A form that can't be shown, such as one for a
 * secret, keeps none.
 */
export function knownContent(
  request: LockedRequest,
  content: Record<string, unknown>,
  which: "all" | "typed",
): Record<string, unknown> {
  const form = formSchema.parse(request.form);
  if (form.kind !== "supported" && Object.keys(content).length > 0)
    throw new AppError("unsupported_form", form.reason);
  return which === "typed" ? typedContent(form, content) : pickFields(content, fieldsOf(form));
}

/** The texts and numbers of a draft, without its choices: after a rewording, the same choice may have another title. */
export function typedContent(form: Form, content: Record<string, unknown>): Record<string, unknown> {
  return pickFields(content, fieldsOf(form).filter(isTyped));
}

const fieldsOf = (form: Form) => (form.kind === "supported" ? form.fields : []);

function pickFields(content: Record<string, unknown>, fields: { name: string }[]): Record<string, unknown> {
  const names = new Set(fields.map(({ name }) => name));
  return Object.fromEntries(Object.entries(content).filter(([name]) => names.has(name)));
}

export function memberOnly(principal: Principal): string {
  if (principal.userId === null)
    throw new AppError("forbidden", "Only a member can do this, not an API key.");
  return principal.userId;
}

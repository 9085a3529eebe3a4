/**
 * People's writes to input requests: answer, undo, claim, release, assign, hand over, draft. The engine's writes are in
 * capture/. Each write names the state it expects; the task row is locked first, so that an answer and a
 * cancel of one task have an order.
 */

import { type Actor, actorSchema } from "../access/access-schema.ts";
import { allows } from "../access/key-scope.ts";
import type { Principal } from "../access/principal.ts";
import { contentOf } from "../base/content/content-keys.ts";
import { Prisma, storable, storableText, type Tx } from "../base/db/db.ts";
import { AppError } from "../base/errors.ts";
import { uuidv7 } from "../base/ids.ts";
import { publishChange, wakeEngine } from "../base/live-updates.ts";
import { scope } from "../base/process/scope.ts";
import { currentTraceparent } from "../base/tracing/span.ts";
import { appendEvents, type NewEvent } from "../history/events/event-writes.ts";
import { type Approval, approvalSchema } from "../policy/judge.ts";
import { compareWithPeople, heldAutomatic, noteTakenBack } from "./automatic/automatic-answer-writes.ts";
import { carryOutVerdict, liveRequests } from "./capture/close-request.ts";
import { newDelivery, undo, undoUnsent } from "./deliveries/delivery-writes.ts";
import { judgeDelivery } from "./deliveries/judge-delivery.ts";
import {
  checkedContent,
  decidedFieldOf,
  knownContent,
  type LockedRequest,
  liveClaim,
  lockRequest,
  memberOnly,
  refuseAction,
  refuseAnyWording,
  refuseClaimOfOther,
  refuseForeignUrl,
  refuseFourEyes,
  refuseOthersAnswer,
  refuseOthersClaim,
  refuseOthersRequest,
  refuseOtherWording,
  refuseProgram,
  refuseUnableRecipient,
  refuseUnfitChoice,
  refuseUnlessOpen,
  takesOver,
} from "./guards.ts";
import { answerer, keepMember, type Recipient } from "./claims/recipient.ts";
import type {
  AnswerInput,
  AssignInput,
  ClaimInput,
  DraftInput,
  HandOverInput,
  RequestState,
} from "./request-schema.ts";
import { CLAIM_IDLE_MS, requests } from "./request-status.ts";
import { wordsOf } from "./request-row.ts";
import { type SignedIn, toSignedIn } from "./answers/signed-in.ts";
import { contentDigest } from "./voting/content-digest.ts";
import {
  bindVotes,
  castVote,
  NO_PROOF,
  type Proof,
  reopenVote,
  takeBack,
  type Voted,
} from "./voting/vote-writes.ts";
import { type Ballot, hasAskedFor, openBallot, readVoter } from "./voting/voter.ts";

/** Whether a decision is the request's answer, or a vote on which others have to agree first. */
export type Outcome = "recorded" | "voted";

/** As `decide`. Returns what `read` reads. */
export async function recordAnswer<T = undefined>(
  tx: Tx,
  principal: Principal,
  requestId: string,
  input: AnswerInput,
  read?: () => Promise<T | undefined>,
  proof?: Proof,
): Promise<T> {
  return (await decide(tx, principal, requestId, input, read, proof)).shown;
}

/**
 * Records a person's decision: as the answer, which counts from the commit on and is delivered by the engine, or as a vote
 * where several people have to agree. The last vote that is missing records the answer with all of them. `read` reads what is
 * to be shown of the request then.
 */
export async function decide<T = undefined>(
  tx: Tx,
  principal: Principal,
  requestId: string,
  input: AnswerInput,
  read: () => Promise<T | undefined> = async () => undefined,
  proof: Proof = NO_PROOF,
): Promise<{ outcome: Outcome; shown: T }> {
  const signedIn = await keepCredential(tx, principal, proof.sessionId);
  const request = await lockRequest(tx, principal, requestId);
  // Read once the request's lock is held, which a claim takes too.
  const claim = await liveClaim(tx, requestId);
  await refuseUnlessOpen(tx, request);
  refuseOtherWording(contentOf(tx), request, input);
  refuseClaimOfOther(principal, claim);
  refuseProgram(principal, request);
  const ballot = await ballotOn(tx, principal, request);
  refuseForeignUrl(principal, request, input);
  refuseFourEyes(request, input);
  refuseAction(request, input);
  await refuseAnyWording(tx, request, input);
  const content = checkedContent(request, input);
  await refuseUnfitChoice(tx, request, input);
  const voted = ballot && (await castVote(tx, principal, request, ballot, input, content, proof, signedIn));
  if (voted && !voted.completes) {
    const shown = await read();
    await publish(tx, request, voted.events);
    return { outcome: "voted", shown: shown as T };
  }

  const id = uuidv7();
  const holdMs = await writeAnswer(tx, principal.actor, request, id, input, content);
  if (voted) await bindVotes(tx, request.id, { voteId: voted.voteId, answerId: id });
  const shown = await read();
  await publish(tx, request, [
    ...(voted?.events ?? []),
    recordedLine(
      tx,
      principal.actor,
      request,
      { id, input, content, holdMs },
      { signedIn, votes: voted?.votes, approval: voted ? ballot?.approval : undefined },
    ),
  ]);
  return { outcome: "recorded", shown: shown as T };
}

/**
 * Records what a rule of the policy says (lib/requests/automatic), for a request whose lock is held: by the checks of a
 * person's answer, and on its way from there on. Returns the answer's id. Throws as `decide`.
 */
export async function answerByRule(
  tx: Tx,
  request: LockedRequest,
  actor: Actor,
  input: AnswerInput,
  rule: { name: string; version: number },
): Promise<string> {
  await refuseUnlessOpen(tx, request);
  refuseOtherWording(contentOf(tx), request, input);
  refuseAction(request, input);
  const content = checkedContent(request, input);
  const id = uuidv7();
  const holdMs = await writeAnswer(tx, actor, request, id, input, content);
  await publish(tx, request, [
    recordedLine(tx, actor, request, { id, input, content, holdMs }, { signedIn: null, rule }),
  ]);
  return id;
}

/** The line of an answer. `by`: how it came to be. */
function recordedLine(
  tx: Tx,
  actor: Actor,
  request: LockedRequest,
  answer: { id: string; input: AnswerInput; content: Record<string, unknown> | null; holdMs: number },
  by: {
    signedIn: SignedIn | null;
    votes?: Voted["votes"];
    approval?: Approval;
    rule?: { name: string; version: number };
  },
): Pick<NewEvent, "type" | "actor" | "data"> {
  const { id, input, content, holdMs } = answer;
  return {
    type: "answer.recorded",
    actor,
    data: {
      action: input.action,
      content,
      words: wordsOf(input.action, content, decidedFieldOf(request, content), request),
      comment: input.comment || null,
      questionHash: contentOf(tx).hash(input.questionHash),
      contentDigest: contentOf(tx).hash(contentDigest(input.action, content)),
      answerId: id,
      signedIn: by.signedIn,
      ...(holdMs > 0 && { holdMs }),
      ...(by.votes && { votes: by.votes }),
      ...(by.approval && { approval: decidedUnder(by.approval) }),
      ...(by.rule && { rule: by.rule }),
    },
  };
}

/** The caller's ballot, where several people have to agree. Throws why the caller has no vote. */
async function ballotOn(tx: Tx, principal: Principal, request: LockedRequest): Promise<Ballot | null> {
  const approval = approvalOn(request);
  return approval && openBallot(tx, principal, request, approval);
}

/** By which rule people decided, and by when they should have: the figures are made of it (lib/requests/statistics). */
function decidedUnder({ rule, version, askedAt, dueAt, stages }: Approval) {
  return { rule, version, stages: stages.map(({ name }) => name), askedAt, dueAt };
}

function approvalOn({ approval }: LockedRequest): Approval | null {
  return approval === null ? null : approvalSchema.parse(approval);
}

/** Writes an answer with its delivery, for a request whose lock is held. Returns for how long it is held, in ms. */
async function writeAnswer(
  tx: Tx,
  actor: Actor,
  request: LockedRequest,
  id: string,
  input: AnswerInput,
  content: Record<string, unknown> | null,
): Promise<number> {
  const { organizationId } = tx;
  const its = contentOf(tx);
  const stored = content === null ? null : JSON.stringify(its.json("answer.content", id, storable(content)));
  const delivery = { id, inputRequestId: request.id, holdMs: input.holdMs ?? 0 };
  // What people answer where no rule was asked needs no key that is out of reach.
  const compared =
    request.hasDecision && actor.kind === "member"
      ? Prisma.sql`compared AS (${compareWithPeople(tx, { id, inputRequestId: request.id }, contentDigest(input.action, content))}),`
      : Prisma.empty;
  const moved = await tx.$queryRaw<{ ms: number }[]>`
    WITH given AS (
      INSERT INTO answer (organization_id, id, input_request_id, question_hash, any_wording, action, content, comment,
        answered_by, request_id, traceparent)
      VALUES (${organizationId}::uuid, ${id}::uuid, ${request.id}::uuid, ${its.hash(input.questionHash)},
        ${request.rewordedAt !== null}::boolean, ${input.action}, ${stored}::json,
        ${its.text("answer.comment", id, input.comment || null)}, ${JSON.stringify(storable(actor))}::jsonb,
        ${scope().requestId}::uuid, ${currentTraceparent()})),
    begun AS (${newDelivery(organizationId, delivery)}),
    ${compared}
    unclaimed AS (DELETE FROM claim
      WHERE organization_id = ${organizationId}::uuid AND input_request_id = ${request.id}::uuid)
    UPDATE input_request SET state = 'answered' WHERE organization_id = ${organizationId}::uuid AND id = ${request.id}::uuid
      AND state = ANY (${requests.before("answered", "open")}::text[])
    RETURNING (SELECT ms FROM begun) AS ms`;
  if (!moved[0]) throw wasMoved(request.id, "open");
  return moved[0].ms;
}

/**
 * Takes an answer back while it is still held: one's own, or as an operator another's. Of undo and delivery, the
 * first to update the row wins.
 */
export async function undoAnswer(tx: Tx, principal: Principal, requestId: string): Promise<void> {
  const request = await lockRequest(tx, principal, requestId);
  refuseProgram(principal, request);
  const answerId = await undo(tx, requestId);
  if (answerId === null)
    throw new AppError("already_sent", "The answer is on its way or was already taken back.");
  const [answer] = await tx.$queryRaw<{ by: unknown }[]>`
    WITH noted AS (${noteTakenBack(tx.organizationId, [answerId], "person")})
    UPDATE answer SET withdrawn_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${answerId}::uuid AND withdrawn_at IS NULL
    RETURNING answered_by AS "by"`;
  const approval = approvalOn(request);
  const hasAsked = approval?.requester === "excluded" && (await hasAskedFor(tx, principal, request));
  const { fourEyes } = request;
  refuseOthersAnswer(principal, { fourEyes: fourEyes || hasAsked }, actorSchema.parse(answer?.by));
  await moveRequest(tx, requestId, "answered", "open");
  if (approval) await reopenVote(tx, requestId, answerId, approval);
  await publish(tx, request, [{ type: "answer.undone", actor: principal.actor }]);
}

/**
 * Takes back the answers of rules that their servers can't have had, since all of them were stopped. The caller holds the switch's
 * lock. Returns how many.
 */
export async function takeBackByStop(tx: Tx, actor: Actor): Promise<number> {
  const { organizationId } = tx;
  const held = await heldAutomatic(tx);
  // In one order, since others may take several too. Each task's answers stand still from then on.
  await tx.$queryRaw`SELECT FROM task WHERE organization_id = ${organizationId}::uuid
    AND id = ANY (${held.map(({ taskId }) => taskId)}::uuid[]) ORDER BY id FOR NO KEY UPDATE`;
  const undone = new Set(
    await undoUnsent(
      tx,
      held.map(({ answerId }) => answerId),
    ),
  );
  const taken = held.filter(({ requestId }) => undone.has(requestId));
  if (taken.length === 0) return 0;
  const answers = taken.map(({ answerId }) => answerId);
  await tx.$executeRaw`
    WITH noted AS (${noteTakenBack(organizationId, answers, "stopped")}),
    withdrawn AS (UPDATE answer SET withdrawn_at = now()
      WHERE organization_id = ${organizationId}::uuid AND id = ANY (${answers}::uuid[]))
    UPDATE input_request SET state = 'open' WHERE organization_id = ${organizationId}::uuid
      AND id = ANY (${[...undone]}::uuid[]) AND state = ANY (${requests.before("open", "answered")}::text[])`;
  for (const { requestId, taskId, connectionId } of taken) {
    await publishChange(tx, "input_request", [requestId]);
    await publishChange(tx, "task", [taskId]);
    await wakeEngine(tx, connectionId, taskId);
  }
  await appendEvents(
    tx,
    taken.map(({ requestId, taskId }) => ({
      ...{ type: "answer.undone" as const, actor, taskId, inputRequestId: requestId },
      data: { reason: "automatic_stopped" },
    })),
  );
  return taken.length;
}

/** Takes one's own vote back while its stage is open. Throws `not_found`, `stage_full`, and `forbidden` as `refuseProgram`. */
export async function takeVoteBack(tx: Tx, principal: Principal, requestId: string): Promise<void> {
  await keepCredential(tx, principal);
  const request = await lockRequest(tx, principal, requestId);
  refuseProgram(principal, request);
  const approval = approvalOn(request);
  if (!approval) throw new AppError("not_found", "You have no vote on this request.");
  await refuseUnlessOpen(tx, request);
  const { person } = await readVoter(tx, principal, request);
  const line = await takeBack(tx, principal, requestId, approval, person);
  await publish(tx, request, [line]);
}

/**
 * Shows others that a person works on the request, who keeps it from them meanwhile: only a person who could
 * accept it may. Repeating the claim keeps it alive. Operators take over the claim that they have seen, in one step, so that
 * nobody else claims the request in between.
 */
export async function claimRequest(
  tx: Tx,
  principal: Principal,
  requestId: string,
  { takeOver }: ClaimInput = {},
): Promise<void> {
  const userId = memberOnly(principal);
  const request = await lockRequest(tx, principal, requestId);
  await refuseUnlessOpen(tx, request);
  const before = await liveClaim(tx, requestId);
  const isTakenOver = takesOver(principal, before, takeOver);
  if (!isTakenOver) refuseClaimOfOther(principal, before);
  await ballotOn(tx, principal, request);
  refuseForeignUrl(principal, request, { action: "accept" });
  refuseFourEyes(request, { action: "accept" });
  const claimed = await tx.$queryRaw<{ fresh: boolean }[]>`
    INSERT INTO claim AS c (organization_id, input_request_id, user_id)
    VALUES (${tx.organizationId}::uuid, ${requestId}::uuid, ${userId}::uuid)
    ON CONFLICT (organization_id, input_request_id) DO UPDATE SET active_at = now(), user_id = excluded.user_id,
      claimed_at = CASE WHEN c.user_id = excluded.user_id THEN c.claimed_at ELSE now() END
    -- now() has microseconds, the column has none
    RETURNING claimed_at = now()::timestamptz(3) AS fresh`;
  const fresh = claimed[0]?.fresh === true;
  await publish(tx, request, [
    ...(isTakenOver ? [{ type: "request.released" as const, actor: principal.actor }] : []),
    ...(fresh ? [{ type: "request.claimed" as const, actor: principal.actor }] : []),
  ]);
}

/** Releases one's own claim; operators may end anybody's. */
export async function releaseRequest(tx: Tx, principal: Principal, requestId: string): Promise<void> {
  const request = await lockRequest(tx, principal, requestId);
  const claim = await tx.claim.findFirst({
    where: { organizationId: tx.organizationId, inputRequestId: requestId },
  });
  if (!claim) return;
  const mayEndOthers = allows(principal, "requests:assign");
  if (claim.userId !== principal.userId && !mayEndOthers) await refuseOthersClaim(tx, principal, requestId);
  await tx.claim.deleteMany({ where: { organizationId: tx.organizationId, inputRequestId: requestId } });
  await publish(tx, request, [{ type: "request.released", actor: principal.actor }]);
}

/** Assigns a request to a member who may accept it, or to nobody (null), whoever has it now. For operators. */
export async function assignRequest(
  tx: Tx,
  principal: Principal,
  requestId: string,
  { memberId, note }: AssignInput,
): Promise<void> {
  if (memberId !== null) await keepMember(tx, memberId);
  const request = await lockRequest(tx, principal, requestId);
  await refuseUnlessOpen(tx, request);
  const recipient = memberId === null ? null : await answerer(tx, memberId);
  await give(tx, principal, request, recipient, note);
}

/**
 * Gives a request that is nobody's, or the member's own, to another member who may accept it. Of two who hand
 * over at once, the second finds it assigned to another.
 */
export async function handOverRequest(
  tx: Tx,
  principal: Principal,
  requestId: string,
  { memberId, note }: HandOverInput,
): Promise<void> {
  const userId = memberOnly(principal);
  await keepMember(tx, memberId);
  const request = await lockRequest(tx, principal, requestId);
  await refuseUnlessOpen(tx, request);
  await refuseOthersRequest(tx, principal, request);
  const recipient = await answerer(tx, memberId);
  if (recipient.userId === userId) throw oneself();
  await give(tx, principal, request, recipient, note);
}

/**
 * Keeps the caller's membership or key until the transaction ends: nobody decides after it was taken. Locked before the
 * request, as by its end. Returns how the caller had signed in. Throws `unauthenticated` if it has ended since the call came.
 */
async function keepCredential(
  tx: Tx,
  { actor }: Principal,
  sessionId: string | null = null,
): Promise<SignedIn | null> {
  if (actor.kind === "agent") throw new AppError("forbidden", "An agent answers nothing: people do.");
  if (actor.id === null) return null;
  // The web's alone may ask for it: without a session, as of a command, there is nothing to ask.
  const proof =
    sessionId === null ? Prisma.sql`NULL::jsonb` : Prisma.sql`gate.session_proof(${sessionId}::uuid)`;
  const [held] = await tx.$queryRaw<{ proof: unknown }[]>(
    actor.kind === "key"
      ? Prisma.sql`SELECT jsonb_build_object('method', 'key') AS proof FROM api_key WHERE organization_id = ${tx.organizationId}::uuid AND id = ${actor.id}::uuid
          AND revoked_at IS NULL FOR SHARE`
      : Prisma.sql`SELECT ${proof} AS proof FROM membership WHERE organization_id = ${tx.organizationId}::uuid
          AND user_id = ${actor.id}::uuid FOR KEY SHARE`,
  );
  if (!held) throw new AppError("unauthenticated", "Sign in, or send an API key as a Bearer token.");
  return toSignedIn(held.proof);
}

function oneself(): AppError {
  const message = "That is you. Claim the request instead.";
  return new AppError("invalid_input", message, { errors: [{ field: "memberId", message }] });
}

/** Assigns the request and ends the claims of others, which would keep the recipient from answering. */
async function give(
  tx: Tx,
  principal: Principal,
  request: LockedRequest,
  recipient: Recipient | null,
  note: string | undefined,
): Promise<void> {
  if (recipient) await refuseUnableRecipient(tx, principal, request, recipient);
  const said = recipient && note ? storableText(note) : null;
  await tx.inputRequest.updateMany({
    where: { organizationId: tx.organizationId, id: request.id, state: "open" },
    data: {
      assigneeUserId: recipient?.userId ?? null,
      // With the recipient: an earlier version that assigns it anew changes the assignee alone.
      assignedBy: recipient ? storable({ ...principal.actor, to: recipient.userId }) : Prisma.DbNull,
      assignedAt: recipient ? new Date() : null,
      assignmentNote: said,
    },
  });
  const ended = await tx.$queryRaw<{ live: boolean }[]>`DELETE FROM claim
    WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${request.id}::uuid
      AND user_id IS DISTINCT FROM ${recipient?.userId ?? null}::uuid
    RETURNING active_at > now() - ${CLAIM_IDLE_MS} * interval '1 ms' AS live`;
  const { actor } = principal;
  const data = {
    userId: recipient?.userId ?? null,
    ...(recipient && { name: recipient.name }),
    ...(said && { note: said }),
  };
  await publish(tx, request, [
    ...(ended.some(({ live }) => live) ? [{ type: "request.released" as const, actor }] : []),
    { type: "request.assigned", actor, data },
  ]);
}

/**
 * Saves a half-filled form and its comment, or deletes the draft if both are empty. Drafts are never sent.
 * Returns when the draft was saved.
 */
export async function saveDraft(
  tx: Tx,
  principal: Principal,
  requestId: string,
  { content, comment = "", questionHash }: DraftInput,
): Promise<Date | null> {
  const userId = memberOnly(principal);
  const request = await lockRequest(tx, principal, requestId);
  await refuseUnlessOpen(tx, request);
  // A live claim alone: one that has lapsed keeps nobody out any more, and its person may have no vote by now.
  await tx.$executeRaw`UPDATE claim SET active_at = now() WHERE organization_id = ${tx.organizationId}::uuid
    AND input_request_id = ${requestId}::uuid AND user_id = ${userId}::uuid
    AND active_at > now() - ${CLAIM_IDLE_MS} * interval '1 ms'`;
  const its = contentOf(tx);
  const isCurrent = questionHash === undefined || its.isSameHash(questionHash, request.questionHash);
  const kept = knownContent(request, content, isCurrent ? "all" : "typed");
  if (Object.keys(kept).length === 0 && comment === "") {
    await tx.draft.deleteMany({
      where: { organizationId: tx.organizationId, inputRequestId: requestId, userId },
    });
    return null;
  }
  const stored = JSON.stringify(its.json("draft.content", requestId, storable(kept)));
  const said = its.text("draft.comment", requestId, comment === "" ? null : storableText(comment));
  const saved = await tx.$queryRaw<{ at: Date }[]>`
    INSERT INTO draft (organization_id, input_request_id, user_id, content, comment)
    VALUES (${tx.organizationId}::uuid, ${requestId}::uuid, ${userId}::uuid, ${stored}::jsonb, ${said})
    ON CONFLICT (organization_id, input_request_id, user_id)
    DO UPDATE SET content = excluded.content, comment = excluded.comment, updated_at = now()
    RETURNING updated_at AS at`;
  return saved[0]?.at ?? null;
}

/**
 * Withdraws a task's open requests and its unsent answers. An answer that is being sent, or was accepted,
 * stays. Returns the history lines; the caller holds the task's lock and appends them.
 */
export async function withdrawOpenRequests(
  tx: Tx,
  taskId: string,
  reason: string,
  actor: Actor,
): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const { id, delivery } of await liveRequests(tx, taskId)) {
    const verdict = judgeDelivery(delivery, { kind: "cancel_requested" });
    const request = { taskId, inputRequestId: id, deliveryId: delivery?.id ?? null };
    const ending = { state: "withdrawn", reason, actor } as const;
    events.push(...(await carryOutVerdict(tx, request, verdict, ending)));
  }
  return events;
}

async function moveRequest(tx: Tx, requestId: string, from: RequestState, to: RequestState): Promise<void> {
  const moved = await tx.$executeRaw`UPDATE input_request
    SET state = ${to} WHERE organization_id = ${tx.organizationId}::uuid AND id = ${requestId}::uuid
      AND state = ANY (${requests.before(to, from)}::text[])`;
  if (moved !== 1) throw wasMoved(requestId, from);
}

function wasMoved(requestId: string, from: RequestState): Error {
  return new Error(`input request ${requestId} was not ${from} although its lock is held`);
}

/** Publishes one change, wakes the engine and appends the history, in this order. */
async function publish(
  tx: Tx,
  request: LockedRequest,
  events: Pick<NewEvent, "type" | "actor" | "data">[],
): Promise<void> {
  await publishChange(tx, "input_request", [request.id]);
  await publishChange(tx, "task", [request.taskId]);
  await wakeEngine(tx, request.connectionId, request.taskId);
  await appendEvents(
    tx,
    events.map((event) => ({ ...event, taskId: request.taskId, inputRequestId: request.id })),
  );
}

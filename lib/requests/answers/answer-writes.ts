/**
 * Records decisions of people and of rules, and takes them back: writes answers, and has vote-writes.ts write votes. Each function names
 * the state it expects; the task's row is locked first, so that an answer and a cancel of one task have an order. deliveries/ takes an
 * answer to its server.
 */
import { type Actor, actorSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { contentOf } from "../../base/content/content-keys.ts";
import { Prisma, storable, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { scope } from "../../base/process/scope.ts";
import { currentTraceparent } from "../../base/tracing/span.ts";
import type { NewEvent } from "../../history/events/event-writes.ts";
import type { Approval } from "../../policy/judge.ts";
import { compareWithPeople, noteTakenBack } from "../automatic/automatic-answer-writes.ts";
import { liveClaim, refuseClaimOfOther } from "../claims/claim-checks.ts";
import { newDelivery, undo } from "../deliveries/delivery-writes.ts";
import {
  type LockedRequest,
  lockRequest,
  publishRequest,
  refuseProgram,
  refuseUnlessOpen,
} from "../lock-request.ts";
import type { AnswerInput } from "../request-input-schema.ts";
import { wordsOf } from "../request-row.ts";
import type { RequestState } from "../request-schema.ts";
import { requests } from "../request-status.ts";
import { giveStandingApproval } from "../standing-approvals/standing-approval-writes.ts";
import { approvalOn, hasAskedFor, judgeVoter, readVoter } from "../voting/judge-voter.ts";
import {
  bindVotes,
  castVote,
  NO_PROOF,
  type Proof,
  reopenVote,
  takeBack,
  type Voted,
} from "../voting/vote-writes.ts";
import {
  refuseAction,
  refuseAnyWording,
  refuseForeignUrl,
  refuseFourEyes,
  refuseOthersAnswer,
  refuseOtherWording,
  refuseRevision,
  refuseStanding,
  refuseUnfitChoice,
} from "./answer-checks.ts";
import { checkedContent, contentDigest, decidedFieldOf } from "./answer-content.ts";
import { refuseDeniedCall } from "./approved-call.ts";
import { changedArguments, contentOfChange } from "./changed-call.ts";
import { ASKED_TO_REVISE } from "./decided-words.ts";
import { type SignedIn, toSignedIn } from "./signed-in.ts";

/** Whether a decision is the request's answer, or a vote on which others have to agree first. */
export type Outcome = "recorded" | "voted";

/**
 * Records a person's decision: as the answer, which counts from the commit on and is delivered by the engine, or as a vote
 * where several people have to agree. The last vote that is missing records the answer with all of them. `read` reads what is
 * to be shown of the request then, in here, since appending the history locks its head for all others until the commit.
 */
export async function recordDecision<T = undefined>(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
  input: AnswerInput,
  read: () => Promise<T | undefined> = async () => undefined,
  proof: Proof = NO_PROOF,
): Promise<{ outcome: Outcome; shown: T }> {
  const signedIn = await keepCredential(tx, principal, proof);
  const request = await lockRequest(tx, principal, inputRequestId);
  // Read once the request's lock is held, which a claim takes too.
  const claim = await liveClaim(tx, inputRequestId);
  await refuseUnlessOpen(tx, request);
  refuseOtherWording(contentOf(tx), request, input);
  refuseClaimOfOther(principal, claim);
  refuseProgram(principal, request);
  const ballot = await judgeVoter(tx, principal, request);
  refuseForeignUrl(principal, request, input);
  refuseFourEyes(request, input);
  refuseAction(request, input);
  refuseRevision(request, input);
  await refuseAnyWording(tx, request, input);
  const change = changedArguments(request, input);
  if (input.action === "accept") await refuseDeniedCall(tx, request, change);
  const content = change ? await contentOfChange(tx, request, change) : checkedContent(request, input);
  const changes = change !== null && content !== null && Object.keys(content).length > 0;
  refuseStanding(request, input, changes);
  await refuseUnfitChoice(tx, request, input);
  const voted = ballot && (await castVote(tx, principal, request, ballot, input, content, proof, signedIn));
  if (voted && !voted.completes) {
    const shown = await read();
    await publishRequest(tx, request, voted.events);
    return { outcome: "voted", shown: shown as T };
  }

  const id = uuidv7();
  const holdMs = await writeAnswer(tx, principal.actor, request, id, input, content, changes);
  if (voted) await bindVotes(tx, request.id, { voteId: voted.voteId, answerId: id });
  const given = input.standing && (await giveStandingApproval(tx, principal, request, id, input.standing));
  const shown = await read();
  await publishRequest(tx, request, [
    ...(voted?.events ?? []),
    recordedLine(
      tx,
      principal.actor,
      request,
      { id, input, content, holdMs },
      { signedIn, votes: voted?.votes, approval: voted ? ballot?.approval : undefined },
    ),
    ...(given ? [given] : []),
  ]);
  return { outcome: "recorded", shown: shown as T };
}

/**
 * Records what a rule of the policy says (lib/requests/automatic), for a request whose lock is held. Of the checks of a person's
 * answer, those of the question apply: that it is open, unchanged, and takes this content. Returns the answer's id.
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
  await publishRequest(tx, request, [
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
      words: input.revise
        ? ASKED_TO_REVISE
        : wordsOf(input.action, content, decidedFieldOf(request, content), request),
      comment: input.comment || null,
      ...(input.revise && { revise: true }),
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

/** By which rule people decided, and by when they should have: the figures are made of it (lib/requests/statistics). */
function decidedUnder({ rule, version, askedAt, dueAt, stages }: Approval) {
  return { rule, version, stages: stages.map(({ name }) => name), askedAt, dueAt };
}

/**
 * Writes an answer with its delivery, for a request whose lock is held. `changes`: it changes the call that it approves. Returns for how
 * long it is held, in ms.
 */
async function writeAnswer(
  tx: Tx,
  actor: Actor,
  request: LockedRequest,
  id: string,
  input: AnswerInput,
  content: Record<string, unknown> | null,
  changes = false,
): Promise<number> {
  const { organizationId } = tx;
  const keys = contentOf(tx);
  const stored = content === null ? null : JSON.stringify(keys.json("answer.content", id, storable(content)));
  const delivery = { id, inputRequestId: request.id, holdMs: input.holdMs ?? 0 };
  // What people answer where no rule was asked needs no key that is out of reach.
  const compared =
    request.hasDecision && actor.kind === "member"
      ? Prisma.sql`compared AS (${compareWithPeople(tx, { id, inputRequestId: request.id }, contentDigest(input.action, content))}),`
      : Prisma.empty;
  // `request_id` is the call of the API, by the id that it has in the log.
  const moved = await tx.$queryRaw<{ ms: number }[]>`
    WITH given AS (
      INSERT INTO answer (organization_id, id, input_request_id, question_hash, any_wording, action, revise, changes, content, comment,
        answered_by, request_id, traceparent)
      VALUES (${organizationId}::uuid, ${id}::uuid, ${request.id}::uuid, ${keys.hash(input.questionHash)},
        ${request.rewordedAt !== null}::boolean, ${input.action}, ${input.revise === true}::boolean, ${changes}::boolean, ${stored}::json,
        ${keys.text("answer.comment", id, input.comment || null)}, ${JSON.stringify(storable(actor))}::jsonb,
        ${scope().requestId}::uuid, ${currentTraceparent()})),
    begun AS (${newDelivery(organizationId, delivery)}),
    ${compared}
    unclaimed AS (DELETE FROM claim
      WHERE organization_id = ${organizationId}::uuid AND input_request_id = ${request.id}::uuid)
    UPDATE input_request SET state = 'answered' WHERE organization_id = ${organizationId}::uuid AND id = ${request.id}::uuid
      AND state = ANY (${requests.before("answered", "open")}::text[])
    RETURNING (SELECT ms FROM begun) AS ms`;
  if (!moved[0]) throw notInState(request.id, "open");
  return moved[0].ms;
}

/**
 * Takes an answer back while it is still held: one's own, or as an operator another's. Of undo and delivery, the
 * first to update the row wins.
 */
export async function undoAnswer(tx: Tx, principal: Principal, inputRequestId: string): Promise<void> {
  const request = await lockRequest(tx, principal, inputRequestId);
  refuseProgram(principal, request);
  const answerId = await undo(tx, inputRequestId);
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
  await moveRequest(tx, inputRequestId, "answered", "open");
  if (approval) await reopenVote(tx, inputRequestId, answerId, approval);
  await publishRequest(tx, request, [{ type: "answer.undone", actor: principal.actor }]);
}

/** Takes one's own vote back while its stage is open. Throws `not_found`, `stage_full`, and `forbidden` as `refuseProgram`. */
export async function takeVoteBack(tx: Tx, principal: Principal, inputRequestId: string): Promise<void> {
  await keepCredential(tx, principal);
  const request = await lockRequest(tx, principal, inputRequestId);
  refuseProgram(principal, request);
  const approval = approvalOn(request);
  if (!approval) throw new AppError("not_found", "You have no vote on this request.");
  await refuseUnlessOpen(tx, request);
  const { person } = await readVoter(tx, principal, request);
  const line = await takeBack(tx, principal, inputRequestId, approval, person);
  await publishRequest(tx, request, [line]);
}

/**
 * Locks the caller's membership or key until the transaction ends, so that nobody decides after losing it. Call it before the request is
 * locked: so does the removal of a member. Returns how the caller had signed in. Throws `unauthenticated` if it has ended since the call came.
 */
async function keepCredential(
  tx: Tx,
  { actor }: Principal,
  { sessionId, via }: Pick<Proof, "sessionId" | "via"> = NO_PROOF,
): Promise<SignedIn | null> {
  if (actor.kind === "agent") throw new AppError("forbidden", "Agents can’t answer requests. People do.");
  if (actor.id === null) return null;
  // The web's alone may ask for it: without a session, as of a command, there is nothing to ask.
  const ofChannel = via ? Prisma.sql`jsonb_build_object('method', ${via}::text)` : Prisma.sql`NULL::jsonb`;
  const proof = sessionId === null ? ofChannel : Prisma.sql`gate.session_proof(${sessionId}::uuid)`;
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

async function moveRequest(
  tx: Tx,
  inputRequestId: string,
  from: RequestState,
  to: RequestState,
): Promise<void> {
  const moved = await tx.$executeRaw`UPDATE input_request
    SET state = ${to} WHERE organization_id = ${tx.organizationId}::uuid AND id = ${inputRequestId}::uuid
      AND state = ANY (${requests.before(to, from)}::text[])`;
  if (moved !== 1) throw notInState(inputRequestId, from);
}

function notInState(inputRequestId: string, from: RequestState): Error {
  return new Error(`input request ${inputRequestId} was not ${from} although its lock is held`);
}

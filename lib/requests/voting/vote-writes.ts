/**
 * All writes to votes. The caller holds the locks of the task and the request, and appends the returned lines to the
 * history. judge-voter.ts says who has a vote.
 */

import { type Actor, actorSchema } from "../../access/access-schema.ts";
import { actorWords } from "../../access/actor-words.ts";
import type { Principal } from "../../access/principal.ts";
import { contentOf } from "../../base/content/content-keys.ts";
import { Prisma, storable, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { ENGINE_ACTOR, type NewEvent } from "../../history/events/event-writes.ts";
import { formSchema } from "../../mcp/forms/form.ts";
import { type Approval, approvalSchema } from "../../policy/judge.ts";
import { contentDigest, decidedFieldOf } from "../answers/answer-content.ts";
import { ASKED_TO_REVISE } from "../answers/decided-words.ts";
import { isRejection } from "../answers/rejection.ts";
import type { SignedIn } from "../answers/signed-in.ts";
import { endAssignment } from "../claims/claim-writes.ts";
import type { AnswerInput } from "../request-input-schema.ts";
import { type AskedBy, wordsOf } from "../request-row.ts";
import { hasStageTimes } from "../timers/schedule.ts";
import { armTimers, endTimers, putOffExpiry } from "../timers/timer-writes.ts";
import { type Ballot, type CastVote, countedVotes, personsOf } from "./judge-voter.ts";
import { releaseWithoutVote } from "./release-without-vote.ts";
import { isRejectedIn, openStage } from "./vote-status.ts";

/** What the session proves about the person. An API key has no session. */
export interface Proof {
  sessionId: string | null;
  /** The largest age of a factor that the person has shown. */
  withinMs: number;
  /** The person decides at Slack or Teams, by the account that they linked. There is no session then. */
  via?: "slack" | "teams";
}

export const NO_PROOF: Proof = { sessionId: null, withinMs: 0 };

type Line = Pick<NewEvent, "type" | "actor" | "data">;

interface VotedRequest extends AskedBy {
  id: string;
  form: unknown;
  message: string | null;
}

export interface Voted {
  voteId: string;
  /** This vote was the last one needed: the caller records the answer now. */
  completes: boolean;
  events: Line[];
  /** All votes that count, for the answer's line. */
  votes: { by: Actor; onBehalfOf?: Actor; stage: string; agrees: boolean; at: string }[];
}

/**
 * Casts one vote. If the content differs from what others agreed to, `proposes` ends their votes and voting starts
 * again. Throws `content_differs`, `step_up_required`, and `reason_required`.
 */
export async function castVote(
  tx: Tx,
  { actor }: Principal,
  request: VotedRequest,
  ballot: Ballot,
  input: AnswerInput,
  content: Record<string, unknown> | null,
  proof: Proof,
  signedIn: SignedIn | null,
): Promise<Voted> {
  const { approval, stage, person, onBehalfOf } = ballot;
  const current = approval.stages[stage]!;
  const rejects = isRejection(formSchema.parse(request.form), input.action, content);
  if (current.requireReason.includes(rejects ? "reject" : "approve") && !input.comment) throw reasonMissing();
  if (current.stepUp) await refuseStale(tx, proof);
  const keeping = contentOf(tx);
  const digest = contentDigest(input.action, content);
  const others = ballot.votes.filter(
    (vote) => !rejects && !vote.rejects && !keeping.isSameHash(digest, vote.contentDigest),
  );
  if (others[0] && input.proposes !== true)
    throw new AppError(
      "content_differs",
      `${actorWords(others[0].by, { begins: true })} agreed to something else. Agree to that, or propose yours: then everybody is asked again.`,
      { extra: { by: others[0].by } },
    );
  const dropped = await endVotes(tx, request.id, actor, "other_content", others);

  const id = uuidv7();
  const stored =
    content === null ? null : JSON.stringify(keeping.json("vote.content", id, storable(content)));
  await tx.$executeRaw`INSERT INTO vote (organization_id, id, input_request_id, stage, question_hash, content_digest, action,
      revise, content, comment, rejects, person, cast_by, on_behalf_of)
    VALUES (${tx.organizationId}::uuid, ${id}::uuid, ${request.id}::uuid, ${stage}, ${keeping.hash(input.questionHash)},
      ${keeping.hash(digest)}, ${input.action}, ${input.revise === true}::boolean, ${stored}::json, ${keeping.text("vote.comment", id, input.comment || null)},
      ${rejects}, ${person}::uuid, ${JSON.stringify(storable(actor))}::jsonb,
      ${onBehalfOf && JSON.stringify(storable(onBehalfOf))}::jsonb)`;
  const votes = await countedVotes(tx, request.id, []);
  const isRejected = rejects && isRejectedIn(approval.stages, votes, stage);
  const next = openStage(approval.stages, votes);
  const completes = isRejected || next === null;
  const persons = onBehalfOf && actor.id !== null ? [person, actor.id] : [person];
  const freed = completes ? [] : await moveOn(tx, request, approval, votes, persons);
  const cast: Line = {
    type: "vote.recorded",
    actor,
    data: {
      stage: current.name,
      ...(onBehalfOf && { onBehalfOf }),
      agrees: !rejects,
      action: input.action,
      content,
      words: input.revise
        ? ASKED_TO_REVISE
        : wordsOf(input.action, content, decidedFieldOf(request, content), request),
      comment: input.comment || null,
      ...(input.revise && { revise: true }),
      questionHash: keeping.hash(input.questionHash),
      contentDigest: keeping.hash(digest),
      rule: approval.rule,
      version: approval.version,
      voteId: id,
      signedIn,
      ...(!completes && next !== stage && { opens: approval.stages[next]!.name }),
    },
  };
  return {
    voteId: id,
    completes,
    events: [...dropped, ...freed, cast],
    votes: votes.map((vote) => ({
      by: vote.by,
      ...(vote.onBehalfOf && { onBehalfOf: vote.onBehalfOf }),
      stage: approval.stages[vote.stage]!.name,
      agrees: !vote.rejects,
      at: vote.at.toISOString(),
    })),
  };
}

/** Makes the votes that count part of the answer that this transaction has recorded. */
export async function bindVotes(
  tx: Tx,
  inputRequestId: string,
  { voteId, answerId }: { voteId: string; answerId: string },
): Promise<void> {
  await tx.$executeRaw`UPDATE vote SET answer_id = ${answerId}::uuid, completes = id = ${voteId}::uuid
    WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${inputRequestId}::uuid AND ended_at IS NULL`;
}

/** Takes back the vote that completed an answer, because the answer was undone. The other votes stay. */
export async function reopenVote(
  tx: Tx,
  inputRequestId: string,
  answerId: string,
  approval: Approval,
): Promise<void> {
  await tx.$executeRaw`UPDATE vote SET ended_at = now(), ended_as = 'taken_back'
    WHERE organization_id = ${tx.organizationId}::uuid AND answer_id = ${answerId}::uuid AND completes AND ended_at IS NULL`;
  await tx.$executeRaw`UPDATE vote SET answer_id = NULL
    WHERE organization_id = ${tx.organizationId}::uuid AND answer_id = ${answerId}::uuid AND ended_at IS NULL`;
  const votes = await countedVotes(tx, inputRequestId, []);
  const open = await setOpen(tx, inputRequestId, approval, votes);
  // Timers that ended with the answer run again, as if there had been no answer. Only the request's expiry is
  // postponed.
  await armTimers(tx, inputRequestId, { ...approval, open });
  await putOffExpiry(tx, inputRequestId, approval);
}

/**
 * Takes back a person's vote while its stage is not full. It may be the person's own vote, or a vote that a delegate
 * cast for them. In person, it may also be a vote that they cast as a delegate. Throws `not_found`, `stage_full`.
 */
export async function takeBack(
  tx: Tx,
  { actor }: Principal,
  inputRequestId: string,
  approval: Approval,
  person: string | null,
): Promise<Line> {
  const votes = await countedVotes(tx, inputRequestId, []);
  const open = openStage(approval.stages, votes) ?? approval.stages.length;
  const own = votes.filter(
    (vote) => vote.person === person || (vote.delegate !== null && vote.delegate === actor.id),
  );
  const mine = own.find(({ stage }) => stage >= open);
  if (!mine)
    throw own.length > 0
      ? new AppError(
          "stage_full",
          "Enough people agreed, so you can’t take your vote back. The last vote can be undone.",
        )
      : new AppError("not_found", "You have no vote on this request.");
  await tx.$executeRaw`UPDATE vote SET ended_at = now(), ended_as = 'taken_back'
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${mine.id}::uuid AND ended_at IS NULL`;
  const rest = votes.filter(({ id }) => id !== mine.id);
  await setOpen(tx, inputRequestId, approval, rest);
  const { onBehalfOf } = mine;
  const data = { stage: approval.stages[mine.stage]!.name, ...(onBehalfOf && { onBehalfOf }) };
  return { type: "vote.taken_back", actor, data };
}

/** Ends these votes, or all that count. Returns a line of history that names the people who cast them; none if no vote ended. */
export async function endVotes(
  tx: Tx,
  inputRequestId: string,
  actor: Actor,
  reason: "question_changed" | "asked_again" | "other_content" | "judged_again",
  which: Pick<CastVote, "id">[] | "all",
): Promise<Line[]> {
  if (which !== "all" && which.length === 0) return [];
  const these =
    which === "all" ? Prisma.empty : Prisma.sql`AND id = ANY (${which.map(({ id }) => id)}::uuid[])`;
  const ended = await tx.$queryRaw<{ by: unknown }[]>`UPDATE vote SET ended_at = now(), ended_as = ${reason}
    WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${inputRequestId}::uuid AND ended_at IS NULL ${these}
    RETURNING cast_by AS by`;
  if (ended.length === 0) return [];
  const of = ended.map(({ by }) => actorSchema.parse(by));
  return [{ type: "vote.dropped", actor, data: { reason, of } }];
}

/** Starts voting again on a request whose votes have all ended. */
export async function beginAnew(tx: Tx, inputRequestId: string, approval: unknown): Promise<void> {
  const times = { askedAt: await timeNow(tx), putOffTo: null, lapsedAt: null };
  const begun = { ...approvalSchema.parse(approval), ...times };
  await tx.$executeRaw`UPDATE input_request SET approval = approval || ${JSON.stringify(times)}::jsonb
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${inputRequestId}::uuid`;
  await setOpen(tx, inputRequestId, begun, [], true);
}

/**
 * Opens the stage that the votes have reached. Ends the voters' claims, and an assignment that was made for an
 * earlier stage. Also ends claims and assignments of people who have no vote now. Returns the lines of history.
 */
async function moveOn(
  tx: Tx,
  { id }: VotedRequest,
  approval: Approval,
  votes: CastVote[],
  persons: string[],
): Promise<Line[]> {
  const { stage } = await setOpen(tx, id, approval, votes);
  await tx.$executeRaw`DELETE FROM claim WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${id}::uuid
    AND user_id = ANY (${persons}::uuid[])`;
  const ended = stage === approval.open.stage ? [] : await endAssignment(tx, ENGINE_ACTOR, id);
  const { lines } = await releaseWithoutVote(tx, Prisma.sql`r.id = ${id}::uuid`);
  return [...ended, ...lines];
}

/** Stores which stage is open, and arms its timers if it has just opened. `anew`: voting starts again. */
async function setOpen(
  tx: Tx,
  inputRequestId: string,
  approval: Approval,
  votes: CastVote[],
  anew = false,
): Promise<Approval["open"]> {
  const stage = openStage(approval.stages, votes) ?? approval.stages.length - 1;
  const { roles, people, groups } = approval.stages[stage]!;
  const voted = votes.filter((vote) => vote.stage === stage).flatMap(personsOf);
  const isSame = stage === approval.open.stage && !anew;
  const { since, reminded } = approval.open;
  const isTimed = !isSame && (anew || hasStageTimes(approval));
  const opened = isTimed ? await timeNow(tx) : since;
  const ids = groups.map(({ id }) => id);
  const open = { stage, roles, people, groups: ids, voted, since: opened, reminded: isSame && reminded };
  await tx.$executeRaw`UPDATE input_request SET approval = jsonb_set(approval, '{open}', ${JSON.stringify(storable(open))}::jsonb)
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${inputRequestId}::uuid`;
  if (isTimed) {
    await endTimers(tx, inputRequestId, "stage");
    await armTimers(tx, inputRequestId, { ...approval, open });
  }
  return open;
}

/** The database's time, which timers use. */
async function timeNow(tx: Tx): Promise<string> {
  const [row] = await tx.$queryRaw<{ now: Date }[]>`SELECT now() AS now`;
  return row!.now.toISOString();
}

function reasonMissing(): AppError {
  const message = "This stage requires a reason.";
  return new AppError("reason_required", message, { errors: [{ field: "comment", message }] });
}

async function refuseStale(tx: Tx, { sessionId, withinMs }: Proof): Promise<void> {
  const [row] =
    sessionId === null
      ? []
      : await tx.$queryRaw<{ fresh: boolean }[]>`
          SELECT gate.factor_is_fresh(${sessionId}::uuid, ${withinMs}::bigint) AS fresh`;
  if (row?.fresh === true) return;
  throw new AppError(
    "step_up_required",
    "Show that it is you first: with your password, a code or a passkey.",
  );
}

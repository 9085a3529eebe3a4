/**
 * All writes to comments on requests, and to what a request waits for from its requester (`input_request.needs_info`). Nothing here
 * touches how an answer is recorded or sent: what a request still lacked is forgotten by a trigger when it is decided.
 */

import type { Person } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { contentOf } from "../../base/content/content-keys.ts";
import { Prisma, storable, storableText, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChange } from "../../base/live-updates.ts";
import { appendEvents, type NewEvent } from "../../history/events/event-writes.ts";
import { refuseUnderHold } from "../../people/organizations/hold.ts";
import { MOST_COMMENTS } from "../limits.ts";
import { type LockedRequest, lockRequest, refuseUnlessOpen } from "../lock-request.ts";
import { needsInfoSchema } from "../request-schema.ts";
import { pauseReminders, resumeReminders } from "../timers/timer-writes.ts";
import {
  listComments,
  mentionableAmong,
  refusedToComment,
  refuseUnlessInPerson,
  type Speaker,
  speaker,
} from "./comment-reads.ts";
import type { CommentInput, RequestComment } from "./comment-schema.ts";

/**
 * Adds a comment, in any state of the request. The requester's own comment is the reply to the person who had asked them. Throws
 * `forbidden`, `invalid_input` for somebody who can't see the request, `too_many_comments`.
 */
export async function addComment(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
  input: CommentInput,
): Promise<RequestComment> {
  const { request, userId, requester } = await begin(tx, principal, inputRequestId);
  const mentions = await mentioned(tx, request, input);
  const missing = await missingInfo(tx, inputRequestId);
  const isReply = missing !== null && requester?.id === userId;
  const { id, line } = await insertComment(tx, principal, request, input.text, {
    mentions,
    asks: false,
    repliesTo: isReply && missing.by.id !== userId ? missing.by.id : null,
  });
  const given = isReply ? await endNeed(tx, principal, inputRequestId, "reply") : [];
  await publish(tx, request, [line, ...given]);
  const [comment] = await listComments(tx, Prisma.sql`k.id = ${id}::uuid`);
  if (!comment) throw new Error(`the insert of the comment ${id} returned no row`);
  return comment;
}

/**
 * Asks the member behind the task, by a comment. The request stays open to decisions; its reminders pause. Throws as `addComment`,
 * `no_requester` where there is nobody else to ask, `already_asked`, and what says that the request is no longer open.
 */
export async function askRequester(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
  input: CommentInput,
): Promise<void> {
  const { request, userId, requester } = await begin(tx, principal, inputRequestId);
  const mentions = await mentioned(tx, request, input);
  await refuseUnlessOpen(tx, request);
  if (requester === null)
    throw new AppError("no_requester", "Nobody here who can see this request asked for the task.");
  if (requester.id === userId) throw new AppError("no_requester", "You asked for this task yourself.");
  const missing = await missingInfo(tx, inputRequestId);
  if (missing)
    throw new AppError("already_asked", `${missing.by.name} has asked ${missing.of.name} already.`, {
      extra: { by: missing.by, at: missing.at },
    });
  const { id, line } = await insertComment(tx, principal, request, input.text, {
    mentions,
    asks: true,
    repliesTo: null,
  });
  const need = {
    by: { id: userId, name: principal.actor.name },
    of: requester,
    at: new Date().toISOString(),
  };
  await tx.$executeRaw`UPDATE input_request SET needs_info = ${JSON.stringify(storable(need))}::jsonb
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${inputRequestId}::uuid AND state = 'open' AND needs_info IS NULL`;
  await pauseReminders(tx, inputRequestId);
  await publish(tx, request, [
    line,
    {
      type: "request.info_asked",
      actor: principal.actor,
      data: { commentId: id, userId: requester.id, name: requester.name },
    },
  ]);
}

/** Ends the wait for the requester: anybody who may comment has what was missing. Idempotent. */
export async function noteInfo(tx: Tx, principal: Principal, inputRequestId: string): Promise<void> {
  const { request } = await begin(tx, principal, inputRequestId);
  const given = await endNeed(tx, principal, inputRequestId, "said");
  if (given.length > 0) await publish(tx, request, given);
}

/**
 * Deletes what one's own comment said, for good: that there was one, of whom and when stays. Idempotent. Throws `forbidden` for
 * another's, `legal_hold`.
 */
export async function deleteComment(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
  commentId: string,
): Promise<void> {
  refuseUnlessInPerson(principal);
  const request = await lockRequest(tx, principal, inputRequestId);
  const comment = await tx.requestComment.findFirst({
    where: { organizationId: tx.organizationId, id: commentId, inputRequestId },
    select: { author: true, deletedAt: true },
  });
  if (!comment) throw notFound("comment");
  if (comment.author !== principal.userId)
    throw new AppError("forbidden", "Only its author deletes a comment.");
  if (comment.deletedAt) return;
  await refuseUnderHold(tx);
  await tx.$executeRaw`UPDATE request_comment SET text = NULL, deleted_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${commentId}::uuid AND deleted_at IS NULL`;
  await publish(tx, request, [
    { type: "request.comment_deleted", actor: principal.actor, data: { commentId } },
  ]);
}

/** Locks the request for somebody who may comment on it. */
async function begin(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
): Promise<Speaker & { request: LockedRequest; userId: string }> {
  refuseUnlessInPerson(principal);
  const request = await lockRequest(tx, principal, inputRequestId);
  const allowed = await speaker(tx, principal, request.taskId);
  const { userId } = principal;
  if (!allowed.mayComment || userId === null) throw refusedToComment();
  return { ...allowed, request, userId };
}

/** Who asked whom for what the locked request lacks; null: nothing is missing. */
async function missingInfo(tx: Tx, inputRequestId: string) {
  const row = await tx.inputRequest.findFirst({
    where: { organizationId: tx.organizationId, id: inputRequestId },
    select: { needsInfo: true },
  });
  return needsInfoSchema.nullable().parse(row?.needsInfo ?? null);
}

async function endNeed(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
  how: "reply" | "said",
): Promise<Line[]> {
  const ended = await tx.$executeRaw`UPDATE input_request SET needs_info = NULL
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${inputRequestId}::uuid AND needs_info IS NOT NULL`;
  if (ended === 0) return [];
  await resumeReminders(tx, inputRequestId);
  return [{ type: "request.info_given", actor: principal.actor, data: { via: how } }];
}

type Line = Pick<NewEvent, "type" | "actor" | "data">;

/** Those whom a comment mentions. Throws `invalid_input` for somebody who can't see the request. */
async function mentioned(
  tx: Tx,
  request: LockedRequest,
  { mentions: wanted = [] }: CommentInput,
): Promise<Person[]> {
  const mentions = await mentionableAmong(tx, request.taskId, wanted);
  const errors = wanted.flatMap((id, at) =>
    mentions.some((person) => person.id === id)
      ? []
      : [{ field: `mentions.${at}`, message: "No member who can see this request has this id" }],
  );
  if (errors.length > 0) throw new AppError("invalid_input", "Somebody can’t be mentioned here.", { errors });
  return mentions;
}

async function insertComment(
  tx: Tx,
  principal: Principal,
  request: LockedRequest,
  text: string,
  { mentions, asks, repliesTo }: { mentions: Person[]; asks: boolean; repliesTo: string | null },
): Promise<{ id: string; line: Line }> {
  const there = await tx.requestComment.count({
    where: { organizationId: tx.organizationId, inputRequestId: request.id },
  });
  if (there >= MOST_COMMENTS)
    throw new AppError("too_many_comments", `A request has at most ${MOST_COMMENTS} comments.`);
  const id = uuidv7();
  const said = storableText(text);
  const { actor } = principal;
  await tx.$executeRaw`INSERT INTO request_comment (organization_id, id, input_request_id, author, written_by, text, mentions, asks, replies_to)
    VALUES (${tx.organizationId}::uuid, ${id}::uuid, ${request.id}::uuid, ${principal.userId}::uuid,
      ${JSON.stringify(storable(actor))}::jsonb, ${contentOf(tx).text("request_comment.text", id, said)},
      ${mentions.map((person) => person.id)}::uuid[], ${asks}, ${repliesTo}::uuid)`;
  // Nothing of the text: who has a digest of a short one guesses it, also once it is deleted.
  const data = {
    commentId: id,
    ...(mentions.length > 0 && { mentions: mentions.map(({ name }) => name) }),
  };
  return { id, line: { type: "request.commented", actor, data } };
}

async function publish(tx: Tx, request: LockedRequest, lines: Line[]): Promise<void> {
  await publishChange(tx, "input_request", [request.id]);
  await publishChange(tx, "task", [request.taskId]);
  await appendEvents(
    tx,
    lines.map((line) => ({ ...line, taskId: request.taskId, inputRequestId: request.id })),
  );
}

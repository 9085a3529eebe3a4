/** Who works on a request: claims, assignments, and their end. Each write names the state it expects; the task's row is locked first. */
import type { Actor } from "../../access/access-schema.ts";
import { allows } from "../../access/key-scope.ts";
import type { Principal } from "../../access/principal.ts";
import { Prisma, storable, storableText, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import type { NewEvent } from "../../history/events/event-writes.ts";
import { refuseForeignUrl, refuseFourEyes } from "../answers/answer-checks.ts";
import {
  type LockedRequest,
  lockRequest,
  memberOnly,
  publishRequest,
  refuseUnlessOpen,
} from "../lock-request.ts";
import type { AssignInput, ClaimInput, HandOverInput } from "../request-input-schema.ts";
import { judgeVoter } from "../voting/judge-voter.ts";
import {
  CLAIM_IS_LIVE,
  liveClaim,
  refuseClaimOfOther,
  refuseOthersClaim,
  refuseOthersRequest,
  refuseUnableRecipient,
  takesOver,
} from "./claim-checks.ts";
import { answerer, keepMember, type Recipient } from "./recipient.ts";

/**
 * Shows others that a person works on the request, who keeps it from them meanwhile: only a person who could
 * accept it may. Repeating the claim keeps it alive. Operators take over the claim that they have seen, in one step, so that
 * nobody else claims the request in between.
 */
export async function claimRequest(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
  { takeOver }: ClaimInput = {},
): Promise<void> {
  const userId = memberOnly(principal);
  const request = await lockRequest(tx, principal, inputRequestId);
  await refuseUnlessOpen(tx, request);
  const before = await liveClaim(tx, inputRequestId);
  const isTakenOver = takesOver(principal, before, takeOver);
  if (!isTakenOver) refuseClaimOfOther(principal, before);
  await judgeVoter(tx, principal, request);
  refuseForeignUrl(principal, request, { action: "accept" });
  refuseFourEyes(request, { action: "accept" });
  const claimed = await tx.$queryRaw<{ fresh: boolean }[]>`
    INSERT INTO claim AS c (organization_id, input_request_id, user_id)
    VALUES (${tx.organizationId}::uuid, ${inputRequestId}::uuid, ${userId}::uuid)
    ON CONFLICT (organization_id, input_request_id) DO UPDATE SET active_at = now(), user_id = excluded.user_id,
      claimed_at = CASE WHEN c.user_id = excluded.user_id THEN c.claimed_at ELSE now() END
    -- now() has microseconds, the column has none
    RETURNING claimed_at = now()::timestamptz(3) AS fresh`;
  const fresh = claimed[0]?.fresh === true;
  await publishRequest(tx, request, [
    ...(isTakenOver ? [{ type: "request.released" as const, actor: principal.actor }] : []),
    ...(fresh ? [{ type: "request.claimed" as const, actor: principal.actor }] : []),
  ]);
}

/** Releases one's own claim; operators may end anybody's. */
export async function releaseRequest(tx: Tx, principal: Principal, inputRequestId: string): Promise<void> {
  const request = await lockRequest(tx, principal, inputRequestId);
  const claim = await tx.claim.findFirst({
    where: { organizationId: tx.organizationId, inputRequestId },
  });
  if (!claim) return;
  const mayEndOthers = allows(principal, "requests:assign");
  if (claim.userId !== principal.userId && !mayEndOthers)
    await refuseOthersClaim(tx, principal, inputRequestId);
  await tx.claim.deleteMany({ where: { organizationId: tx.organizationId, inputRequestId } });
  await publishRequest(tx, request, [{ type: "request.released", actor: principal.actor }]);
}

/** Assigns a request to a member who may accept it, or to nobody (null), even if somebody has it now. For operators. */
export async function assignRequest(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
  { memberId, note }: AssignInput,
): Promise<void> {
  if (memberId !== null) await keepMember(tx, memberId);
  const request = await lockRequest(tx, principal, inputRequestId);
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
  inputRequestId: string,
  { memberId, note }: HandOverInput,
): Promise<void> {
  const userId = memberOnly(principal);
  await keepMember(tx, memberId);
  const request = await lockRequest(tx, principal, inputRequestId);
  await refuseUnlessOpen(tx, request);
  await refuseOthersRequest(tx, principal, request);
  const recipient = await answerer(tx, memberId);
  if (recipient.userId === userId) throw oneself();
  await give(tx, principal, request, recipient, note);
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
      // With the recipient: an earlier version that reassigns it changes the assignee alone.
      assignedBy: recipient ? storable({ ...principal.actor, to: recipient.userId }) : Prisma.DbNull,
      assignedAt: recipient ? new Date() : null,
      assignmentNote: said,
    },
  });
  const ended = await tx.$queryRaw<{ live: boolean }[]>`DELETE FROM claim c
    WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${request.id}::uuid
      AND user_id IS DISTINCT FROM ${recipient?.userId ?? null}::uuid
    RETURNING ${CLAIM_IS_LIVE} AS live`;
  const { actor } = principal;
  const data = {
    userId: recipient?.userId ?? null,
    ...(recipient && { name: recipient.name }),
    ...(said && { note: said }),
  };
  await publishRequest(tx, request, [
    ...(ended.some(({ live }) => live) ? [{ type: "request.released" as const, actor }] : []),
    { type: "request.assigned", actor, data },
  ]);
}

/**
 * Ends the assignment of a request whose lock is held, if it has one, so that it waits for everybody who may decide. In a private task
 * the assignment stays: the assignee sees nothing of the task without it. `of`: if it is this user's. Returns the line of history.
 */
export async function endAssignment(
  tx: Tx,
  actor: Actor,
  inputRequestId: string,
  of: string | null = null,
): Promise<NewEvent[]> {
  const assignee = of === null ? Prisma.sql`IS NOT NULL` : Prisma.sql`= ${of}::uuid`;
  const ended = await tx.$queryRaw<{ taskId: string; from: string }[]>`
    WITH held AS (SELECT r.id, r.assignee_user_id FROM input_request r
      WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ${inputRequestId}::uuid AND r.visibility <> 'private'
        AND r.assignee_user_id ${assignee})
    UPDATE input_request r SET assignee_user_id = NULL, assigned_by = NULL, assigned_at = NULL, assignment_note = NULL
    FROM held WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = held.id
    RETURNING r.task_id AS "taskId", held.assignee_user_id AS "from"`;
  return ended.map(({ taskId, from }) => {
    const data = { userId: null, from };
    return { type: "request.assigned" as const, actor, taskId, inputRequestId, data };
  });
}

/** Ends the claim of a request, if it has lapsed. */
export async function endIdleClaim(tx: Tx, inputRequestId: string): Promise<void> {
  await tx.$executeRaw`DELETE FROM claim c WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${inputRequestId}::uuid
    AND NOT ${CLAIM_IS_LIVE}`;
}

/** Refuses claims and assignments that are not allowed. Reads and locks only; claim-writes.ts writes. */
import { allows } from "../../access/key-scope.ts";
import type { Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { refusedByFourEyes } from "../../people/members/one-maker.ts";
import type { LockedRequest } from "../lock-request.ts";
import { CLAIM_IDLE_MS } from "../request-status.ts";
import { hasVote } from "../voting/voter-sql.ts";

/** A claim is live while its holder is active. `c` is the claim. */
export const CLAIM_IS_LIVE = Prisma.sql`c.active_at > now() - ${CLAIM_IDLE_MS} * interval '1 ms'`;

interface Claim {
  /** The person's. */
  id: string;
  name: string;
  at: Date;
}

/** Who works on a request; null: nobody. */
export async function liveClaim(tx: Tx, inputRequestId: string): Promise<Claim | null> {
  const [claim] = await tx.$queryRaw<Claim[]>`
    SELECT u.id, u.name, c.claimed_at AS at FROM claim c JOIN "user" u ON u.id = c.user_id
    WHERE c.organization_id = ${tx.organizationId}::uuid AND c.input_request_id = ${inputRequestId}::uuid
      AND ${CLAIM_IS_LIVE}`;
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

export async function refuseOthersClaim(tx: Tx, principal: Principal, inputRequestId: string): Promise<void> {
  refuseClaimOfOther(principal, await liveClaim(tx, inputRequestId));
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

/**
 * All writes to the rule of a second person (docs/decisions/037). It begins at once. It ends by a proposal that a
 * second person accepts, or that takes effect after 72 hours unless it is withdrawn; the database sets that time and
 * refuses any other end.
 */

import { type Actor, actorSchema } from "../../access/access-schema.ts";
import { actorWords } from "../../access/actor-words.ts";
import type { Principal } from "../../access/principal.ts";
import { Prisma, storable, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { appendEvents, ENGINE_ACTOR } from "../../history/events/event-writes.ts";
import { makerOf } from "../members/one-maker.ts";
import { unassignUnable } from "../members/unassign.ts";
import type { FourEyesProposal } from "./organization-schema.ts";

interface ProposalRow {
  id: string;
  by: unknown;
  at: Date;
  takesEffectAt: Date;
  /** The principal counts as one person with whoever proposed, or may be: anybody may hold a key of the command line. */
  same: boolean;
}

/** Begins the rule at once, which frees requests from those who may not accept them by it. Idempotent. */
export async function beginFourEyes(tx: Tx, { actor }: Principal): Promise<void> {
  const { count } = await tx.organization.updateMany({
    where: { id: tx.organizationId, fourEyes: false },
    data: { fourEyes: true },
  });
  if (count === 0) return;
  await unassignUnable(tx, null);
  await appendEvents(tx, [{ type: "organization.four_eyes_changed", actor, data: { fourEyes: true } }]);
}

/** Proposes the rule's end. Changes nothing without the rule, or where its end is proposed already. */
export async function proposeEnd(tx: Tx, principal: Principal): Promise<void> {
  const [rule] = await tx.$queryRaw<{ fourEyes: boolean }[]>`SELECT four_eyes AS "fourEyes" FROM organization
    WHERE id = ${tx.organizationId}::uuid FOR NO KEY UPDATE`;
  if (!rule?.fourEyes) return;
  const id = uuidv7();
  const [made] = await tx.$queryRaw<{ takesEffectAt: Date }[]>`
    INSERT INTO four_eyes_proposal (organization_id, id, proposed_by, proposer)
    VALUES (${tx.organizationId}::uuid, ${id}::uuid, ${storable(principal.actor)}::jsonb, ${makerOf(tx.organizationId, principal)})
    ON CONFLICT (organization_id) WHERE state = 'open' DO NOTHING RETURNING takes_effect_at AS "takesEffectAt"`;
  if (!made) return;
  const data = { proposalId: id, takesEffectAt: made.takesEffectAt.toISOString() };
  await appendEvents(tx, [{ type: "organization.four_eyes_end_proposed", actor: principal.actor, data }]);
}

/** Ends the rule at once, as a second person. Throws `same_maker` for whoever counts as one with the proposer. */
export async function acceptEnd(tx: Tx, principal: Principal): Promise<void> {
  const { userId, actor } = principal;
  if (userId === null) throw new AppError("forbidden", "Only a person can accept this, not an API key.");
  const proposal = await lockProposal(tx, principal);
  if (!proposal) throw notFound("proposal");
  if (proposal.same)
    throw new AppError(
      "same_maker",
      "You count as one person with the proposer, or the proposal was made with a key of the command line, which may be yours. It takes effect by itself, or when somebody else accepts.",
    );
  await tx.$executeRaw`UPDATE four_eyes_proposal SET state = 'accepted', accepter = ${userId}::uuid,
      decided_by = ${storable(actor)}::jsonb, decided_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${proposal.id}::uuid AND state = 'open'`;
  await endRule(tx, actor, proposal);
}

/** Withdraws the proposal: any owner, and whoever proposed it. */
export async function withdrawEnd(tx: Tx, principal: Principal): Promise<void> {
  const proposal = await lockProposal(tx, principal);
  if (!proposal) throw notFound("proposal");
  if (!mayWithdraw(principal, actorSchema.parse(proposal.by)))
    throw new AppError("forbidden", "Only an owner or the proposer can withdraw this.");
  const { actor } = principal;
  await tx.$executeRaw`UPDATE four_eyes_proposal SET state = 'withdrawn', decided_by = ${storable(actor)}::jsonb, decided_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${proposal.id}::uuid AND state = 'open'`;
  await appendEvents(tx, [
    { type: "organization.four_eyes_end_withdrawn", actor, data: { proposalId: proposal.id } },
  ]);
}

/** Ends the rule where a proposal is due. The engine's. */
export async function endWhenDue(tx: Tx): Promise<void> {
  const [due] = await tx.$queryRaw<Pick<ProposalRow, "id" | "by">[]>`
    UPDATE four_eyes_proposal SET state = 'in_effect', decided_by = ${storable(ENGINE_ACTOR)}::jsonb, decided_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND state = 'open' AND takes_effect_at <= now()
    RETURNING id, proposed_by AS by`;
  if (due) await endRule(tx, ENGINE_ACTOR, due);
}

/** Returns the open proposal as the principal sees it, or null. */
export async function readProposal(tx: Tx, principal: Principal): Promise<FourEyesProposal | null> {
  const found = await findProposal(tx, principal, false);
  if (!found) return null;
  const by = actorSchema.parse(found.by);
  return {
    by,
    at: found.at.toISOString(),
    takesEffectAt: found.takesEffectAt.toISOString(),
    mayAccept: principal.userId !== null && !principal.isView && !found.same,
    mayWithdraw: mayWithdraw(principal, by),
  };
}

async function endRule(tx: Tx, actor: Actor, { id, by }: Pick<ProposalRow, "id" | "by">): Promise<void> {
  await tx.organization.updateMany({
    where: { id: tx.organizationId, fourEyes: true },
    data: { fourEyes: false },
  });
  const data = { fourEyes: false, proposalId: id, proposedBy: actorWords(actorSchema.parse(by)) };
  await appendEvents(tx, [{ type: "organization.four_eyes_changed", actor, data }]);
}

/** Locks the organization first, as every change of the rule does, then the open proposal. */
async function lockProposal(tx: Tx, principal: Principal): Promise<ProposalRow | undefined> {
  await tx.$queryRaw`SELECT FROM organization WHERE id = ${tx.organizationId}::uuid FOR NO KEY UPDATE`;
  return findProposal(tx, principal, true);
}

async function findProposal(tx: Tx, principal: Principal, lock: boolean): Promise<ProposalRow | undefined> {
  const [row] = await tx.$queryRaw<ProposalRow[]>`
    SELECT p.id, p.proposed_by AS by, p.created_at AS at, p.takes_effect_at AS "takesEffectAt",
      p.proposer = p.organization_id OR same_maker(p.organization_id, p.proposer, ${makerOf(tx.organizationId, principal)}) AS same
    FROM four_eyes_proposal p WHERE p.organization_id = ${tx.organizationId}::uuid AND p.state = 'open'
    ${lock ? Prisma.sql`FOR UPDATE OF p` : Prisma.empty}`;
  return row;
}

function mayWithdraw({ role, actor, isView }: Principal, by: Actor): boolean {
  return !isView && (role === "owner" || (actor.kind === by.kind && actor.id === by.id));
}

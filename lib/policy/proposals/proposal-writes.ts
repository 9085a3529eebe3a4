/**
 * All writes to proposals, where changes of the policy need a second admin. The database refuses a change without an approved
 * one. The callers hold the organization's lock, which gives all changes an order.
 */

import { type Actor, actorSchema } from "../../access/access-schema.ts";
import { actorWords } from "../../access/actor-words.ts";
import type { Principal } from "../../access/principal.ts";
import { Prisma, storable, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { makerOf } from "../../people/members/one-maker.ts";
import type { GroupChange } from "../groups/group-schema.ts";
import type { Policy } from "../policy-schema.ts";
import type { GroupIds, People } from "../problems.ts";
import { openProposals, type ProposalRow } from "./proposal-reads.ts";

export interface Proposal {
  /** The version in force. */
  baseVersion: number;
  /** Null: to need no second admin any more. */
  policy: Policy | null;
  people: People | null;
  groups: GroupIds | null;
  /** Names of automatic rules that go live whatever their record says. */
  acknowledged: string[] | null;
  changes: Record<string, unknown>;
}

/** Proposes a change, in place of an earlier proposal of the same maker. Returns its id. */
export async function propose(
  tx: Tx,
  principal: Principal,
  { changes, ...proposal }: Proposal,
): Promise<string> {
  return store(tx, principal, { ...proposal, group: null }, changes);
}

/** As `propose`, of a change of a group that admins made. */
export async function proposeGroup(tx: Tx, principal: Principal, group: GroupChange): Promise<string> {
  const none = { baseVersion: 0, policy: null, people: null, groups: null, acknowledged: null };
  return store(tx, principal, { ...none, group }, { group });
}

async function store(
  tx: Tx,
  principal: Principal,
  proposal: Omit<Proposal, "changes"> & { group: GroupChange | null },
  changes: Record<string, unknown>,
): Promise<string> {
  const { actor } = principal;
  const { baseVersion, policy, people, groups, group, acknowledged } = proposal;
  const groupId = group?.id ?? null;
  // The operator's commands, and keys of them, are the organization's own.
  const proposer = Prisma.sql`coalesce(${makerOf(tx.organizationId, principal)}, ${tx.organizationId}::uuid)`;
  await end(
    tx,
    actor,
    "replaced",
    Prisma.sql`proposer = ${proposer} AND (policy IS NULL) = ${policy === null} AND group_id IS NOT DISTINCT FROM ${groupId}::uuid`,
  );
  const id = uuidv7();
  const json = (value: object | null) => (value === null ? null : JSON.stringify(storable(value)));
  await tx.$executeRaw`INSERT INTO policy_proposal (organization_id, id, base_version, policy, people, group_ids, group_id, group_change,
      acknowledged, proposed_by, proposer)
    VALUES (${tx.organizationId}::uuid, ${id}::uuid, ${baseVersion}::integer, ${json(policy)}::jsonb, ${json(people)}::jsonb,
      ${json(groups)}::jsonb, ${groupId}::uuid, ${json(group && storedChange(group))}::jsonb,
      ${json(acknowledged)}::jsonb, ${storable(actor)}::jsonb, ${proposer})`;
  await appendEvents(tx, [{ type: "policy.proposed", actor, data: { proposalId: id, ...changes } }]);
  return id;
}

/** With the ids of members as lists of their own, which the database compares. */
function storedChange(group: GroupChange) {
  const ids = (list: { id: string }[]) => list.map(({ id }) => id);
  return { ...group, add: ids(group.added), remove: ids(group.removed) };
}

/** Approves a proposal. Returns it. Throws `same_maker` for whoever counts as one with the proposer. */
export async function approve(tx: Tx, principal: Principal, id: string): Promise<ProposalRow> {
  const { userId, actor } = principal;
  if (userId === null) throw new AppError("forbidden", "Only a person can approve this, not an API key.");
  const [proposal] = await openProposals(tx, principal, id);
  if (!proposal) throw notFound("proposal");
  if (proposal.same)
    throw new AppError(
      "same_maker",
      `You count as one person with ${actorWords(actorSchema.parse(proposal.by))}, who proposed this. Another admin has to approve it.`,
    );
  await tx.$executeRaw`UPDATE policy_proposal SET state = 'approved', approver = ${userId}::uuid,
      decided_by = ${storable(actor)}::jsonb, decided_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid AND state = 'open'`;
  return proposal;
}

/** Withdraws a proposal: any admin may, since it leaves everything as it is. */
export async function withdrawProposal(tx: Tx, { actor }: Principal, id: string): Promise<void> {
  const ended = await end(tx, actor, "withdrawn", Prisma.sql`id = ${id}::uuid`);
  if (ended === 0) throw notFound("proposal");
}

/** Ends the proposals of changes to a policy that is not in force any more. */
export async function overtakeProposals(tx: Tx, actor: Actor): Promise<void> {
  await end(tx, actor, "overtaken", Prisma.sql`policy IS NOT NULL`);
}

/** Ends the proposals of changes to a group that is another one now. */
export async function overtakeGroupProposals(tx: Tx, actor: Actor, groupId: string): Promise<void> {
  await end(tx, actor, "overtaken", Prisma.sql`group_id = ${groupId}::uuid`);
}

/** Ends all proposals of changes, which need no second admin any more. */
export async function overtakeAll(tx: Tx, actor: Actor): Promise<void> {
  await end(tx, actor, "overtaken", Prisma.sql`(policy IS NOT NULL OR group_id IS NOT NULL)`);
}

/** Ends open proposals. Returns how many. */
async function end(
  tx: Tx,
  actor: Actor,
  state: "withdrawn" | "overtaken" | "replaced",
  which: Prisma.Sql,
): Promise<number> {
  const ended = await tx.$queryRaw<
    { id: string; by: unknown; group: string | null }[]
  >`UPDATE policy_proposal SET state = ${state},
      decided_by = ${storable(actor)}::jsonb, decided_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND state = 'open' AND ${which} RETURNING id, proposed_by AS by, group_change ->> 'name' AS group`;
  await appendEvents(
    tx,
    ended.map(({ id, by, group }) => ({
      type: "policy.proposal_ended",
      actor,
      data: {
        proposalId: id,
        as: state,
        proposedBy: actorWords(actorSchema.parse(by)),
        ...(group !== null && { group: { name: group } }),
      },
    })),
  );
  return ended.length;
}

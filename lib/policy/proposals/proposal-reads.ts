import { setImmediate as otherWork } from "node:timers/promises";
import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { makerOf } from "../../people/members/one-maker.ts";
import { isProven } from "../automatic/automatic-status.ts";
import { type Raised, raisedIn, readRecords } from "../automatic/going-live.ts";
import { changesOf, type WithPeople } from "../difference.ts";
import { withAddresses } from "../groups/group-reads.ts";
import { groupChangeSchema } from "../groups/group-schema.ts";
import { groupIdsSchema, peopleSchema, readPolicyWithPeople } from "../policy-reads.ts";
import { policyInputSchema } from "../policy-schema.ts";
import { withoutDefaults } from "../without-defaults.ts";
import type { PolicyProposals } from "./proposal-schema.ts";

export const namesSchema = z.array(z.string());

export interface ProposalRow {
  id: string;
  /** Null, as the group's change: to need no second admin any more. */
  policy: unknown;
  people: unknown;
  groups: unknown;
  /** The change of one group; null: it is about the policy. */
  group: unknown;
  /** Names of automatic rules that go live whatever their record says. */
  acknowledged: unknown;
  by: unknown;
  at: Date;
  /** The caller counts as one person with whoever proposed. */
  same: boolean;
}

/** The open proposals, oldest first; `id`: that one alone, locked. */
export async function openProposals(tx: Tx, principal: Principal, id: string | null): Promise<ProposalRow[]> {
  return tx.$queryRaw<ProposalRow[]>`
    SELECT p.id, p.policy, p.people, p.group_ids AS groups, p.group_change AS "group", p.acknowledged, p.proposed_by AS by, p.created_at AS at,
      same_maker(p.organization_id, p.proposer, ${makerOf(tx.organizationId, principal)}) AS same
    FROM policy_proposal p WHERE p.organization_id = ${tx.organizationId}::uuid AND p.state = 'open'
      ${id === null ? Prisma.empty : Prisma.sql`AND p.id = ${id}::uuid`}
    ORDER BY p.created_at, p.id ${id === null ? Prisma.empty : Prisma.sql`FOR UPDATE OF p`}`;
}

/** The open proposals as the principal sees them. */
export async function listPolicyProposals(tx: Tx, principal: Principal): Promise<PolicyProposals> {
  const rows = await openProposals(tx, principal, null);
  if (rows.length === 0) return { items: [] };
  const before = await readPolicyWithPeople(tx);
  const changes = rows.flatMap(({ group }) => (group === null ? [] : [groupChangeSchema.parse(group)]));
  const groups = await withAddresses(tx, changes);
  const read: Read[] = [];
  for (const row of rows) {
    read.push(readProposed(row, before));
    // Each may be as long as a policy may be.
    await otherWork();
  }
  const recordOf = await readRecords(
    tx,
    read.flatMap(({ raised }) => raised.map(({ fingerprint }) => fingerprint)),
  );
  const items: PolicyProposals["items"] = [];
  for (const { row, after, raised } of read) {
    const { id, by, at, same } = row;
    const group = row.group === null ? null : groups.shift()!;
    items.push({
      id,
      by: actorSchema.parse(by),
      at: at.toISOString(),
      policy: after && withoutDefaults(after.policy),
      group,
      acknowledged: raised
        .map(({ name, fingerprint }) => ({ name, ...recordOf(fingerprint) }))
        .filter((record) => !isProven(record)),
      changes: group ? { group } : proposedChanges(before, after),
      mayApprove: principal.userId !== null && !principal.isView && !same,
    });
    await otherWork();
  }
  return { items };
}

interface Read {
  row: ProposalRow;
  /** The proposed policy; null: it proposes something else. */
  after: WithPeople | null;
  /** Of the acknowledged rules, those that answer more than now. */
  raised: Raised[];
}

function readProposed(row: ProposalRow, before: WithPeople): Read {
  if (row.policy === null) return { row, after: null, raised: [] };
  const after = {
    policy: policyInputSchema.parse(row.policy),
    people: peopleSchema.parse(row.people),
    groups: groupIdsSchema.parse(row.groups ?? {}),
  };
  const names = namesSchema.parse(row.acknowledged ?? []);
  return { row, after, raised: raisedIn(before, after).filter(({ name }) => names.includes(name)) };
}

/** What a proposal would change, for screens and the history. */
export function proposedChanges(before: WithPeople, proposed: WithPeople | null): Record<string, unknown> {
  return proposed === null ? { twoPersonPolicy: false } : { ...changesOf(before, proposed) };
}

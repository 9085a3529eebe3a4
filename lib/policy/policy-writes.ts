/** The only writes to policies: the whole becomes a new version, which stays as it is. */

import { type Actor, actorSchema } from "../access/access-schema.ts";
import { actorWords } from "../access/actor-words.ts";
import { allows } from "../access/key-scope.ts";
import type { Principal } from "../access/principal.ts";
import { storable, type Tx } from "../base/db/db.ts";
import { AppError, type FieldError } from "../base/errors.ts";
import { appendEvents } from "../history/events/event-writes.ts";
import { canonicalJson } from "../mcp/forms/jcs.ts";
import { makerOf } from "../people/members/one-maker.ts";
import { type Authors, authorsOf, authorsSchema } from "./automatic/authors.ts";
import { frees, problemsOfRecords, raisedIn, readRecords } from "./automatic/going-live.ts";
import { lockAutomatic } from "./automatic/switch.ts";
import { allProblems, withPeople } from "./check.ts";
import { changesOf, type WithPeople } from "./difference.ts";
import { groupsNamed } from "./groups/group-reads.ts";
import { groupChangeSchema } from "./groups/group-schema.ts";
import { carryOut } from "./groups/group-writes.ts";
import {
  groupIdsSchema,
  lockRule,
  membersByAddress,
  peopleSchema,
  readPolicyWithPeople,
} from "./policy-reads.ts";
import { type Policy, policyInputSchema } from "./policy-schema.ts";
import { allOrganizationsGroups } from "./problems.ts";
import { namesSchema, proposedChanges } from "./proposals/proposal-reads.ts";
import { approve, overtakeAll, overtakeProposals, propose } from "./proposals/proposal-writes.ts";

/**
 * Replaces the policy, if `version` is still the one in force. Changes nothing if it is the same, with the same people. Requests
 * that were asked before keep the version of then. Where changes need a second admin it is proposed: returns the proposal's id.
 * `acknowledged`: the names of automatic rules that go live whatever their record says. Throws `version_changed`, `forbidden`, and
 * `invalid_input` with the place of each problem.
 */
export async function savePolicy(
  tx: Tx,
  principal: Principal,
  version: number,
  policy: Policy,
  acknowledged: string[] = [],
): Promise<{ proposalId: string | null }> {
  const needsTwo = await lockRule(tx);
  const change = await checked(tx, policy);
  if (change.version !== version)
    throw new AppError("version_changed", "Somebody has changed the policy meanwhile. Look at it again.", {
      extra: { version: change.version },
    });
  if (change.isSame) return { proposalId: null };
  await refuseUnprovenRules(tx, principal, change, acknowledged);
  if (needsTwo) {
    const { before, after } = change;
    const changes = proposedChanges(before, after);
    const proposal = { baseVersion: version, ...after, acknowledged, changes };
    return { proposalId: await propose(tx, principal, proposal) };
  }
  const [by] = await tx.$queryRaw<{ maker: string }[]>`
    SELECT coalesce(${makerOf(tx.organizationId, principal)}, ${tx.organizationId}::uuid) AS maker`;
  await store(tx, principal.actor, change, [by!.maker], {});
  return { proposalId: null };
}

/** Only an owner, in person, lets rules answer more than before, and only rules that people decided alike, or that they name. */
async function refuseUnprovenRules(
  tx: Tx,
  { actor, userId, role }: Principal,
  change: Change,
  acknowledged: string[],
): Promise<void> {
  const errors = await problemsOfLive(tx, change, acknowledged);
  if (errors === null) return;
  if (actor.kind !== "member" || userId === null || role !== "owner")
    throw new AppError(
      "forbidden",
      "Only an owner, in person, can set automatic rules live, or change rules that limit live ones. Any admin can stop all automatic answers, and remove the last live rules.",
    );
  if (errors.length > 0) throw new AppError("invalid_input", "The policy is not valid.", { errors });
}

/** The same once more when a proposal is to count: `role` is what its proposer is by now, null for who is no member. */
async function refuseUnprovenProposal(
  tx: Tx,
  { role, name }: { role: string | null; name: string },
  change: Change,
  acknowledged: string[],
): Promise<void> {
  const errors = await problemsOfLive(tx, change, acknowledged);
  if (errors === null) return;
  if (role !== "owner")
    throw new AppError(
      "version_changed",
      `With this change automatic rules answer more. Only an owner can propose that, and ${name} is no longer an owner. Propose it again.`,
    );
  if (errors.length > 0)
    throw new AppError(
      "version_changed",
      "People’s latest decisions differ from an automatic rule in it. Propose it again.",
    );
}

/** What speaks against rules that answer more by the change than before; null: none do. */
async function problemsOfLive(
  tx: Tx,
  { before, after }: Change,
  acknowledged: string[],
): Promise<FieldError[] | null> {
  const raised = raisedIn(before, after);
  if (raised.length === 0 && !frees(before, after)) return null;
  const recordOf = await readRecords(
    tx,
    raised.map(({ fingerprint }) => fingerprint),
  );
  return problemsOfRecords(raised, recordOf, acknowledged);
}

/**
 * Carries a proposal out as a second admin. Throws as `approve`, and `version_changed` if an address or group name in it now means
 * another person or group, a group can't be changed as proposed, or an automatic rule may not go live any more.
 */
export async function approveProposal(tx: Tx, principal: Principal, id: string): Promise<void> {
  const { actor } = principal;
  await lockRule(tx);
  const { policy, people, groups, group, acknowledged, by } = await approve(tx, principal, id);
  const proposedBy = actorWords(actorSchema.parse(by));
  if (group !== null) {
    const { proposer, role } = await proposerOf(tx, id);
    const approved = { proposalId: id, proposedBy, proposer, role };
    await carryOut(tx, principal, groupChangeSchema.parse(group), approved);
    return;
  }
  if (policy === null) {
    await tx.organization.updateMany({
      where: { id: tx.organizationId, twoPersonPolicy: true },
      data: { twoPersonPolicy: false },
    });
    await overtakeAll(tx, actor);
    await appendEvents(tx, [
      {
        type: "policy.two_person_changed",
        actor,
        data: { twoPersonPolicy: false, proposalId: id, proposedBy },
      },
    ]);
    return;
  }
  const change = await checked(tx, policyInputSchema.parse(policy));
  // Whom the second admin looked at is whom it means.
  const { after } = change;
  if (canonicalJson(after.people) !== canonicalJson(peopleSchema.parse(people)))
    throw new AppError("version_changed", "An address in it now means somebody else. Propose it again.");
  if (canonicalJson(after.groups) !== canonicalJson(groupIdsSchema.parse(groups ?? {})))
    throw new AppError(
      "version_changed",
      "The name of a group in it now means another group. Propose it again.",
    );
  const { proposer, approver, role } = await proposerOf(tx, id);
  await refuseUnprovenProposal(tx, { role, name: proposedBy }, change, namesSchema.parse(acknowledged ?? []));
  await store(tx, actor, change, [proposer, approver], { proposalId: id, proposedBy }, policy);
}

/** Of an approved proposal. `role`: the one of now, of a member who proposed in person. */
async function proposerOf(
  tx: Tx,
  id: string,
): Promise<{ proposer: string; approver: string; role: string | null }> {
  const [of] = await tx.$queryRaw<{ proposer: string; approver: string; role: string | null }[]>`
    SELECT p.proposer, p.approver, (SELECT m.role FROM membership m WHERE m.organization_id = p.organization_id
      AND p.proposed_by ->> 'kind' = 'member' AND m.user_id = p.proposer) AS role
    FROM policy_proposal p WHERE p.organization_id = ${tx.organizationId}::uuid AND p.id = ${id}::uuid`;
  return of!;
}

/**
 * Has changes of the policy need a second admin, at once, or proposes the end of that. For owners. Throws `invalid_input` where
 * nobody could approve.
 */
export async function requireTwo(tx: Tx, principal: Principal, twoPersonPolicy: boolean): Promise<void> {
  const { actor } = principal;
  if (!allows(principal, "owners:manage"))
    throw new AppError("forbidden", "Only an owner decides whether the policy needs a second admin.");
  if ((await lockRule(tx)) === twoPersonPolicy) return;
  if (!twoPersonPolicy) {
    const { version: baseVersion, before } = await inForce(tx);
    const changes = proposedChanges(before, null);
    const nothing = { policy: null, people: null, groups: null, acknowledged: null };
    await propose(tx, principal, { baseVersion, ...nothing, changes });
    return;
  }
  await refuseWithoutSecond(tx);
  await tx.organization.updateMany({ where: { id: tx.organizationId }, data: { twoPersonPolicy: true } });
  await appendEvents(tx, [{ type: "policy.two_person_changed", actor, data: { twoPersonPolicy: true } }]);
}

interface Change {
  /** The one in force. */
  version: number;
  before: WithPeople;
  after: WithPeople;
  isSame: boolean;
}

async function inForce(tx: Tx): Promise<{ version: number; before: WithPeople }> {
  const { version, policy, people, groups } = await readPolicyWithPeople(tx);
  return { version, before: { policy, people, groups } };
}

/** What saving this policy would change, and whom its addresses mean. Throws `invalid_input` with the place of each problem. */
export async function checked(tx: Tx, policy: Policy): Promise<Change> {
  const { version, before } = await inForce(tx);
  const members = await membersByAddress(tx);
  const meant = await groupsNamed(tx, allOrganizationsGroups(policy), before.groups);
  const errors = await allProblems(policy, members, before.people, meant);
  if (errors.length > 0) throw new AppError("invalid_input", "The policy is not valid.", { errors });
  const after = withPeople(policy, members, before.people, meant);
  // jsonb keeps members in an order of its own.
  return { version, before, after, isSame: canonicalJson(before) === canonicalJson(after) };
}

async function store(
  tx: Tx,
  actor: Actor,
  { version, before, after }: Change,
  /** Who answers for what changes of the automatic rules. */
  makers: string[],
  approved: { proposalId?: string; proposedBy?: string },
  // Of a proposal as it was approved, to the letter: the database compares.
  stored: unknown = after.policy,
): Promise<void> {
  const authors = await nextAuthors(tx, { version, before, after }, makers);
  await tx.policyVersion.create({
    data: {
      organizationId: tx.organizationId,
      version: version + 1,
      policy: storable(stored),
      people: storable(after.people),
      groupIds: storable(after.groups),
      madeBy: storable(actor),
      ...(authors && { automaticAuthors: storable(authors) }),
    },
  });
  await overtakeProposals(tx, actor);
  const data = { version: version + 1, ...approved, ...changesOf(before, after) };
  await appendEvents(tx, [{ type: "policy.changed", actor, data }]);
}

/** Returns the authors of the automatic rules, or null if there are none. From then on no answer by the earlier rules is recorded. */
async function nextAuthors(
  tx: Tx,
  { version, before, after }: Pick<Change, "version" | "before" | "after">,
  makers: string[],
): Promise<Authors | null> {
  if (!before.policy.automatic && !after.policy.automatic) return null;
  await lockAutomatic(tx);
  // Of all versions: a rule that was taken away and comes back is still who wrote it's.
  const rows = await tx.$queryRaw<{ authors: unknown }[]>`
    SELECT DISTINCT automatic_authors AS authors FROM policy_version
    WHERE organization_id = ${tx.organizationId}::uuid AND automatic_authors IS NOT NULL`;
  const earlier = rows.flatMap(({ authors }) => Object.values(authorsSchema.parse(authors)));
  return authorsOf(before, after, version + 1, makers, { earlier, frees: frees(before, after) });
}

/** Nobody could ever change the policy again. */
async function refuseWithoutSecond(tx: Tx): Promise<void> {
  const [found] = await tx.$queryRaw<
    { two: boolean }[]
  >`SELECT EXISTS (SELECT FROM membership one JOIN membership other
      ON other.organization_id = one.organization_id AND other.user_id > one.user_id AND other.role IN ('admin', 'owner')
    WHERE one.organization_id = ${tx.organizationId}::uuid AND one.role IN ('admin', 'owner')
      AND NOT same_maker(one.organization_id, one.user_id, other.user_id)) AS two`;
  if (found?.two) return;
  const message =
    "Nobody could approve a change: all admins count as one person. Make another member an admin, or vouch for one.";
  throw new AppError("invalid_input", message, { errors: [{ field: "twoPersonPolicy", message }] });
}

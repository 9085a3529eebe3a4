/**
 * The only writes to groups that admins make. Who is in one is looked up when somebody looks or votes, so that a change counts at once, also
 * for requests that are open. Where changes of the policy need a second admin, those of groups do too: the database refuses the detour.
 */
import type { Principal } from "../../access/principal.ts";
import { Prisma, storable, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { makerOf } from "../../people/members/one-maker.ts";
import { authorsSchema } from "../automatic/authors.ts";
import { lockRule, readPolicyWithPeople } from "../policy-reads.ts";
import { overtakeGroupProposals, proposeGroup } from "../proposals/proposal-writes.ts";
import { askingRules, mayFree } from "./conditions.ts";
import { usesOf, WITH_SUSPENDED } from "./group-reads.ts";
import {
  type CreateGroup,
  type GroupChange,
  MOST_MEMBERS,
  type Named,
  type UpdateGroup,
} from "./group-schema.ts";

/** Groups that admins may make, those that are proposed included. */
const MOST_GROUPS = 200;

/** A change that counts, or waits for a second admin: then its proposal's id. */
export interface Made {
  id: string;
  proposalId: string | null;
}

/** Throws `invalid_input` with the field, and `forbidden` as `settle`, as the others do. */
export async function createGroup(
  tx: Tx,
  principal: Principal,
  { name, members }: CreateGroup,
): Promise<Made> {
  const needsTwo = await lockRule(tx);
  const [{ proposed } = { proposed: 0 }] = await tx.$queryRaw<{ proposed: number }[]>`
    SELECT count(*)::integer AS proposed FROM policy_proposal p
    WHERE p.organization_id = ${tx.organizationId}::uuid AND p.state = 'open' AND p.group_change ->> 'what' = 'create'`;
  await refuseTooMany(tx, proposed);
  await refuseTakenName(tx, name, null);
  const added = await membersNamed(tx, members, "members");
  const change = { id: uuidv7(), what: "create" as const, name, was: null, added, removed: [] };
  return settle(tx, principal, change, needsTwo);
}

/** Changes nothing if it is so already. Throws `not_found`, `defined_by_directory`, and `invalid_input` with the field. */
export async function changeGroup(
  tx: Tx,
  principal: Principal,
  id: string,
  input: UpdateGroup,
): Promise<Made> {
  const needsTwo = await lockRule(tx);
  const group = await lockGroup(tx, id);
  const name = input.name ?? group.name;
  if (name !== group.name) await refuseTakenName(tx, name, id);
  const isIn = new Set(group.members.map((one) => one.id));
  const added = (await membersNamed(tx, input.add, "add", isIn)).filter(
    (one) => !isIn.has(one.id) && !input.remove.includes(one.id),
  );
  await membersNamed(tx, input.remove, "remove", isIn);
  const removed = group.members.filter((one) => input.remove.includes(one.id) && !input.add.includes(one.id));
  const gone = removed.filter((one) => !group.left.has(one.id)).length;
  if (group.members.length - group.left.size + added.length - gone > MOST_MEMBERS)
    throw invalid("add", `At most ${MOST_MEMBERS} people`);
  const was = name === group.name ? null : group.name;
  if (was === null && added.length + removed.length === 0) return { id, proposalId: null };
  return settle(tx, principal, { id, what: "change", name, was, added, removed }, needsTwo);
}

/** Throws `not_found`, `defined_by_directory`, and `group_in_use` where the policy in force names it, or a request that is not over does. */
export async function deleteGroup(tx: Tx, principal: Principal, id: string): Promise<Made> {
  const needsTwo = await lockRule(tx);
  const { name, members } = await lockGroup(tx, id);
  await refuseUsed(tx, id, name);
  const change = { id, what: "delete" as const, name, was: null, added: [], removed: members };
  return settle(tx, principal, change, needsTwo);
}

/**
 * Carries an approved change out, on the group as it is by now. `role`: what its `proposer` is by now, null for who did not propose in
 * person or is no member. Throws `version_changed` where it can't be what was approved.
 */
export async function carryOut(
  tx: Tx,
  principal: Principal,
  change: GroupChange,
  {
    role,
    proposer,
    ...approved
  }: { proposalId: string; proposedBy: string; proposer: string; role: string | null },
): Promise<void> {
  const { id, what, name } = change;
  if (await frees(tx, change)) {
    if (role !== "owner")
      throw new AppError(
        "version_changed",
        `With this change automatic rules may answer more. Only an owner can propose that, and ${approved.proposedBy} is no owner. Propose it again.`,
      );
    await refuseOwn(tx, change, Prisma.sql`${proposer}::uuid`);
    await refuseOwn(tx, change, makerOf(tx.organizationId, principal));
  }
  if (what !== "create") await lockGroup(tx, id);
  if (what === "create" || change.was !== null) await refuseTakenName(tx, name, id);
  if (what === "create") await refuseTooMany(tx, 0);
  if (what === "delete") await refuseUsed(tx, id, name);
  const { length } = await tx.membership.findMany({
    where: { organizationId: tx.organizationId, id: { in: change.added.map((one) => one.id) } },
    select: { id: true },
  });
  if (length < change.added.length)
    throw new AppError("version_changed", "Somebody in it has left by now. Propose it again.");
  await apply(tx, principal, change, approved);
}

/**
 * Makes the change count, or proposes it. Throws `forbidden` where live automatic rules may answer more by it: that is an owner's, as
 * with the policy's own groups, and of none whom it concerns.
 */
async function settle(tx: Tx, principal: Principal, change: GroupChange, needsTwo: boolean): Promise<Made> {
  const { actor, userId, role } = principal;
  const isOwner = actor.kind === "member" && userId !== null && role === "owner";
  if (await frees(tx, change)) {
    if (!isOwner)
      throw new AppError(
        "forbidden",
        "Only an owner, in person, can change this group while automatic rules are live: a condition of the policy may use it.",
      );
    await refuseOwn(tx, change, makerOf(tx.organizationId, principal));
  }
  if (needsTwo) return { id: change.id, proposalId: await proposeGroup(tx, principal, change) };
  await apply(tx, principal, change, {});
  return { id: change.id, proposalId: null };
}

async function frees(tx: Tx, { name, was }: GroupChange): Promise<boolean> {
  const { policy } = await readPolicyWithPeople(tx);
  return mayFree(policy, was === null ? [name] : [name, was]);
}

/**
 * Of the policy's own groups who changes one is an author of all live rules, which answer nothing that they ask for. Here nobody may
 * change what concerns themselves, unless they are an author of each anyway.
 */
async function refuseOwn(tx: Tx, { id, was, added, removed }: GroupChange, maker: Prisma.Sql): Promise<void> {
  const ids = [...added, ...removed].map((one) => one.id);
  const [own] = await tx.$queryRaw<
    { maker: string }[]
  >`SELECT ${maker} AS maker WHERE EXISTS (SELECT FROM ${WITH_SUSPENDED} m
    WHERE m.organization_id = ${tx.organizationId}::uuid AND (m.id = ANY (${ids}::uuid[]) OR ${was !== null} AND EXISTS (
        SELECT FROM organization_group_member g WHERE g.organization_id = m.organization_id AND g.group_id = ${id}::uuid AND g.member_id = m.id))
      AND same_maker(m.organization_id, m.user_id, ${maker}))`;
  if (!own) return;
  const { policy } = await readPolicyWithPeople(tx);
  const version = await tx.policyVersion.findFirst({
    where: { organizationId: tx.organizationId },
    orderBy: { version: "desc" },
    select: { automaticAuthors: true },
  });
  const authors = authorsSchema.parse(version?.automaticAuthors ?? {});
  const live = (policy.automatic ?? []).filter(({ mode }) => mode === "live");
  if (live.every(({ name }) => Object.hasOwn(authors, name) && authors[name]!.makers.includes(own.maker)))
    return;
  throw new AppError(
    "forbidden",
    "With this change, live automatic rules may answer requests of yours or of the proposer. Ask another owner to change the group, or set the rules to shadow first.",
  );
}

async function apply(
  tx: Tx,
  { actor }: Principal,
  { id, what, name, was, added, removed }: GroupChange,
  approved: { proposalId?: string; proposedBy?: string },
): Promise<void> {
  const { organizationId } = tx;
  const ids = (list: Named[]) => list.map((one) => one.id);
  const changed = { name, changedAt: new Date(), changedBy: storable(actor) };
  if (what === "create") await tx.organizationGroup.create({ data: { organizationId, id, ...changed } });
  if (what === "change") {
    await tx.organizationGroup.updateMany({ where: { organizationId, id }, data: changed });
    await tx.organizationGroupMember.deleteMany({
      where: { organizationId, groupId: id, memberId: { in: ids(removed) } },
    });
  }
  // Its members go with it.
  if (what === "delete") await tx.organizationGroup.deleteMany({ where: { organizationId, id } });
  await tx.organizationGroupMember.createMany({
    data: ids(added).map((memberId) => ({ organizationId, groupId: id, memberId })),
    skipDuplicates: true,
  });
  await overtakeGroupProposals(tx, actor, id);
  const data = { groupId: id, name, ...(was !== null && { was }), added, removed, ...approved };
  await appendEvents(tx, [{ type: TYPES[what], actor, data }]);
}

const TYPES = { create: "group.created", change: "group.changed", delete: "group.deleted" } as const;

/** The group, which votes of its members wait for, or it for them (`judgeVoter`). `left`: who of them is no member any more, for good. */
async function lockGroup(tx: Tx, id: string): Promise<{ name: string; members: Named[]; left: Set<string> }> {
  const [group] = await tx.$queryRaw<{ name: string }[]>`SELECT name FROM organization_group
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid FOR NO KEY UPDATE`;
  if (!group) {
    if ((await tx.directoryGroup.count({ where: { organizationId: tx.organizationId, id } })) === 0)
      throw notFound("group");
    throw new AppError("defined_by_directory", "This group is the directory’s: change it there.");
  }
  const rows = await tx.$queryRaw<
    (Named & { isHere: boolean })[]
  >`SELECT g.member_id AS id, coalesce(u.name, 'Somebody who left') AS name, m.id IS NOT NULL AS "isHere"
    FROM organization_group_member g LEFT JOIN ${WITH_SUSPENDED} m ON m.organization_id = g.organization_id AND m.id = g.member_id
      LEFT JOIN "user" u ON u.id = m.user_id
    WHERE g.organization_id = ${tx.organizationId}::uuid AND g.group_id = ${id}::uuid ORDER BY lower(u.name), g.member_id`;
  const left = new Set(rows.filter(({ isHere }) => !isHere).map(({ id }) => id));
  return { name: group.name, members: rows.map(({ id, name }) => ({ id, name })), left };
}

/** The members of these ids. Throws at the place of one whom there is not, unless they are in the group: who has left. */
async function membersNamed(
  tx: Tx,
  ids: string[],
  field: string,
  isIn = new Set<string>(),
): Promise<Named[]> {
  const found = await tx.$queryRaw<
    Named[]
  >`SELECT m.id, u.name FROM membership m JOIN "user" u ON u.id = m.user_id
    WHERE m.organization_id = ${tx.organizationId}::uuid AND m.id = ANY (${ids}::uuid[]) ORDER BY lower(u.name), m.id`;
  const known = new Set([...isIn, ...found.map((one) => one.id)]);
  const at = ids.findIndex((id) => !known.has(id));
  if (at !== -1) throw invalid(`${field}.${at}`, "Nobody here has this id. Use a member’s");
  return found;
}

async function refuseTooMany(tx: Tx, proposed: number): Promise<void> {
  const count = await tx.organizationGroup.count({ where: { organizationId: tx.organizationId } });
  if (count + proposed >= MOST_GROUPS) throw invalid("name", `At most ${MOST_GROUPS} groups`);
}

/** Names are what a policy says: one of the directory's would never be found. */
async function refuseTakenName(tx: Tx, name: string, but: string | null): Promise<void> {
  const same = Prisma.sql`organization_id = ${tx.organizationId}::uuid AND id IS DISTINCT FROM ${but}::uuid`;
  const [taken] = await tx.$queryRaw<{ directory: boolean }[]>`
    SELECT false AS directory FROM organization_group WHERE ${same} AND lower(name) = lower(${name})
    UNION ALL SELECT true FROM directory_group WHERE ${same} AND lower(display_name) = lower(${name})`;
  if (taken)
    throw invalid(
      "name",
      taken.directory ? "A group of the directory has this name" : "Another group has this name",
    );
}

/** Its stages would be nobody's. */
async function refuseUsed(tx: Tx, id: string, name: string): Promise<void> {
  const { policy, groups } = await readPolicyWithPeople(tx);
  const [use] = usesOf(policy, groups).get(id) ?? [];
  if (use)
    throw new AppError(
      "group_in_use",
      `The policy names ${name}: rule “${use.rule}”, stage “${use.stage}”. Change the policy first.`,
    );
  const [asking] = askingRules(policy)(name);
  if (asking !== undefined)
    throw new AppError(
      "group_in_use",
      `The policy asks who is in ${name}: the condition of rule “${asking}”. Change the policy first.`,
    );
  // Requests keep the stages that they were asked with, also while an answer may be undone or asked for again.
  const [{ live } = { live: 0 }] = await tx.$queryRaw<{ live: number }[]>`
    SELECT count(*)::integer AS live FROM input_request r JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
    WHERE r.organization_id = ${tx.organizationId}::uuid
      AND (r.state IN ('open', 'answered') OR (r.state = 'undeliverable' AND t.finished_at IS NULL))
      AND jsonb_path_exists(r.approval, '$.stages.**.id ? (@ == $group)', jsonb_build_object('group', ${id}::text))`;
  if (live > 0)
    throw new AppError(
      "group_in_use",
      live === 1
        ? `An unfinished request has a stage for ${name}. Decide it, or apply the current policy to it first.`
        : `${live} unfinished requests have a stage for ${name}. Decide them, or apply the current policy to them first.`,
    );
}

function invalid(field: string, message: string): AppError {
  return new AppError("invalid_input", message, { errors: [{ field, message }] });
}

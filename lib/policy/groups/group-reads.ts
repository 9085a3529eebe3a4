/** Reads of an organization's groups: those that admins made, and the directory's. */
import { actorSchema } from "../../access/access-schema.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import { readPolicyWithPeople } from "../policy-reads.ts";
import type { Policy } from "../policy-schema.ts";
import type { GroupIds, MeantGroup } from "../problems.ts";
import { askingRules } from "./conditions.ts";
import { type Group, type GroupChange, MOST_MEMBERS, type ProposedGroupChange } from "./group-schema.ts";

/** SQL: who is in which group, by the id of the membership. Who is suspended or has left has none. */
export const IN_GROUPS = Prisma.sql`(SELECT made.organization_id, made.group_id, made.member_id FROM organization_group_member made
  UNION ALL SELECT given.organization_id, given.group_id, given.person_id FROM directory_group_member given)`;

/** SQL: all groups. Of two of one name the one that admins made is meant. */
const ALL_GROUPS = Prisma.sql`(SELECT made.organization_id, made.id, made.name, 'organization' AS origin, made.changed_at, made.changed_by
    FROM organization_group made
  UNION ALL SELECT given.organization_id, given.id, given.display_name, 'directory', NULL, NULL FROM directory_group given)`;

/** SQL: everybody who may be in a group: who is suspended is in it again once they are reinstated. */
export const WITH_SUSPENDED = Prisma.sql`(SELECT here.organization_id, here.id, here.user_id, here.role, false AS suspended FROM membership here
  UNION ALL SELECT gone.organization_id, gone.id, gone.user_id, gone.role, true FROM suspended_member gone)`;

/** Members shown of a group of the directory, which may have thousands. */
const SHOWN_OF_DIRECTORY = 20;

/** The groups by name, those that admins made first. */
export async function listGroups(tx: Tx): Promise<Group[]> {
  return readGroups(tx, Prisma.empty);
}

/** Throws `not_found`. */
export async function readGroup(tx: Tx, id: string): Promise<Group> {
  const [group] = await readGroups(tx, Prisma.sql`AND g.id = ${id}::uuid`);
  if (!group) throw notFound("group");
  return group;
}

/** Adds the addresses of those whom the changes are about. */
export async function withAddresses(tx: Tx, changes: GroupChange[]): Promise<ProposedGroupChange[]> {
  const ids = changes.flatMap(({ added, removed }) => [...added, ...removed].map(({ id }) => id));
  if (ids.length === 0) return changes.map((change) => ({ ...change, added: [], removed: [] }));
  const rows = await tx.$queryRaw<
    { id: string; email: string }[]
  >`SELECT m.id, u.email FROM ${WITH_SUSPENDED} m JOIN "user" u ON u.id = m.user_id
    WHERE m.organization_id = ${tx.organizationId}::uuid AND m.id = ANY (${ids}::uuid[])`;
  const emails = new Map(rows.map(({ id, email }) => [id, email]));
  const addressed = (people: GroupChange["added"]) =>
    people.map((one) => ({ ...one, email: emails.get(one.id) ?? null }));
  return changes.map((change) => ({
    ...change,
    added: addressed(change.added),
    removed: addressed(change.removed),
  }));
}

async function readGroups(tx: Tx, which: Prisma.Sql): Promise<Group[]> {
  const rows = await tx.$queryRaw<
    (Omit<Group, "usedIn" | "askedIn" | "changedAt" | "changedBy"> & {
      changedAt: Date | null;
      changedBy: unknown;
    })[]
  >`
    SELECT g.id, g.name, g.origin, g.changed_at AS "changedAt", g.changed_by AS "changedBy", its.size, its.members
    FROM ${ALL_GROUPS} g CROSS JOIN LATERAL (
      SELECT (count(*) FILTER (WHERE NOT p.suspended))::integer AS size,
        coalesce(json_agg(json_build_object('id', p.id, 'userId', p.user_id, 'name', p.name, 'role', p.role, 'suspended', p.suspended)
          ORDER BY p.place) FILTER (WHERE p.place <= CASE g.origin WHEN 'directory' THEN ${SHOWN_OF_DIRECTORY}::integer ELSE ${MOST_MEMBERS}::integer END),
          '[]') AS members
      FROM (SELECT m.id, m.user_id, u.name, m.role, m.suspended, row_number() OVER (ORDER BY m.suspended, lower(u.name), m.id) AS place
        FROM ${IN_GROUPS} i JOIN ${WITH_SUSPENDED} m ON m.organization_id = i.organization_id AND m.id = i.member_id
          JOIN "user" u ON u.id = m.user_id
        WHERE i.organization_id = g.organization_id AND i.group_id = g.id) p) its
    WHERE g.organization_id = ${tx.organizationId}::uuid ${which}
    ORDER BY g.origin DESC, lower(g.name), g.id`;
  if (rows.length === 0) return [];
  const { policy, groups } = await readPolicyWithPeople(tx);
  const asking = askingRules(policy);
  const uses = usesOf(policy, groups);
  return rows.map(({ changedAt, changedBy, ...row }) => ({
    ...row,
    usedIn: uses.get(row.id) ?? [],
    askedIn: asking(row.name),
    changedAt: changedAt?.toISOString() ?? null,
    changedBy: changedBy === null ? null : actorSchema.parse(changedBy),
  }));
}

/** The stages of a policy that name groups, by the id of the group. Pure; looks at each name once. */
export function usesOf(
  { rules, groups: own }: { rules: { name: string; stages: NamingStage[] }[]; groups: Policy["groups"] },
  ids: GroupIds,
): ReadonlyMap<string, Group["usedIn"]> {
  const uses = new Map<string, Group["usedIn"]>();
  for (const { name: rule, stages } of rules)
    for (const { name: stage, approvers, escalate } of stages)
      for (const { how, groups } of [
        { how: "approvers" as const, groups: approvers.groups },
        { how: "escalation" as const, groups: escalate?.to.groups ?? [] },
      ])
        for (const as of groups) {
          const id = !Object.hasOwn(own, as) && Object.hasOwn(ids, as) ? ids[as] : undefined;
          if (id === undefined) continue;
          const places = uses.get(id);
          if (places) places.push({ rule, stage, how, as });
          else uses.set(id, [{ rule, stage, how, as }]);
        }
  return uses;
}

interface NamingStage {
  name: string;
  approvers: { groups: string[] };
  escalate: { to: { groups: string[] } } | null;
}

/** Who is in the groups that a version of the policy means, by the name that it has for each. */
export async function peopleIn(tx: Tx, groups: GroupIds): Promise<Record<string, string[]>> {
  const ids = Object.values(groups);
  if (ids.length === 0) return {};
  const rows = await tx.$queryRaw<{ id: string; people: string[] }[]>`
    SELECT i.group_id AS id, array_agg(m.user_id::text) AS people FROM ${IN_GROUPS} i
      JOIN membership m ON m.organization_id = i.organization_id AND m.id = i.member_id
    WHERE i.organization_id = ${tx.organizationId}::uuid AND i.group_id = ANY (${ids}::uuid[]) GROUP BY i.group_id`;
  const people = new Map(rows.map((row) => [row.id, row.people]));
  return Object.fromEntries(Object.entries(groups).map(([name, id]) => [name, people.get(id) ?? []]));
}

/**
 * Which groups of the organization these names mean, by name. `before`: what they meant in the version in force, which they go on to mean
 * where no group has the name: it was renamed, or the directory has deleted it, so that it has nobody.
 */
export async function groupsNamed(
  tx: Tx,
  names: string[],
  before: GroupIds,
): Promise<Record<string, MeantGroup>> {
  if (names.length === 0) return {};
  const known = names.flatMap((name) => (Object.hasOwn(before, name) ? [before[name]!] : []));
  const found = await tx.$queryRaw<(MeantGroup & { name: string })[]>`
    SELECT g.id, g.name, ARRAY(SELECT m.user_id::text FROM ${IN_GROUPS} i
      JOIN membership m ON m.organization_id = i.organization_id AND m.id = i.member_id
      WHERE i.organization_id = g.organization_id AND i.group_id = g.id) AS people
    FROM ${ALL_GROUPS} g WHERE g.organization_id = ${tx.organizationId}::uuid
      AND (g.name = ANY (${names}::text[]) OR g.id = ANY (${known}::uuid[])) ORDER BY g.origin DESC, g.id`;
  const byId = new Map(found.map((each) => [each.id, each]));
  // Of two of one name the first one is meant.
  const byName = new Map(found.toReversed().map((each) => [each.name, each]));
  return Object.fromEntries(
    names.flatMap((name) => {
      const id = Object.hasOwn(before, name) ? before[name]! : null;
      const group = byName.get(name) ?? (id === null ? undefined : (byId.get(id) ?? { id, people: [] }));
      return group ? [[name, { id: group.id, people: group.people }]] : [];
    }),
  );
}

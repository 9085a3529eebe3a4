/** Reads of groups, as the directory has them and for the screen. */
import { Prisma, type Tx } from "../../base/db/db.ts";
import { type DirectoryGroup, mappedRoleSchema } from "./directory-schema.ts";
import { IS_KNOWN, type Resource } from "./people.ts";
import { type Attribute, conditionOf } from "./scim/conditions.ts";
import { GROUP_SCHEMA } from "./scim/discovery.ts";
import { resourceNotFound } from "./scim/error.ts";
import type { Filter } from "./scim/filter.ts";

export interface GroupRow {
  id: string;
  display_name: string;
  external_id: string | null;
  version: number;
  created_at: Date;
  updated_at: Date;
  /** Null: not asked for. */
  members: string[] | null;
}

/** Members who are gone, or whom the directory deleted, are none. */
const KNOWN_MEMBERS = Prisma.sql`FROM directory_group_member gm
  JOIN directory_person p ON p.organization_id = gm.organization_id AND p.id = gm.person_id
  WHERE gm.organization_id = g.organization_id AND gm.group_id = g.id AND ${IS_KNOWN}`;

function columns(withMembers: boolean): Prisma.Sql {
  const members = Prisma.sql`(SELECT coalesce(json_agg(gm.person_id ORDER BY gm.person_id), '[]') ${KNOWN_MEMBERS})`;
  return Prisma.sql`g.id, g.display_name, g.external_id, g.version, g.created_at, g.updated_at,
    ${withMembers ? members : Prisma.sql`NULL::json`} AS members`;
}

function attributesOf(organizationId: string): ReadonlyMap<string, Attribute> {
  const members: Attribute = {
    kind: "part",
    sql: Prisma.sql`gm.person_id::text`,
    exists: (condition) => Prisma.sql`EXISTS (SELECT FROM directory_group_member gm
      WHERE gm.organization_id = ${organizationId}::uuid AND gm.group_id = g.id AND ${condition})`,
  };
  return new Map<string, Attribute>([
    ["id", { kind: "exact", sql: Prisma.sql`g.id::text` }],
    ["displayname", { kind: "text", sql: Prisma.sql`g.display_name` }],
    ["externalid", { kind: "exact", sql: Prisma.sql`g.external_id` }],
    ["members", members],
    ["members.value", members],
    ["meta.created", { kind: "time", sql: Prisma.sql`g.created_at` }],
    ["meta.lastmodified", { kind: "time", sql: Prisma.sql`g.updated_at` }],
  ]);
}

/** Members of a page of groups: it ends before a group that would bring more, unless that is its first one. */
const MOST_MEMBERS = 50_000;

/** A page of groups, as `listPeople`; shorter than was asked where its groups are large. */
export async function listGroups(
  tx: Tx,
  {
    filter,
    offset,
    count,
    withMembers,
  }: { filter: Filter | null; offset: number; count: number; withMembers: boolean },
): Promise<{ total: number; rows: GroupRow[] }> {
  const own = Prisma.sql`g.organization_id = ${tx.organizationId}::uuid
    AND ${filter ? conditionOf(filter, attributesOf(tx.organizationId)) : Prisma.sql`true`}`;
  const [all] = await tx.$queryRaw<
    { total: bigint }[]
  >`SELECT count(*) AS total FROM directory_group g WHERE ${own}`;
  const total = Number(all?.total ?? 0);
  if (count === 0 || offset >= total) return { total, rows: [] };
  const page = Prisma.sql`SELECT * FROM directory_group g
    WHERE ${own} ORDER BY g.created_at, g.id LIMIT ${count} OFFSET ${offset}`;
  const upTo = Prisma.sql`sum((SELECT count(*) FROM directory_group_member m
    WHERE m.organization_id = g.organization_id AND m.group_id = g.id)) OVER (ORDER BY g.created_at, g.id)`;
  const fits = withMembers
    ? Prisma.sql`(SELECT g.*, ${upTo} AS members_so_far, row_number() OVER (ORDER BY g.created_at, g.id) AS place FROM (${page}) g)`
    : Prisma.sql`(SELECT g.*, 0 AS members_so_far, 1 AS place FROM (${page}) g)`;
  const rows = await tx.$queryRaw<GroupRow[]>`SELECT ${columns(withMembers)} FROM ${fits} g
    WHERE g.place = 1 OR g.members_so_far <= ${MOST_MEMBERS} ORDER BY g.created_at, g.id`;
  return { total, rows };
}

/** Throws 404. */
export async function readGroup(tx: Tx, id: string, withMembers = true): Promise<GroupRow> {
  const [row] = await tx.$queryRaw<GroupRow[]>`SELECT ${columns(withMembers)} FROM directory_group g
    WHERE g.organization_id = ${tx.organizationId}::uuid AND g.id = ${id}::uuid`;
  if (!row) throw resourceNotFound();
  return row;
}

export function toGroup(row: GroupRow, base: string): Resource {
  return {
    schemas: [GROUP_SCHEMA],
    id: row.id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    displayName: row.display_name,
    ...(row.members && {
      members: row.members.map((id) => ({ value: id, $ref: `${base}/Users/${id}`, type: "User" })),
    }),
    meta: {
      resourceType: "Group",
      created: row.created_at.toISOString(),
      lastModified: row.updated_at.toISOString(),
      location: `${base}/Groups/${row.id}`,
      version: `W/"${row.version}"`,
    },
  };
}

/** All groups by name, for the screen where roles are given to them. */
export async function listMappedGroups(tx: Tx): Promise<DirectoryGroup[]> {
  const rows = await tx.$queryRaw<{ id: string; name: string; role: string | null; members: bigint }[]>`
    SELECT g.id, g.display_name AS name, g.role, (SELECT count(*) ${KNOWN_MEMBERS}) AS members
    FROM directory_group g WHERE g.organization_id = ${tx.organizationId}::uuid ORDER BY lower(g.display_name), g.id`;
  return rows.map(({ role, members, ...group }) => ({
    ...group,
    role: mappedRoleSchema.nullable().parse(role),
    members: Number(members),
  }));
}

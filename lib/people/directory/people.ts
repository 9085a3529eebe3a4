/** Reads of people as a directory sees them: members, suspended ones, and those who did not join yet. */
import { createHash } from "node:crypto";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { type Attribute, conditionOf } from "./scim/conditions.ts";
import { USER_SCHEMA } from "./scim/discovery.ts";
import { resourceNotFound } from "./scim/error.ts";
import type { Filter } from "./scim/filter.ts";
import type { PersonInput } from "./scim/person-input.ts";

/**
 * All people of an organization whom a directory may see. `state`: `waiting` and `inactive` have not joined. Reads the
 * accounts of members alone, so that an address that is no member's is answered as one that nobody has.
 */
export function peopleOf(organizationId: string): Prisma.Sql {
  const id = Prisma.sql`${organizationId}::uuid`;
  return Prisma.sql`(SELECT x.id, x.state, x.cause, x.role, x.user_id, u.email AS address,
      coalesce(p.user_name, u.email) AS user_name, p.external_id, p.given_name, p.family_name, p.formatted_name,
      p.display_name, coalesce(p.display_name, p.formatted_name, nullif(concat_ws(' ', p.given_name, p.family_name), ''),
        u.name) AS shown_name,
      x.state IN ('active', 'waiting') AS active, coalesce(p.role_from_groups, false) AS role_from_groups,
      coalesce(p.created_at, x.at) AS created_at, greatest(p.updated_at, x.changed_at) AS updated_at
    FROM (SELECT m.id, 'active' AS state, NULL AS cause, m.role, m.user_id, m.created_at AS at, m.created_at AS changed_at
        FROM membership m WHERE m.organization_id = ${id}
      UNION ALL SELECT s.id, 'suspended', s.cause, s.role, s.user_id, s.joined_at, s.suspended_at
        FROM suspended_member s WHERE s.organization_id = ${id}
      UNION ALL SELECT w.id, CASE WHEN w.active THEN 'waiting' ELSE 'inactive' END, NULL, NULL, NULL, w.created_at,
          w.updated_at
        FROM directory_person w WHERE w.organization_id = ${id} AND w.joined_at IS NULL) x
    LEFT JOIN "user" u ON u.id = x.user_id
    LEFT JOIN directory_person p ON p.organization_id = ${id} AND p.id = x.id
    WHERE x.state <> 'suspended' OR p.deleted_at IS NULL)`;
}

/** Condition: the row `p` of directory_person is of somebody in `peopleOf`, and not of one who left or was deleted. */
export const IS_KNOWN = Prisma.sql`(p.joined_at IS NULL
  OR EXISTS (SELECT FROM membership m WHERE m.organization_id = p.organization_id AND m.id = p.id)
  OR (p.deleted_at IS NULL AND EXISTS (SELECT FROM suspended_member s
    WHERE s.organization_id = p.organization_id AND s.id = p.id)))`;

export interface PersonRow {
  id: string;
  state: "active" | "suspended" | "waiting" | "inactive";
  cause: "admin" | "directory" | null;
  role: string | null;
  /** The account's address; null: has not joined. */
  address: string | null;
  user_name: string;
  external_id: string | null;
  given_name: string | null;
  family_name: string | null;
  formatted_name: string | null;
  display_name: string | null;
  shown_name: string | null;
  active: boolean;
  role_from_groups: boolean;
  created_at: Date;
  updated_at: Date;
  groups: { id: string; name: string }[];
}

const COLUMNS = (organizationId: string) => Prisma.sql`x.*, (SELECT coalesce(json_agg(
    json_build_object('id', g.id, 'name', g.display_name) ORDER BY g.display_name, g.id), '[]')
  FROM directory_group_member gm JOIN directory_group g ON g.organization_id = gm.organization_id AND g.id = gm.group_id
  WHERE gm.organization_id = ${organizationId}::uuid AND gm.person_id = x.id) AS groups`;

/** The attributes of a filter, by path in lower case. */
function attributesOf(organizationId: string): ReadonlyMap<string, Attribute> {
  const text = (sql: Prisma.Sql): Attribute => ({ kind: "text", sql });
  const address = text(Prisma.sql`x.user_name`);
  return new Map<string, Attribute>([
    ["id", { kind: "exact", sql: Prisma.sql`x.id::text` }],
    ["username", address],
    ["externalid", { kind: "exact", sql: Prisma.sql`x.external_id` }],
    ["displayname", text(Prisma.sql`x.shown_name`)],
    ["name.givenname", text(Prisma.sql`x.given_name`)],
    ["name.familyname", text(Prisma.sql`x.family_name`)],
    ["name.formatted", text(Prisma.sql`coalesce(x.formatted_name, x.shown_name)`)],
    ["emails", address],
    ["emails.value", address],
    ["emails.type", text(Prisma.sql`'work'::text`)],
    ["emails.primary", { kind: "boolean", sql: Prisma.sql`true` }],
    ["active", { kind: "boolean", sql: Prisma.sql`x.active` }],
    ["meta.created", { kind: "time", sql: Prisma.sql`x.created_at` }],
    ["meta.lastmodified", { kind: "time", sql: Prisma.sql`x.updated_at` }],
    ["groups", groups(organizationId)],
    ["groups.value", groups(organizationId)],
  ]);
}

function groups(organizationId: string): Attribute {
  return {
    kind: "part",
    sql: Prisma.sql`gm.group_id::text`,
    exists: (condition) => Prisma.sql`EXISTS (SELECT FROM directory_group_member gm
      WHERE gm.organization_id = ${organizationId}::uuid AND gm.person_id = x.id AND ${condition})`,
  };
}

/** Groups of a page of people: it ends before somebody who would bring more, unless that is its first one. */
const MOST_GROUPS = 20_000;

/**
 * A page of people in a fixed order, oldest first, and how many there are in all; shorter than was asked where they are in many groups.
 * Throws `invalidFilter`.
 */
export async function listPeople(
  tx: Tx,
  { filter, offset, count }: { filter: Filter | null; offset: number; count: number },
): Promise<{ total: number; rows: PersonRow[] }> {
  const { organizationId } = tx;
  const condition = filter ? conditionOf(filter, attributesOf(organizationId)) : Prisma.sql`true`;
  const [all] = await tx.$queryRaw<
    { total: bigint }[]
  >`SELECT count(*) AS total FROM ${peopleOf(organizationId)} x
    WHERE ${condition}`;
  const total = Number(all?.total ?? 0);
  if (count === 0 || offset >= total) return { total, rows: [] };
  const upTo = Prisma.sql`sum((SELECT count(*) FROM directory_group_member m
    WHERE m.organization_id = ${organizationId}::uuid AND m.person_id = x.id)) OVER (ORDER BY x.created_at, x.id)`;
  const rows = await tx.$queryRaw<
    (PersonRow & { groups_so_far: unknown; place: unknown })[]
  >`SELECT ${COLUMNS(organizationId)} FROM (SELECT x.*, ${upTo} AS groups_so_far, row_number() OVER (ORDER BY x.created_at, x.id) AS place
      FROM (SELECT * FROM ${peopleOf(organizationId)} x WHERE ${condition} ORDER BY x.created_at, x.id LIMIT ${count} OFFSET ${offset}) x) x
    WHERE x.place = 1 OR x.groups_so_far <= ${MOST_GROUPS} ORDER BY x.created_at, x.id`;
  return { total, rows };
}

/** Throws 404. */
export async function readPerson(tx: Tx, id: string): Promise<PersonRow> {
  const [row] = await tx.$queryRaw<
    PersonRow[]
  >`SELECT ${COLUMNS(tx.organizationId)} FROM ${peopleOf(tx.organizationId)} x
    WHERE x.id = ${id}::uuid`;
  if (!row) throw resourceNotFound();
  return row;
}

/** What the directory would say of a person whom it leaves as they are. */
export function inputOf(row: PersonRow): PersonInput {
  return {
    userName: row.user_name,
    externalId: row.external_id,
    givenName: row.given_name,
    familyName: row.family_name,
    formattedName: row.formatted_name,
    displayName: row.display_name,
    active: row.active,
  };
}

export interface Resource extends Record<string, unknown> {
  id: string;
  meta: { resourceType: string; created: string; lastModified: string; location: string; version: string };
}

/** A person as a SCIM user. An attribute that is empty is left out. */
export function toUser(row: PersonRow, base: string): Resource {
  const { given_name: givenName, family_name: familyName } = row;
  const formatted = row.formatted_name ?? row.shown_name;
  const user = {
    schemas: [USER_SCHEMA],
    id: row.id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    userName: row.user_name,
    ...(row.shown_name !== null && {
      name: {
        ...(formatted && { formatted }),
        ...(familyName && { familyName }),
        ...(givenName && { givenName }),
      },
      displayName: row.shown_name,
    }),
    active: row.active,
    emails: [{ value: row.user_name, type: "work", primary: true }],
    groups: row.groups.map(({ id, name }) => ({
      value: id,
      $ref: `${base}/Groups/${id}`,
      display: name,
      type: "direct",
    })),
  };
  const digest = createHash("sha256").update(JSON.stringify(user)).digest("base64url").slice(0, 16);
  return {
    ...user,
    meta: {
      resourceType: "User",
      created: row.created_at.toISOString(),
      lastModified: row.updated_at.toISOString(),
      location: `${base}/Users/${row.id}`,
      version: `W/"${digest}"`,
    },
  };
}

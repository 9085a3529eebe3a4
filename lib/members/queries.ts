import { may } from "../access/permissions.ts";
import type { Principal } from "../access/principal.ts";
import { ROLES } from "../access/roles.ts";
import { roleSchema } from "../access/schema.ts";
import { readPosition, toPage } from "../base/cursor.ts";
import type { Tx } from "../base/db/db.ts";
import { Prisma } from "../base/db/db.ts";
import { containing } from "../base/db/search.ts";
import { notFound } from "../base/errors.ts";
import type { Page } from "../base/page.ts";
import type { Answerer, Member, MemberQuery } from "./schema.ts";

/** Lists members, first joined first. */
export async function listMembers(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  query: MemberQuery,
): Promise<Page<Member>> {
  const after = readPosition(query.cursor);
  const at = after?.createdAt.toISOString();
  const pattern = containing(query.q ?? "");
  const rows = await tx.$queryRaw<
    CountedRow[]
  >`${counted(principal)} WHERE m.organization_id = ${organizationId}::uuid
    ${query.q ? Prisma.sql`AND (u.name ILIKE ${pattern} OR u.email ILIKE ${pattern})` : Prisma.empty}
    ${after ? Prisma.sql`AND (m.created_at, m.id) > (${at}::timestamptz, ${after.id}::uuid)` : Prisma.empty}
    ORDER BY m.created_at, m.id LIMIT ${query.limit + 1}`;
  return toPage(rows, query.limit, (row) => row, toMember(organizationId));
}

/** Throws `not_found`. */
export async function readMember(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  memberId: string,
): Promise<Member> {
  const [row] = await tx.$queryRaw<CountedRow[]>`${counted(principal)}
    WHERE m.organization_id = ${organizationId}::uuid AND m.id = ${memberId}::uuid`;
  if (!row) throw notFound("member");
  return toMember(organizationId)(row);
}

/** A longer list does not help to find one person; more letters of the name do. */
const MOST_ANSWERERS = 50;

/** Lists members who may answer, by name; `q` is part of a name or an e-mail address. */
export async function listAnswerers(organizationId: string, tx: Tx, q?: string): Promise<Answerer[]> {
  const pattern = containing(q ?? "");
  const roles = ROLES.filter((role) => may(role, "requests:answer"));
  const rows = await tx.$queryRaw<MemberRow[]>`${SELECT} WHERE m.organization_id = ${organizationId}::uuid
    AND m.role = ANY(${roles}::text[]) AND (u.name ILIKE ${pattern} OR u.email ILIKE ${pattern})
    ORDER BY lower(u.name), m.id LIMIT ${MOST_ANSWERERS}`;
  return rows.map(({ id, userId, name, role }) => ({ id, userId, name, role: roleSchema.parse(role) }));
}

const SELECT = Prisma.sql`SELECT m.id, m.user_id AS "userId", u.name, u.email, m.role, m.created_at AS "createdAt"
  FROM membership m JOIN "user" u ON u.id = m.user_id`;

interface MemberRow {
  id: string;
  userId: string;
  name: string;
  email: string;
  role: string;
  createdAt: Date;
}

/** With who counts as one person with the member, and whether the principal, an owner, may vouch for them. */
const counted = ({
  userId,
  role,
  isView,
}: Principal) => Prisma.sql`SELECT m.id, m.user_id AS "userId", u.name, u.email, m.role,
    m.created_at AS "createdAt", maker.first, first.name AS "firstName",
    (SELECT v.name FROM "user" v WHERE v.id = k.vouched_by) AS "vouchedBy", k.vouched_at AS "vouchedAt",
    ${userId !== null && role === "owner" && !isView} AND k.invited_by IS NOT NULL AND k.vouched_at IS NULL
      AND NOT same_maker(m.organization_id, m.user_id, ${userId}::uuid) AS "mayVouch"
  FROM membership m JOIN "user" u ON u.id = m.user_id
    LEFT JOIN maker k ON k.organization_id = m.organization_id AND k.user_id = m.user_id
    CROSS JOIN LATERAL (SELECT maker_of(m.organization_id, m.user_id) AS first) maker
    LEFT JOIN "user" first ON first.id = maker.first`;

interface CountedRow extends MemberRow {
  first: string;
  firstName: string | null;
  vouchedBy: string | null;
  vouchedAt: Date | null;
  mayVouch: boolean;
}

const toMember =
  (organizationId: string) =>
  ({ first, firstName, vouchedBy, vouchedAt, ...row }: CountedRow): Member => ({
    ...row,
    role: roleSchema.parse(row.role),
    createdAt: row.createdAt.toISOString(),
    countsWith: countsWith(organizationId, row.userId, first, firstName),
    vouchedBy: vouchedAt && (vouchedBy ?? FORMER),
  });

/** Stands for somebody whose name may not be read any more. */
const FORMER = "a former member";

function countsWith(
  organizationId: string,
  userId: string,
  first: string,
  name: string | null,
): Member["countsWith"] {
  if (first === userId) return null;
  return first === organizationId
    ? { id: null, name: "the command line" }
    : { id: first, name: name ?? FORMER };
}

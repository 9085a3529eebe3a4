import { may } from "../access/permissions.ts";
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
export async function listMembers(organizationId: string, tx: Tx, query: MemberQuery): Promise<Page<Member>> {
  const after = readPosition(query.cursor);
  const at = after?.createdAt.toISOString();
  const pattern = containing(query.q ?? "");
  const rows = await tx.$queryRaw<MemberRow[]>`${SELECT} WHERE m.organization_id = ${organizationId}::uuid
    ${query.q ? Prisma.sql`AND (u.name ILIKE ${pattern} OR u.email ILIKE ${pattern})` : Prisma.empty}
    ${after ? Prisma.sql`AND (m.created_at, m.id) > (${at}::timestamptz, ${after.id}::uuid)` : Prisma.empty}
    ORDER BY m.created_at, m.id LIMIT ${query.limit + 1}`;
  return toPage(rows, query.limit, (row) => row, toMember);
}

/** Throws `not_found`. */
export async function readMember(organizationId: string, tx: Tx, memberId: string): Promise<Member> {
  const [row] = await tx.$queryRaw<MemberRow[]>`${SELECT}
    WHERE m.organization_id = ${organizationId}::uuid AND m.id = ${memberId}::uuid`;
  if (!row) throw notFound("member");
  return toMember(row);
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

function toMember(row: MemberRow): Member {
  return { ...row, role: roleSchema.parse(row.role), createdAt: row.createdAt.toISOString() };
}

import { actorSchema, roleSchema } from "../../access/access-schema.ts";
import { actorWords } from "../../access/actor-words.ts";
import { may } from "../../access/permissions.ts";
import type { Principal } from "../../access/principal.ts";
import { ROLES } from "../../access/roles.ts";
import { readPosition, toPage } from "../../base/cursor.ts";
import type { Tx } from "../../base/db/db.ts";
import { Prisma } from "../../base/db/db.ts";
import { containing } from "../../base/db/search.ts";
import { notFound } from "../../base/errors.ts";
import type { Page } from "../../base/page.ts";
import type { Answerer, Member, MemberQuery, MemberSession } from "./member-schema.ts";
import { refuseUnlessOwner } from "./member-writes.ts";
import { tellApart } from "./person-name.ts";

/** Lists members, first joined first, or those who are suspended, first suspended first. */
export async function listMembers(tx: Tx, principal: Principal, query: MemberQuery): Promise<Page<Member>> {
  const after = readPosition(query.cursor);
  const at = after?.createdAt.toISOString();
  const pattern = containing(query.q ?? "");
  const of = query.state === "suspended" ? SUSPENDED : IN_FORCE;
  const rows = await tx.$queryRaw<
    CountedRow[]
  >`${counted(principal, of)} WHERE m.organization_id = ${tx.organizationId}::uuid
    ${query.q ? Prisma.sql`AND (u.name ILIKE ${pattern} OR u.email ILIKE ${pattern})` : Prisma.empty}
    ${after ? Prisma.sql`AND (${of.position}, m.id) > (${at}::timestamptz, ${after.id}::uuid)` : Prisma.empty}
    ORDER BY ${of.position}, m.id LIMIT ${query.limit + 1}`;
  const positionOf = (row: CountedRow) => ({ id: row.id, createdAt: row.suspendedAt ?? row.createdAt });
  return toPage(rows, query.limit, positionOf, toMember(tx.organizationId));
}

/** Throws `not_found`, also for a suspended one. */
export async function readMember(tx: Tx, principal: Principal, memberId: string): Promise<Member> {
  return readOne(tx, principal, memberId, IN_FORCE);
}

/** Throws `not_found`, also for one who is not suspended. */
export async function readSuspended(tx: Tx, principal: Principal, memberId: string): Promise<Member> {
  return readOne(tx, principal, memberId, SUSPENDED);
}

async function readOne(tx: Tx, principal: Principal, memberId: string, of: Source) {
  const [row] = await tx.$queryRaw<CountedRow[]>`${counted(principal, of)}
    WHERE m.organization_id = ${tx.organizationId}::uuid AND m.id = ${memberId}::uuid`;
  if (!row) throw notFound("member");
  return toMember(tx.organizationId)(row);
}

/**
 * Lists a member's sessions that work in this organization now, newest first. Throws `not_found`, and `forbidden` for an
 * owner's as an admin.
 */
export async function listMemberSessions(
  tx: Tx,
  principal: Principal,
  memberId: string,
  idleMs: number,
): Promise<MemberSession[]> {
  const { userId, role } = await readMember(tx, principal, memberId);
  if (role === "owner") refuseUnlessOwner(principal);
  const rows = await tx.$queryRaw<SessionRow[]>`SELECT id, method, user_agent AS "userAgent", address, agent,
      created_at AS "createdAt", last_seen_at AS "lastSeenAt", expires_at AS "expiresAt"
    FROM gate.sessions_and_agents_in(${tx.organizationId}::uuid, ${userId}::uuid, ${idleMs}::bigint)`;
  return rows.map(({ createdAt, lastSeenAt, expiresAt, ...row }) => ({
    ...row,
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }));
}

interface SessionRow {
  id: string;
  method: string;
  userAgent: string | null;
  address: string | null;
  agent: string | null;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
}

/** A longer list does not help to find one person; more letters of the name do. */
const MOST_ANSWERERS = 50;

/**
 * Lists members who may answer, by name; `q` is part of a name or an e-mail address. `narrowed`: a condition on the
 * membership `m`.
 */
export async function listAnswerers(tx: Tx, q?: string, narrowed = Prisma.sql`true`): Promise<Answerer[]> {
  const pattern = containing(q ?? "");
  const roles = ROLES.filter((role) => may(role, "requests:answer"));
  const rows = await tx.$queryRaw<MemberRow[]>`${SELECT} WHERE m.organization_id = ${tx.organizationId}::uuid
    AND m.role = ANY(${roles}::text[]) AND (u.name ILIKE ${pattern} OR u.email ILIKE ${pattern})
    AND ${narrowed} ORDER BY lower(u.name), m.id LIMIT ${MOST_ANSWERERS}`;
  return tellApart(
    rows.map(({ id, userId, name, email, role }) => ({
      id,
      userId,
      name,
      email,
      role: roleSchema.parse(role),
    })),
  );
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

/** Where members stand, and by when they are listed. */
interface Source {
  position: Prisma.Sql;
  columns: Prisma.Sql;
  table: Prisma.Sql;
}
const IN_FORCE: Source = {
  position: Prisma.sql`m.created_at`,
  columns: Prisma.sql`m.created_at AS "createdAt", NULL::timestamptz AS "suspendedAt", NULL::jsonb AS "suspendedBy",
    NULL::text AS cause`,
  table: Prisma.sql`membership`,
};
const SUSPENDED: Source = {
  position: Prisma.sql`m.suspended_at`,
  columns: Prisma.sql`m.joined_at AS "createdAt", m.suspended_at AS "suspendedAt", m.suspended_by AS "suspendedBy",
    m.cause`,
  table: Prisma.sql`suspended_member`,
};

/**
 * Condition: somebody else is behind the member `m` for whom an owner can answer: who invited them, or who held a SAML
 * provider that is gone. `k` is the member's maker.
 */
export const CAN_BE_VOUCHED = Prisma.sql`(k.invited_by IS NOT NULL AND k.vouched_at IS NULL OR EXISTS (
  SELECT FROM saml_maker s WHERE s.organization_id = m.organization_id AND s.user_id = m.user_id
    AND NOT EXISTS (SELECT FROM saml_provider p WHERE p.organization_id = s.organization_id AND p.id = s.provider_id)))`;

/**
 * With who counts as one person with the member, whether the address is proved (in a demonstration nothing is to prove),
 * and whether the principal, an owner, may vouch for them.
 */
const counted = (
  { userId, role, isView }: Principal,
  { columns, table }: Source,
) => Prisma.sql`SELECT m.id, m.user_id AS "userId", u.name, u.email, m.role, u.proven_at IS NOT NULL OR place.demo AS proven,
    ${columns}, maker.first, first.name AS "firstName",
    (SELECT v.name FROM "user" v WHERE v.id = k.vouched_by) AS "vouchedBy", k.vouched_at AS "vouchedAt",
    ${userId !== null && role === "owner" && !isView} AND ${CAN_BE_VOUCHED}
      AND NOT same_maker(m.organization_id, m.user_id, ${userId}::uuid) AS "mayVouch"
  FROM ${table} m JOIN "user" u ON u.id = m.user_id
    JOIN organization place ON place.id = m.organization_id
    LEFT JOIN maker k ON k.organization_id = m.organization_id AND k.user_id = m.user_id
    CROSS JOIN LATERAL (SELECT coalesce(nullif(maker_of(m.organization_id, m.user_id), m.user_id),
      (SELECT behind FROM unnest(makers_behind(m.organization_id, m.user_id)) behind WHERE behind <> m.user_id
        ORDER BY behind LIMIT 1), m.user_id) AS first) maker
    LEFT JOIN "user" first ON first.id = maker.first`;

interface CountedRow extends MemberRow {
  first: string;
  firstName: string | null;
  vouchedBy: string | null;
  vouchedAt: Date | null;
  mayVouch: boolean;
  proven: boolean;
  suspendedAt: Date | null;
  suspendedBy: unknown;
  cause: "admin" | "directory" | null;
}

const toMember =
  (organizationId: string) =>
  ({
    first,
    firstName,
    vouchedBy,
    vouchedAt,
    suspendedAt,
    suspendedBy,
    cause,
    ...row
  }: CountedRow): Member => ({
    ...row,
    mayVouch: row.mayVouch && suspendedAt === null,
    suspended: suspendedAt &&
      cause && { at: suspendedAt.toISOString(), by: actorWords(actorSchema.parse(suspendedBy)), cause },
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

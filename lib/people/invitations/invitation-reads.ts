import { roleSchema } from "../../access/access-schema.ts";
import type { Role } from "../../access/roles.ts";
import { readPosition, toPage } from "../../base/cursor.ts";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import { hashSecret } from "../../base/ids.ts";
import type { Page, PageQuery } from "../../base/page.ts";
import type { Invitation } from "./invitation-schema.ts";

/** Lists invitations that were neither accepted nor revoked, oldest first. */
export async function listInvitations(tx: Tx, query: PageQuery): Promise<Page<Invitation>> {
  const after = readPosition(query.cursor);
  const at = after?.createdAt.toISOString();
  const rows = await tx.$queryRaw<
    Row[]
  >`${SELECT} WHERE i.organization_id = ${tx.organizationId}::uuid AND ${OPEN}
    ${after ? Prisma.sql`AND (i.created_at, i.id) > (${at}::timestamptz, ${after.id}::uuid)` : Prisma.empty}
    ORDER BY i.created_at, i.id LIMIT ${query.limit + 1}`;
  return toPage(rows, query.limit, (row) => row, toInvitation);
}

/** Throws `not_found`, also for an accepted or revoked invitation. */
export async function readInvitation(tx: Tx, id: string): Promise<Invitation> {
  const [row] = await tx.$queryRaw<Row[]>`${SELECT}
    WHERE i.organization_id = ${tx.organizationId}::uuid AND i.id = ${id}::uuid AND ${OPEN}`;
  if (!row) throw notFound("invitation");
  return toInvitation(row);
}

/** The facts that the holder of a valid link may know. */
export interface FoundInvitation {
  organizationId: string;
  organizationName: string;
  email: string;
  role: Role;
  inviter: string | null;
  /** The link was mailed, and shown to nobody: who has it reads the mail of the address. */
  mailed: boolean;
}

/** Returns null for a link that is wrong, used, revoked or expired, without telling which. */
export async function findInvitation(db: Database, token: string): Promise<FoundInvitation | null> {
  const [row] = await db.gate<Omit<FoundInvitation, "role"> & { role: string }>(
    Prisma.sql`SELECT organization_id AS "organizationId", organization_name AS "organizationName", email, role,
      inviter, mailed FROM gate.open_invitation(${hashSecret(token)})`,
  );
  return row ? { ...row, role: roleSchema.parse(row.role) } : null;
}

const SELECT = Prisma.sql`SELECT i.id, i.email, i.role, u.id AS "inviterId", u.name AS "inviterName",
  i.created_at AS "createdAt", i.expires_at AS "expiresAt", i.mailed,
  i.expires_at <= now() OR NOT (i.by_directory OR inviter_may(i.organization_id, i.invited_by, i.role)) AS expired
  FROM invitation i LEFT JOIN "user" u ON u.id = i.invited_by`;

const OPEN = Prisma.sql`i.accepted_at IS NULL AND i.revoked_at IS NULL`;

interface Row {
  id: string;
  email: string;
  role: string;
  inviterId: string | null;
  inviterName: string | null;
  createdAt: Date;
  expiresAt: Date;
  mailed: boolean;
  expired: boolean;
}

function toInvitation({ inviterId, inviterName, ...row }: Row): Invitation {
  return {
    ...row,
    role: roleSchema.parse(row.role),
    invitedBy: inviterId && inviterName ? { id: inviterId, name: inviterName } : null,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
  };
}

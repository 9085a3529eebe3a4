import { roleSchema } from "../../access/access-schema.ts";
import { roleAllows } from "../../access/roles.ts";
import { readPosition, toPage } from "../../base/cursor.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import type { Page, PageQuery } from "../../base/page.ts";
import type { ServiceAccount } from "./service-account-schema.ts";

/** Lists service accounts that were not deleted, oldest first. */
export async function listServiceAccounts(tx: Tx, query: PageQuery): Promise<Page<ServiceAccount>> {
  const after = readPosition(query.cursor);
  const at = after?.createdAt.toISOString();
  const rows = await tx.$queryRaw<Row[]>`${SELECT}
    WHERE a.organization_id = ${tx.organizationId}::uuid AND a.deleted_at IS NULL
    ${after ? Prisma.sql`AND (a.created_at, a.id) > (${at}::timestamptz, ${after.id}::uuid)` : Prisma.empty}
    ORDER BY a.created_at, a.id LIMIT ${query.limit + 1}`;
  return toPage(rows, query.limit, (row) => row, toServiceAccount);
}

/** Throws `not_found`, also for a deleted one. */
export async function readServiceAccount(tx: Tx, id: string): Promise<ServiceAccount> {
  const [row] = await tx.$queryRaw<Row[]>`${SELECT}
    WHERE a.organization_id = ${tx.organizationId}::uuid AND a.id = ${id}::uuid AND a.deleted_at IS NULL`;
  if (!row) throw notFound("service account");
  return toServiceAccount(row);
}

const SELECT = Prisma.sql`SELECT a.id, a.name, a.description, a.role, a.rested_at AS "restedAt",
    a.created_at AS "createdAt", m.id AS "ownerId", m.role AS "ownerRole", u.name AS "ownerName",
    (SELECT count(*)::integer FROM api_key k WHERE k.organization_id = a.organization_id
      AND k.service_account_id = a.id AND k.revoked_at IS NULL) AS keys
  FROM service_account a
    LEFT JOIN membership m ON m.organization_id = a.organization_id AND m.user_id = a.owner_id
    LEFT JOIN "user" u ON u.id = m.user_id`;

interface Row {
  id: string;
  name: string;
  description: string;
  role: string;
  restedAt: Date | null;
  createdAt: Date;
  ownerId: string | null;
  ownerRole: string | null;
  ownerName: string | null;
  keys: number;
}

function toServiceAccount(row: Row): ServiceAccount {
  const { id, name, description, ownerId, ownerName, keys } = row;
  return {
    id,
    name,
    description,
    role: roleSchema.parse(row.role),
    owner: ownerId !== null && ownerName !== null ? { id: ownerId, name: ownerName } : null,
    suspended: suspendedFor(row),
    keys,
    createdAt: row.createdAt.toISOString(),
  };
}

/** As `service_account_rests` and `gate.key_behind` judge, with the reason. */
function suspendedFor({ role, restedAt, ownerRole }: Row): ServiceAccount["suspended"] {
  if (ownerRole === null) return "owner_gone";
  if (!roleAllows(roleSchema.parse(ownerRole), roleSchema.parse(role))) return "owner_too_weak";
  return restedAt ? "by_admin" : null;
}

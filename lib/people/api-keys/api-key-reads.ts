import { roleSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { readPosition, toPage } from "../../base/cursor.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import type { Page, PageQuery } from "../../base/page.ts";
import { type ApiKey, permissionSchema } from "./api-key-schema.ts";
import { stateOf } from "./api-key-status.ts";

/** Lists keys that were not revoked, oldest first; those that have ended too. */
export async function listKeys(tx: Tx, query: PageQuery): Promise<Page<ApiKey>> {
  const after = readPosition(query.cursor);
  const at = after?.createdAt.toISOString();
  const rows = await tx.$queryRaw<
    KeyRow[]
  >`${SELECT} WHERE k.organization_id = ${tx.organizationId}::uuid AND ${SHOWN}
    ${after ? Prisma.sql`AND (k.created_at, k.id) > (${at}::timestamptz, ${after.id}::uuid)` : Prisma.empty}
    ORDER BY k.created_at, k.id LIMIT ${query.limit + 1}`;
  return toPage(rows, query.limit, (row) => row, toKey);
}

/** Throws `not_found`, also for a revoked key. */
export async function readKey(tx: Tx, keyId: string): Promise<ApiKey> {
  const [row] = await tx.$queryRaw<KeyRow[]>`${SELECT}
    WHERE k.organization_id = ${tx.organizationId}::uuid AND k.id = ${keyId}::uuid AND ${SHOWN}`;
  if (!row) throw notFound("key");
  return toKey(row);
}

/**
 * Returns the person whose membership a principal's new keys depend on, and who counts as the inviter of whom the
 * principal invites, or null for the command line. Throws `forbidden` for a service account: several people are behind
 * it, and whatever it made would count with one of them alone (docs/decisions/044).
 */
export async function memberBehind(tx: Tx, principal: Principal): Promise<string | null> {
  if (principal.userId) return principal.userId;
  const key = await tx.apiKey.findFirst({
    where: { organizationId: tx.organizationId, id: principal.actor.id ?? "" },
    select: { createdBy: true, serviceAccountId: true },
  });
  if (key?.serviceAccountId)
    throw new AppError("forbidden", "A service account makes no keys and invites nobody: people do.");
  return key?.createdBy ?? null;
}

/**
 * SQL condition: the key `k` was not revoked and has not ended, and whose it is has it still: a maker who is a member,
 * or a service account that does not rest.
 */
export const IN_FORCE = Prisma.sql`(k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
  AND CASE WHEN k.service_account_id IS NOT NULL THEN NOT service_account_rests(k.organization_id, k.service_account_id)
    ELSE k.created_by IS NULL OR EXISTS (SELECT FROM membership maker
      WHERE maker.organization_id = k.organization_id AND maker.user_id = k.created_by) END)`;

/** SQL: the role of the service account of the key `k`, which bounds the key's own; null for a key of its maker's. */
export const ACCOUNT_ROLE = Prisma.sql`(SELECT a.role FROM service_account a
  WHERE a.organization_id = k.organization_id AND a.id = k.service_account_id)`;

/** The servers that the key's limits name, removed ones too. */
const NAMED_SERVERS = Prisma.sql`(SELECT coalesce(json_agg(json_build_object('id', s.id, 'name', s.name) ORDER BY s.name, s.id), '[]')
  FROM server s WHERE s.organization_id = k.organization_id
    AND (s.id = ANY (k.servers) OR s.id::text = ANY (SELECT split_part(tool, '/', 1) FROM unnest(k.tools) tool)))`;

const SELECT = Prisma.sql`SELECT k.id, k.name, k.role, k.created_by AS "makerId", u.name AS "makerName",
  a.id AS "accountId", a.name AS "accountName",
  k.created_at AS "createdAt", k.expires_at AS "expiresAt", k.previous_until AS "previousUntil",
  k.rotated_at AS "rotatedAt", k.networks, k.permissions,
  ${NAMED_SERVERS} AS "namedServers", k.servers, k.tools, k.last_used_at AS "lastUsedAt", k.last_used_network AS "lastUsedNetwork",
  k.last_used_agent AS "lastUsedAgent", now() FROM api_key k LEFT JOIN "user" u ON u.id = k.created_by
    LEFT JOIN service_account a ON a.organization_id = k.organization_id AND a.id = k.service_account_id`;

/** A key of its maker's own ends with the maker's membership, which makes the maker invisible here. */
const SHOWN = Prisma.sql`k.revoked_at IS NULL AND (k.created_by IS NULL OR u.id IS NOT NULL OR a.id IS NOT NULL)`;

interface KeyRow {
  id: string;
  name: string;
  role: string;
  makerId: string | null;
  makerName: string | null;
  accountId: string | null;
  accountName: string | null;
  createdAt: Date;
  expiresAt: Date | null;
  previousUntil: Date | null;
  rotatedAt: Date | null;
  networks: string[];
  permissions: string[] | null;
  namedServers: { id: string; name: string }[];
  servers: string[];
  tools: string[];
  lastUsedAt: Date | null;
  lastUsedNetwork: string | null;
  lastUsedAgent: string | null;
  now: Date;
}

function toKey(row: KeyRow): ApiKey {
  const { expiresAt, previousUntil, now } = row;
  const state = stateOf(row, now);
  return {
    id: row.id,
    name: row.name,
    role: roleSchema.parse(row.role),
    createdBy: row.makerId ? { id: row.makerId, name: row.makerName ?? "a former member" } : null,
    serviceAccount: row.accountId && row.accountName ? { id: row.accountId, name: row.accountName } : null,
    createdAt: row.createdAt.toISOString(),
    state,
    expiresAt: expiresAt?.toISOString() ?? null,
    previousUntil: state === "rotated" && previousUntil ? previousUntil.toISOString() : null,
    rotatedAt: row.rotatedAt?.toISOString() ?? null,
    networks: row.networks,
    permissions: row.permissions?.map((permission) => permissionSchema.parse(permission)) ?? null,
    reach: toReach(row),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    lastUsedNetwork: row.lastUsedNetwork,
    lastUsedAgent: row.lastUsedAgent,
  };
}

function toReach({ servers, tools, namedServers }: KeyRow): ApiKey["reach"] {
  if (servers.length === 0 && tools.length === 0) return null;
  const named = new Map(namedServers.map((server) => [server.id, server]));
  const serverOf = (id: string) => named.get(id) ?? { id, name: id };
  return {
    servers: servers.map(serverOf),
    tools: tools.map((tool) => {
      const at = tool.indexOf("/");
      return { server: serverOf(tool.slice(0, at)), name: tool.slice(at + 1) };
    }),
  };
}

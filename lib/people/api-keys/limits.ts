/** What bounds a key that is made, opened or rotated, and the lock that its writes take. */

import { keepsFromKeys } from "../../access/key-scope.ts";
import { may, type Permission } from "../../access/permissions.ts";
import type { Principal } from "../../access/principal.ts";
import type { Role } from "../../access/roles.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import type { CreateKeyInput } from "./api-key-schema.ts";

/** The prefix of every key, so that scanners for leaked secrets recognise it. */
export const PREFIX = "itk_";

const DAY_MS = 24 * 3600_000;
/** The longest life of a key where keys must end: a year, and a day for other time zones. */
const LONGEST_LIFE_MS = 366 * DAY_MS;

type End = NonNullable<CreateKeyInput["expires"]>;
type Limits = Pick<CreateKeyInput, "expires" | "networks" | "permissions"> &
  Partial<Pick<CreateKeyInput, "role">>;

/**
 * Returns the limits of a key that the principal makes or opens. A key passes on no more than it has itself: what is
 * not named it hands down, and what is more is refused. People are limited by their role alone.
 */
export async function withinOwn<T extends Limits>(tx: Tx, principal: Principal, asked: T): Promise<T> {
  if (principal.actor.kind !== "key") return asked;
  const own = await tx.apiKey.findFirstOrThrow({
    where: { organizationId: tx.organizationId, id: principal.actor.id ?? "" },
  });
  const permissions = principal.scope?.permissions;
  const { networks, expiresAt } = own;
  const isMore =
    asked.permissions?.some((permission) => keepsFromKeys(principal, permission)) ||
    (networks.length > 0 && asked.networks && !isListed(asked.networks, networks)) ||
    (expiresAt && asked.expires !== undefined && endsAfter(asked.expires, expiresAt));
  if (isMore) throw new AppError("forbidden", "A key can’t make a key with more rights than its own.");
  return {
    ...asked,
    ...(permissions && !asked.permissions && { permissions: permissions.filter(isOf(asked.role)) }),
    ...(networks.length > 0 && !asked.networks && { networks }),
    ...(expiresAt && asked.expires === undefined && { expires: expiresAt.toISOString() }),
  };
}

/** Of what a key hands down, only what a weaker role has. */
const isOf = (role: Role | undefined) => (permission: Permission) =>
  role === undefined || may(role, permission);

/** Whether all networks stand in a list as they are; an empty list stands for every network. */
function isListed(networks: string[], among: string[]): boolean {
  return networks.length > 0 && networks.every((network) => among.includes(network));
}

function endsAfter(expires: End, end: Date): boolean {
  if (expires === "never") return true;
  const at = typeof expires === "number" ? Date.now() + expires * DAY_MS : Date.parse(expires);
  return at > end.getTime();
}

/** Throws `invalid_input` for an action that the key's role does not have. */
export function refuseBeyondRole(role: Role, permissions: Permission[] | undefined): void {
  const beyond = permissions?.find((permission) => !may(role, permission));
  if (beyond) throw refused("permissions", `The role ${role} does not have ${beyond}`);
}

export async function refuseUnknownServers(tx: Tx, servers: string[]): Promise<void> {
  if (servers.length === 0) return;
  const known = await tx.server.count({
    where: { organizationId: tx.organizationId, id: { in: servers }, removedAt: null, builtin: false },
  });
  if (known < servers.length) throw notFound("server");
}

/** Returns when a key ends, or null for never. Throws `invalid_input` for a time that is over or too far away. */
export async function endOf(tx: Tx, expires: End, now: Date): Promise<Date | null> {
  if (typeof expires === "number") return new Date(now.getTime() + expires * DAY_MS);
  const end = expires === "never" ? null : new Date(expires);
  if (end && end <= now) throw refused("expires", "Choose a time in the future");
  if (end && end.getTime() <= now.getTime() + LONGEST_LIFE_MS) return end;
  const organization = await tx.organization.findUniqueOrThrow({
    where: { id: tx.organizationId },
    select: { keysWithoutEnd: true },
  });
  if (!organization.keysWithoutEnd)
    throw refused("expires", "A key lasts a year at most, unless an owner allows keys without an end");
  return end;
}

function refused(field: string, message: string): AppError {
  return new AppError("invalid_input", "Some values are not valid.", { errors: [{ field, message }] });
}

export type LockedKey = Awaited<ReturnType<typeof lockKey>>;

export async function lockKey(tx: Tx, keyId: string) {
  await tx.$queryRaw`SELECT FROM api_key WHERE organization_id = ${tx.organizationId}::uuid AND id = ${keyId}::uuid
    FOR UPDATE`;
  const key = await tx.apiKey.findFirst({
    where: { organizationId: tx.organizationId, id: keyId, revokedAt: null },
  });
  if (!key) throw notFound("key");
  return key;
}

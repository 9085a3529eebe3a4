/** All writes to API keys but rotations, which are in rotation.ts. */

import type { Actor } from "../../access/access-schema.ts";
import { serversOf } from "../../access/key-scope.ts";
import type { Principal } from "../../access/principal.ts";
import { roleAllows } from "../../access/roles.ts";
import { BOUNDS, refuseFull } from "../../base/db/bounds.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { hashSecret, randomSecret, uuidv7 } from "../../base/ids.ts";
import { appendEvents, appendRead } from "../../history/events/event-writes.ts";
import { memberBehind } from "./api-key-reads.ts";
import { type CreateKeyInput, DEFAULT_LIFETIME, type UpdateKeyInput } from "./api-key-schema.ts";
import { warningAt } from "./api-key-status.ts";
import { endOf, lockKey, PREFIX, refuseBeyondRole, refuseUnknownServers, withinOwn } from "./limits.ts";

/**
 * Makes a key no stronger than its maker, so only owners can make an owner's key. Returns the secret, which
 * is stored nowhere. `serviceAccountId`: whose it is, where it is not the maker's own; `createAccountKey` judges.
 * `made`: the id and the secret, where the caller derives them.
 */
export async function createKey(
  tx: Tx,
  principal: Principal,
  input: Omit<CreateKeyInput, "serviceAccountId">,
  serviceAccountId: string | null = null,
  made = newKey(),
): Promise<{ id: string; secret: string }> {
  if (!roleAllows(principal.role, input.role))
    throw new AppError(
      "forbidden",
      `Your role is ${principal.role}: a key of yours cannot be ${input.role}.`,
    );
  const maker = await memberBehind(tx, principal);
  return insertKey(tx, principal.actor, maker, await withinOwn(tx, principal, input), serviceAccountId, made);
}

function newKey(): { id: string; secret: string } {
  return { id: uuidv7(), secret: PREFIX + randomSecret() };
}

/** Makes a key without a maker for the command line. */
export async function createMakerlessKey(
  tx: Tx,
  actor: Actor,
  input: CreateKeyInput,
): Promise<{ id: string; secret: string }> {
  return insertKey(tx, actor, null, input);
}

/** Renames a key, or changes the networks it may come from. Only owners may change an owner's networks. */
export async function updateKey(
  tx: Tx,
  principal: Principal,
  keyId: string,
  { name, networks }: UpdateKeyInput,
): Promise<void> {
  const key = await lockKey(tx, keyId);
  if (networks && key.role === "owner" && principal.role !== "owner")
    throw new AppError("forbidden", "Only an owner can change where an owner’s key may come from.");
  if (networks) await withinOwn(tx, principal, { networks });
  const renamed = name !== undefined && name !== key.name;
  const moved = networks !== undefined && networks.join() !== key.networks.join();
  await tx.apiKey.updateMany({
    where: { organizationId: tx.organizationId, id: keyId, revokedAt: null },
    data: { ...(name !== undefined && { name }), ...(networks && { networks }) },
  });
  const { actor } = principal;
  const called = name ?? key.name;
  await appendEvents(tx, [
    ...(renamed ? [{ type: "key.renamed" as const, actor, data: { keyId, from: key.name, name } }] : []),
    ...(moved
      ? [{ type: "key.networks_changed" as const, actor, data: { keyId, name: called, networks } }]
      : []),
  ]);
}

/** Records that a key was refused because of where it came from, once in ten minutes. */
export async function recordRefusedAddress(
  tx: Tx,
  key: { id: string; name: string },
  network: string | null,
): Promise<void> {
  const actor: Actor = { kind: "key", id: key.id, name: key.name };
  await appendRead(tx, {
    type: "key.refused",
    actor,
    data: { keyId: key.id, name: key.name, network },
  });
}

/** Ends a key at once. Only owners may end an owner's key. */
export async function revokeKey(tx: Tx, principal: Principal, keyId: string): Promise<void> {
  const key = await tx.apiKey.findFirst({
    where: { organizationId: tx.organizationId, id: keyId, revokedAt: null },
    select: { name: true, role: true },
  });
  if (!key) throw notFound("key");
  if (key.role === "owner" && principal.role !== "owner")
    throw new AppError("forbidden", "Only an owner can revoke an owner’s key.");
  const revoked = await tx.apiKey.updateMany({
    where: { organizationId: tx.organizationId, id: keyId, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  if (revoked.count === 0) return; // a concurrent call revoked the key
  const data = { keyId, name: key.name, role: key.role };
  await appendEvents(tx, [{ type: "key.revoked", actor: principal.actor, data }]);
}

/** Ends all keys of a service account, which is being deleted. Returns how many there were. */
export async function revokeKeysOfAccount(
  tx: Tx,
  { actor }: Principal,
  serviceAccountId: string,
): Promise<number> {
  const keys = await tx.$queryRaw<{ id: string; name: string; role: string }[]>`
    UPDATE api_key SET revoked_at = now() WHERE organization_id = ${tx.organizationId}::uuid
      AND service_account_id = ${serviceAccountId}::uuid AND revoked_at IS NULL RETURNING id, name, role`;
  await appendEvents(
    tx,
    keys.map(({ id, name, role }) => ({
      type: "key.revoked" as const,
      actor,
      data: { keyId: id, name, role },
    })),
  );
  return keys.length;
}

/** Notes the warnings that are due now (`WARNED_DAYS`), each once. Returns the keys that people have to be told of. */
export async function noteWarnings(tx: Tx): Promise<string[]> {
  const warned = await tx.$queryRaw<{ id: string }[]>`
    UPDATE api_key k SET warned_days = due.days FROM (
      SELECT id, CASE WHEN expires_at <= now() THEN 0 WHEN expires_at <= now() + interval '3 days' THEN 3 ELSE 14 END AS days
      FROM api_key WHERE organization_id = ${tx.organizationId}::uuid AND revoked_at IS NULL
        AND expires_at <= now() + interval '14 days') due
    WHERE k.organization_id = ${tx.organizationId}::uuid AND k.id = due.id AND k.warned_days IS DISTINCT FROM due.days
    RETURNING k.id`;
  return warned.map(({ id }) => id);
}

/** Throws `too_many_keys`. `maker`: whose own key it would be; null: the operator's or a service account's. */
async function refuseFullKeys(tx: Tx, maker: string | null): Promise<void> {
  const inForce = {
    organizationId: tx.organizationId,
    revokedAt: null,
    OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }],
  };
  await refuseFull(tx, {
    code: "too_many_keys",
    most: BOUNDS.keys,
    count: () => tx.apiKey.count({ where: inForce }),
    detail: `The organization has ${BOUNDS.keys} API keys, which is the limit. Revoke one first.`,
  });
  if (maker === null) return;
  await refuseFull(tx, {
    code: "too_many_keys",
    most: BOUNDS.keysOfOne,
    count: () => tx.apiKey.count({ where: { ...inForce, createdBy: maker, serviceAccountId: null } }),
    detail: `You have ${BOUNDS.keysOfOne} API keys, which is the limit. Revoke one first.`,
  });
}

async function insertKey(
  tx: Tx,
  actor: Actor,
  createdBy: string | null,
  {
    name,
    role,
    expires = DEFAULT_LIFETIME,
    networks = [],
    permissions,
    servers = [],
    tools = [],
  }: Omit<CreateKeyInput, "serviceAccountId">,
  serviceAccountId: string | null = null,
  { id, secret } = newKey(),
): Promise<{ id: string; secret: string }> {
  refuseBeyondRole(role, permissions);
  await refuseFullKeys(tx, serviceAccountId === null ? createdBy : null);
  await refuseUnknownServers(tx, serversOf({ servers, tools }));
  const now = new Date();
  const expiresAt = await endOf(tx, expires, now);
  const secretHash = Uint8Array.from(hashSecret(secret));
  // Of a short life nobody is warned when it begins.
  const warnedDays = warningAt(expiresAt, now);
  await tx.apiKey.create({
    data: {
      organizationId: tx.organizationId,
      id,
      name,
      role,
      secretHash,
      createdBy,
      serviceAccountId,
      expiresAt,
      warnedDays,
      networks,
      servers,
      tools,
      ...(permissions && { permissions }),
    },
  });
  const data = {
    keyId: id,
    name,
    role,
    expiresAt: expiresAt?.toISOString() ?? null,
    networks,
    permissions: permissions ?? null,
    servers,
    tools,
    ...(serviceAccountId && { serviceAccountId }),
  };
  await appendEvents(tx, [{ type: "key.created", actor, data }]);
  return { id, secret };
}

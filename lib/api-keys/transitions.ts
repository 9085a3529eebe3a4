/** All writes to API keys. */

import type { Principal } from "../access/principal.ts";
import { roleAllows } from "../access/roles.ts";
import type { Actor } from "../access/schema.ts";
import type { Tx } from "../base/db/db.ts";
import { AppError, notFound } from "../base/errors.ts";
import { hashSecret, randomSecret, uuidv7 } from "../base/ids.ts";
import { appendEvents } from "../events/transitions.ts";
import { makerOf } from "./queries.ts";
import type { CreateKeyInput } from "./schema.ts";

/** The prefix of every key, so that scanners for leaked secrets recognise it. */
const PREFIX = "itk_";

/**
 * Makes a key no stronger than its maker, so only owners can make an owner's key. Returns the secret, which
 * is stored nowhere.
 */
export async function createKey(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  input: CreateKeyInput,
): Promise<{ id: string; secret: string }> {
  if (!roleAllows(principal.role, input.role))
    throw new AppError(
      "forbidden",
      `Your role is ${principal.role}: a key of yours cannot be ${input.role}.`,
    );
  const maker = await makerOf(organizationId, tx, principal);
  return insertKey(organizationId, tx, principal.actor, maker, input);
}

/** Makes a key without a maker for the command line; it lives until revoked. */
export async function createMakerlessKey(
  organizationId: string,
  tx: Tx,
  actor: Actor,
  input: CreateKeyInput,
): Promise<{ id: string; secret: string }> {
  return insertKey(organizationId, tx, actor, null, input);
}

export async function renameKey(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  keyId: string,
  name: string,
): Promise<void> {
  const [key] = await tx.$queryRaw<{ name: string }[]>`SELECT name FROM api_key
    WHERE organization_id = ${organizationId}::uuid AND id = ${keyId}::uuid AND revoked_at IS NULL FOR UPDATE`;
  if (!key) throw notFound("key");
  await tx.apiKey.updateMany({ where: { organizationId, id: keyId, revokedAt: null }, data: { name } });
  await appendEvents(organizationId, tx, [
    { type: "key.renamed", actor: principal.actor, data: { keyId, from: key.name, name } },
  ]);
}

/** Ends a key at once. Only owners may end an owner's key. */
export async function revokeKey(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  keyId: string,
): Promise<void> {
  const key = await tx.apiKey.findFirst({
    where: { organizationId, id: keyId, revokedAt: null },
    select: { name: true, role: true },
  });
  if (!key) throw notFound("key");
  if (key.role === "owner" && principal.role !== "owner")
    throw new AppError("forbidden", "Only an owner can revoke an owner's key.");
  const revoked = await tx.apiKey.updateMany({
    where: { organizationId, id: keyId, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  if (revoked.count === 0) return; // a concurrent call revoked the key
  const data = { keyId, name: key.name, role: key.role };
  await appendEvents(organizationId, tx, [{ type: "key.revoked", actor: principal.actor, data }]);
}

async function insertKey(
  organizationId: string,
  tx: Tx,
  actor: Actor,
  createdBy: string | null,
  { name, role }: CreateKeyInput,
): Promise<{ id: string; secret: string }> {
  const id = uuidv7();
  const secret = PREFIX + randomSecret();
  await tx.apiKey.create({
    data: { organizationId, id, name, role, secretHash: Uint8Array.from(hashSecret(secret)), createdBy },
  });
  await appendEvents(organizationId, tx, [{ type: "key.created", actor, data: { keyId: id, name, role } }]);
  return { id, secret };
}

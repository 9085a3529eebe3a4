/** A key's new secret, and the end of the one before it. */

import { type Actor, roleSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { roleAllows } from "../../access/roles.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { hashSecret, randomSecret } from "../../base/ids.ts";
import type { Seal } from "../../base/seal.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { DEFAULT_LIFETIME, DEFAULT_OVERLAP_MS, type RotateKeyInput } from "./api-key-schema.ts";
import { warningAt } from "./api-key-status.ts";
import { endOf, type LockedKey, lockKey, PREFIX, withinOwn } from "./limits.ts";

/** Within this time a rotation that is repeated answers the same. */
const REPEATED_WITHIN_MS = 24 * 3600_000;

/**
 * Gives a key a new secret at once; the one of before goes on working for the overlap. Only the key's own maker may,
 * in person, and the key itself, without moving its end: to anybody else the secret would give the maker's name and
 * rights. The same `idempotencyKey` within a day gives the same secret, so that a lost answer locks nobody out.
 */
export async function rotateKey(
  tx: Tx,
  principal: Principal,
  seal: Seal,
  keyId: string,
  input: RotateKeyInput,
  idempotencyKey: string | null,
): Promise<{ secret: string }> {
  const key = await lockKey(tx, keyId);
  const { actor, userId, role } = principal;
  if (actor.kind === "key" && actor.id !== keyId)
    throw new AppError("forbidden", "A key can rotate itself, and no other.");
  if (actor.kind !== "key" && key.createdBy !== userId)
    throw new AppError(
      "forbidden",
      key.createdBy
        ? "Only the creator of a key can rotate it. Make another one, and revoke this."
        : "This key was made by the command line, which rotates it too.",
    );
  if (!roleAllows(role, roleSchema.parse(key.role)))
    throw new AppError("forbidden", `Your role is ${role}: this key is ${key.role}.`);
  const { expires } = await withinOwn(tx, principal, { expires: input.expires });
  const repeated = idempotencyKey === null ? null : { seal, by: actor, idempotencyKey };
  return replaceSecret(tx, actor, key, { ...input, expires }, repeated);
}

/** Rotates a key for the command line, whoever made it. */
export async function rotateAnyKey(
  tx: Tx,
  actor: Actor,
  keyId: string,
  input: RotateKeyInput,
): Promise<{ secret: string }> {
  return replaceSecret(tx, actor, await lockKey(tx, keyId), input, null);
}

/** Ends the secret from before the last rotation now. Only owners may end an owner's. Idempotent. */
export async function endPreviousSecret(tx: Tx, principal: Principal, keyId: string): Promise<void> {
  const key = await lockKey(tx, keyId);
  if (key.role === "owner" && principal.role !== "owner")
    throw new AppError("forbidden", "Only an owner can end a secret of an owner’s key.");
  const ended = await tx.apiKey.updateMany({
    where: { organizationId: tx.organizationId, id: keyId, previousUntil: { gt: new Date() } },
    data: { previousSecretHash: null, previousUntil: null },
  });
  if (ended.count === 0) return;
  const data = { keyId, name: key.name };
  await appendEvents(tx, [{ type: "key.secret_ended", actor: principal.actor, data }]);
}

/** The idempotency of a rotation: the secret is derived from these instead of drawn. */
interface Repeatable {
  seal: Seal;
  by: Actor;
  idempotencyKey: string;
}

async function replaceSecret(
  tx: Tx,
  actor: Actor,
  key: LockedKey,
  input: RotateKeyInput,
  repeatable: Repeatable | null,
): Promise<{ secret: string }> {
  const { overlapMs = DEFAULT_OVERLAP_MS, expires = DEFAULT_LIFETIME } = input;
  const now = new Date();
  const secretOf = (at: Date) =>
    PREFIX +
    (repeatable ? derive(tx.organizationId, key.id, repeatable, at, [overlapMs, expires]) : randomSecret());
  const rotationHash = repeatable && hashSecret(repeatable.idempotencyKey);
  if (
    rotationHash &&
    key.rotatedAt &&
    key.rotationHash &&
    rotationHash.equals(key.rotationHash) &&
    now.getTime() - key.rotatedAt.getTime() < REPEATED_WITHIN_MS
  ) {
    const secret = secretOf(key.rotatedAt);
    if (hashSecret(secret).equals(key.secretHash)) return { secret };
    throw new AppError("idempotency_mismatch", "This Idempotency-Key was used for another rotation.");
  }
  const expiresAt = await endOf(tx, expires, now);
  const secret = secretOf(now);
  const until = new Date(Math.min(now.getTime() + overlapMs, key.expiresAt?.getTime() ?? Infinity));
  const overlaps = until > now;
  await tx.apiKey.updateMany({
    where: {
      organizationId: tx.organizationId,
      id: key.id,
      revokedAt: null,
      secretHash: Uint8Array.from(key.secretHash),
    },
    data: {
      secretHash: Uint8Array.from(hashSecret(secret)),
      expiresAt,
      warnedDays: warningAt(expiresAt, now),
      previousSecretHash: overlaps ? Uint8Array.from(key.secretHash) : null,
      previousUntil: overlaps ? until : null,
      rotatedAt: now,
      rotationHash: rotationHash && Uint8Array.from(rotationHash),
    },
  });
  const data = {
    keyId: key.id,
    name: key.name,
    expiresAt: expiresAt?.toISOString() ?? null,
    previousUntil: overlaps ? until.toISOString() : null,
  };
  await appendEvents(tx, [{ type: "key.rotated", actor, data }]);
  return { secret };
}

/** A secret that only the installation's keys, the same caller and the same call give again. */
function derive(
  organizationId: string,
  keyId: string,
  { seal, by, idempotencyKey }: Repeatable,
  rotatedAt: Date,
  body: unknown[],
): string {
  const call = [organizationId, keyId, by.kind, by.id, rotatedAt.toISOString(), ...body, idempotencyKey];
  return seal.digest("api-key-rotation", JSON.stringify(call)).toString("base64url");
}

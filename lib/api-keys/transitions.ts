/** All writes to API keys. */

import { serversOf } from "../access/key-scope.ts";
import { may, type Permission } from "../access/permissions.ts";
import type { Principal } from "../access/principal.ts";
import { type Role, roleAllows } from "../access/roles.ts";
import { type Actor, roleSchema } from "../access/schema.ts";
import type { Tx } from "../base/db/db.ts";
import { AppError, notFound } from "../base/errors.ts";
import { hashSecret, randomSecret, uuidv7 } from "../base/ids.ts";
import type { Seal } from "../base/seal.ts";
import { appendEvents, appendRead } from "../events/transitions.ts";
import { memberBehind } from "./queries.ts";
import {
  type CreateKeyInput,
  DEFAULT_LIFETIME,
  DEFAULT_OVERLAP_MS,
  type RotateKeyInput,
  type UpdateKeyInput,
} from "./schema.ts";
import { warningAt } from "./status.ts";

/** The prefix of every key, so that scanners for leaked secrets recognise it. */
const PREFIX = "itk_";

const DAY_MS = 24 * 3600_000;
/** The longest life of a key where keys must end: a year, and a day for other time zones. */
const LONGEST_LIFE_MS = 366 * DAY_MS;
/** Within this time a rotation that is repeated answers the same. */
const REPEATED_WITHIN_MS = DAY_MS;

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
  const maker = await memberBehind(organizationId, tx, principal);
  return insertKey(
    organizationId,
    tx,
    principal.actor,
    maker,
    await withinOwn(organizationId, tx, principal, input),
  );
}

/** Makes a key without a maker for the command line. */
export async function createMakerlessKey(
  organizationId: string,
  tx: Tx,
  actor: Actor,
  input: CreateKeyInput,
): Promise<{ id: string; secret: string }> {
  return insertKey(organizationId, tx, actor, null, input);
}

/** Renames a key, or changes the networks it may come from. Only owners may change an owner's networks. */
export async function updateKey(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  keyId: string,
  { name, networks }: UpdateKeyInput,
): Promise<void> {
  const key = await lockKey(organizationId, tx, keyId);
  if (networks && key.role === "owner" && principal.role !== "owner")
    throw new AppError("forbidden", "Only an owner can change where an owner's key may come from.");
  if (networks) await withinOwn(organizationId, tx, principal, { networks });
  const renamed = name !== undefined && name !== key.name;
  const moved = networks !== undefined && networks.join() !== key.networks.join();
  await tx.apiKey.updateMany({
    where: { organizationId, id: keyId, revokedAt: null },
    data: { ...(name !== undefined && { name }), ...(networks && { networks }) },
  });
  const { actor } = principal;
  const called = name ?? key.name;
  await appendEvents(organizationId, tx, [
    ...(renamed ? [{ type: "key.renamed" as const, actor, data: { keyId, from: key.name, name } }] : []),
    ...(moved
      ? [{ type: "key.networks_changed" as const, actor, data: { keyId, name: called, networks } }]
      : []),
  ]);
}

/**
 * Gives a key a new secret at once; the one of before goes on working for the overlap. Only the key's own maker may,
 * in person, and the key itself, without moving its end: to anybody else the secret would give the maker's name and
 * rights. The same `idempotencyKey` within a day gives the same secret, so that a lost answer locks nobody out.
 */
export async function rotateKey(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  seal: Seal,
  keyId: string,
  input: RotateKeyInput,
  idempotencyKey: string | null,
): Promise<{ secret: string }> {
  const key = await lockKey(organizationId, tx, keyId);
  const { actor, userId, role } = principal;
  if (actor.kind === "key" && actor.id !== keyId)
    throw new AppError("forbidden", "A key can rotate itself, and no other.");
  if (actor.kind !== "key" && key.createdBy !== userId)
    throw new AppError(
      "forbidden",
      key.createdBy
        ? "Only who made a key can rotate it. Make another one, and revoke this."
        : "This key was made by the command line, which rotates it too.",
    );
  if (!roleAllows(role, roleSchema.parse(key.role)))
    throw new AppError("forbidden", `Your role is ${role}: this key is ${key.role}.`);
  const { expires } = await withinOwn(organizationId, tx, principal, { expires: input.expires });
  const repeated = idempotencyKey === null ? null : { seal, by: actor, idempotencyKey };
  return replaceSecret(organizationId, tx, actor, key, { ...input, expires }, repeated);
}

/** Rotates a key for the command line, whoever made it. */
export async function rotateAnyKey(
  organizationId: string,
  tx: Tx,
  actor: Actor,
  keyId: string,
  input: RotateKeyInput,
): Promise<{ secret: string }> {
  return replaceSecret(organizationId, tx, actor, await lockKey(organizationId, tx, keyId), input, null);
}

/** Ends the secret from before the last rotation now. Only owners may end an owner's. Idempotent. */
export async function endPreviousSecret(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  keyId: string,
): Promise<void> {
  const key = await lockKey(organizationId, tx, keyId);
  if (key.role === "owner" && principal.role !== "owner")
    throw new AppError("forbidden", "Only an owner can end a secret of an owner's key.");
  const ended = await tx.apiKey.updateMany({
    where: { organizationId, id: keyId, previousUntil: { gt: new Date() } },
    data: { previousSecretHash: null, previousUntil: null },
  });
  if (ended.count === 0) return;
  const data = { keyId, name: key.name };
  await appendEvents(organizationId, tx, [{ type: "key.secret_ended", actor: principal.actor, data }]);
}

/** Records that a key was refused because of where it came from, once in ten minutes. */
export async function recordRefusedAddress(
  organizationId: string,
  tx: Tx,
  key: { id: string; name: string },
  network: string | null,
): Promise<void> {
  const actor: Actor = { kind: "key", id: key.id, name: key.name };
  await appendRead(organizationId, tx, {
    type: "key.refused",
    actor,
    data: { keyId: key.id, name: key.name, network },
  });
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

/** Notes the warnings that are due now (`WARNED_DAYS`), each once. Returns the keys that people have to be told of. */
export async function noteWarnings(organizationId: string, tx: Tx): Promise<string[]> {
  const warned = await tx.$queryRaw<{ id: string }[]>`
    UPDATE api_key k SET warned_days = due.days FROM (
      SELECT id, CASE WHEN expires_at <= now() THEN 0 WHEN expires_at <= now() + interval '3 days' THEN 3 ELSE 14 END AS days
      FROM api_key WHERE organization_id = ${organizationId}::uuid AND revoked_at IS NULL
        AND expires_at <= now() + interval '14 days') due
    WHERE k.organization_id = ${organizationId}::uuid AND k.id = due.id AND k.warned_days IS DISTINCT FROM due.days
    RETURNING k.id`;
  return warned.map(({ id }) => id);
}

/** The idempotency of a rotation: the secret is derived from these instead of drawn. */
interface Repeatable {
  seal: Seal;
  by: Actor;
  idempotencyKey: string;
}

async function replaceSecret(
  organizationId: string,
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
    (repeatable ? derive(organizationId, key.id, repeatable, at, [overlapMs, expires]) : randomSecret());
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
  const expiresAt = await endOf(organizationId, tx, expires, now);
  const secret = secretOf(now);
  const until = new Date(Math.min(now.getTime() + overlapMs, key.expiresAt?.getTime() ?? Infinity));
  const overlaps = until > now;
  await tx.apiKey.updateMany({
    where: { organizationId, id: key.id, revokedAt: null, secretHash: Uint8Array.from(key.secretHash) },
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
  await appendEvents(organizationId, tx, [{ type: "key.rotated", actor, data }]);
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

type End = NonNullable<CreateKeyInput["expires"]>;
type Limits = Pick<CreateKeyInput, "expires" | "networks" | "permissions">;

/**
 * Returns the limits of a key that the principal makes or opens. A key passes on no more than it has itself: what is
 * not named it hands down, and what is more is refused. People are limited by their role alone.
 */
async function withinOwn<T extends Limits>(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  asked: T,
): Promise<T> {
  if (principal.actor.kind !== "key") return asked;
  const own = await tx.apiKey.findFirstOrThrow({ where: { organizationId, id: principal.actor.id ?? "" } });
  const permissions = principal.scope?.permissions;
  const { networks, expiresAt } = own;
  const isMore =
    (permissions && asked.permissions?.some((permission) => !permissions.includes(permission))) ||
    (networks.length > 0 && asked.networks && !isListed(asked.networks, networks)) ||
    (expiresAt && asked.expires !== undefined && endsAfter(asked.expires, expiresAt));
  if (isMore) throw new AppError("forbidden", "A key makes no key with more than it has itself.");
  return {
    ...asked,
    ...(permissions && !asked.permissions && { permissions }),
    ...(networks.length > 0 && !asked.networks && { networks }),
    ...(expiresAt && asked.expires === undefined && { expires: expiresAt.toISOString() }),
  };
}

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
function refuseBeyondRole(role: Role, permissions: Permission[] | undefined): void {
  const beyond = permissions?.find((permission) => !may(role, permission));
  if (beyond) throw refused("permissions", `The role ${role} does not have ${beyond}`);
}

async function refuseUnknownServers(organizationId: string, tx: Tx, servers: string[]): Promise<void> {
  if (servers.length === 0) return;
  const known = await tx.server.count({ where: { organizationId, id: { in: servers }, removedAt: null } });
  if (known < servers.length) throw notFound("server");
}

/** Returns when a key ends, or null for never. Throws `invalid_input` for a time that is over or too far away. */
async function endOf(organizationId: string, tx: Tx, expires: End, now: Date): Promise<Date | null> {
  if (typeof expires === "number") return new Date(now.getTime() + expires * DAY_MS);
  const end = expires === "never" ? null : new Date(expires);
  if (end && end <= now) throw refused("expires", "Choose a time to come");
  if (end && end.getTime() <= now.getTime() + LONGEST_LIFE_MS) return end;
  const organization = await tx.organization.findUniqueOrThrow({
    where: { id: organizationId },
    select: { keysWithoutEnd: true },
  });
  if (!organization.keysWithoutEnd)
    throw refused("expires", "A key lasts a year at most, unless an owner allows keys without an end");
  return end;
}

function refused(field: string, message: string): AppError {
  return new AppError("invalid_input", "Some values are not valid.", { errors: [{ field, message }] });
}

type LockedKey = Awaited<ReturnType<typeof lockKey>>;

async function lockKey(organizationId: string, tx: Tx, keyId: string) {
  await tx.$queryRaw`SELECT FROM api_key WHERE organization_id = ${organizationId}::uuid AND id = ${keyId}::uuid
    FOR UPDATE`;
  const key = await tx.apiKey.findFirst({ where: { organizationId, id: keyId, revokedAt: null } });
  if (!key) throw notFound("key");
  return key;
}

async function insertKey(
  organizationId: string,
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
  }: CreateKeyInput,
): Promise<{ id: string; secret: string }> {
  refuseBeyondRole(role, permissions);
  await refuseUnknownServers(organizationId, tx, serversOf({ servers, tools }));
  const id = uuidv7();
  const secret = PREFIX + randomSecret();
  const now = new Date();
  const expiresAt = await endOf(organizationId, tx, expires, now);
  const secretHash = Uint8Array.from(hashSecret(secret));
  // Of a short life nobody is warned when it begins.
  const warnedDays = warningAt(expiresAt, now);
  await tx.apiKey.create({
    data: {
      organizationId,
      id,
      name,
      role,
      secretHash,
      createdBy,
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
  };
  await appendEvents(organizationId, tx, [{ type: "key.created", actor, data }]);
  return { id, secret };
}

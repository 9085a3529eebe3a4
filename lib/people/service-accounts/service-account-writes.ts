/** All writes to service accounts (docs/decisions/044). Who counts as one with an account the database remembers. */

import { roleSchema } from "../../access/access-schema.ts";
import { actorWords } from "../../access/actor-words.ts";
import type { Principal } from "../../access/principal.ts";
import { type Role, roleAllows } from "../../access/roles.ts";
import { BOUNDS, refuseFull } from "../../base/db/bounds.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChangeNow } from "../../base/live-updates.ts";
import { appendEvents, ENGINE_ACTOR, type NewEvent } from "../../history/events/event-writes.ts";
import { memberBehind } from "../api-keys/api-key-reads.ts";
import type { CreateKeyInput } from "../api-keys/api-key-schema.ts";
import { createKey, revokeKeysOfAccount } from "../api-keys/api-key-writes.ts";
import type { CreateServiceAccount, UpdateServiceAccount } from "./service-account-schema.ts";

/**
 * Makes a service account no stronger than the principal and than its owner. Throws `name_taken`, `not_found` for an
 * owner who is no member, `too_many_service_accounts` and `forbidden`.
 */
export async function createServiceAccount(
  tx: Tx,
  principal: Principal,
  { name, description = "", role, ownerId }: CreateServiceAccount,
): Promise<string> {
  await refuseAccounts(tx, principal);
  refuseStronger(principal, role);
  const owner = await lockOwner(tx, Prisma.sql`m.id = ${ownerId}::uuid`);
  if (!owner) throw notFound("member");
  refuseWeakOwner(owner, role);
  await refuseFull(tx, {
    code: "too_many_service_accounts",
    most: BOUNDS.serviceAccounts,
    count: () => tx.serviceAccount.count({ where: { organizationId: tx.organizationId, deletedAt: null } }),
    detail: `The organization has ${BOUNDS.serviceAccounts} service accounts, which is the limit. Delete one first.`,
  });
  const id = uuidv7();
  const inserted = await tx.$executeRaw`
    INSERT INTO service_account (organization_id, id, name, description, role, owner_id)
    VALUES (${tx.organizationId}::uuid, ${id}::uuid, ${name}, ${description}, ${role}, ${owner.userId}::uuid)
    ON CONFLICT (organization_id, lower(name)) WHERE deleted_at IS NULL DO NOTHING`;
  if (inserted === 0) throw nameTaken();
  await record(tx, principal, "service_account.created", {
    serviceAccountId: id,
    name,
    role,
    ownerId: owner.userId,
    owner: owner.name,
  });
  await tellOwner(tx, principal, owner.userId, name);
  return id;
}

/**
 * Changes an account: only who is as strong as the account is and becomes. Its keys are refused from the next call on
 * while it is suspended, and taken again afterwards. Throws as `createServiceAccount`.
 */
export async function updateServiceAccount(
  tx: Tx,
  principal: Principal,
  id: string,
  input: UpdateServiceAccount,
): Promise<void> {
  const account = await lockAccount(tx, principal, id);
  const {
    name = account.name,
    description = account.description,
    role = account.role,
    suspended,
    ownerId,
  } = input;
  refuseStronger(principal, role);
  const owner = await lockOwner(
    tx,
    ownerId ? Prisma.sql`m.id = ${ownerId}::uuid` : Prisma.sql`m.user_id = ${account.ownerId}::uuid`,
  );
  if (!owner && ownerId) throw notFound("member");
  // A change of neither role nor owner is allowed while the account is suspended for want of an owner.
  if (owner && (ownerId || input.role)) refuseWeakOwner(owner, role);
  const rested =
    suspended === undefined || suspended === (account.restedAt !== null)
      ? account.restedAt
      : suspended
        ? new Date()
        : null;
  const named = await tx.$queryRaw<unknown[]>`SELECT 1 FROM service_account
    WHERE organization_id = ${tx.organizationId}::uuid AND id <> ${id}::uuid AND deleted_at IS NULL
      AND lower(name) = lower(${name})`;
  if (named.length > 0) throw nameTaken();
  const answers = owner !== undefined && roleAllows(owner.role, role);
  await tx.serviceAccount.updateMany({
    where: { organizationId: tx.organizationId, id, deletedAt: null },
    data: {
      name,
      description,
      role,
      restedAt: rested,
      ...(owner && { ownerId: owner.userId }),
      // Its owner and admins are notified again the next time that it has no owner.
      ...(answers && { toldAt: null }),
    },
  });
  const about = { serviceAccountId: id, name };
  if (name !== account.name || description !== account.description || role !== account.role)
    await record(tx, principal, "service_account.changed", {
      ...about,
      ...(name !== account.name && { from: account.name }),
      ...(role !== account.role && { roleFrom: account.role, role }),
    });
  if (owner && owner.userId !== account.ownerId) {
    await tellOwner(tx, principal, owner.userId, name);
    await record(tx, principal, "service_account.owner_changed", {
      ...about,
      from: account.ownerId,
      ownerId: owner.userId,
      owner: owner.name,
    });
  }
  if ((rested !== null) !== (account.restedAt !== null))
    await record(tx, principal, rested ? "service_account.rested" : "service_account.resumed", about);
  await lookAgain(tx);
}

/** Deletes an account and ends its keys. What was asked through it stays asked by those who stood behind it. */
export async function deleteServiceAccount(tx: Tx, principal: Principal, id: string): Promise<void> {
  const account = await lockAccount(tx, principal, id);
  const keys = await revokeKeysOfAccount(tx, principal, id);
  await tx.serviceAccount.updateMany({
    where: { organizationId: tx.organizationId, id, deletedAt: null },
    data: { deletedAt: new Date() },
  });
  await record(tx, principal, "service_account.deleted", {
    serviceAccountId: id,
    name: account.name,
    keys,
  });
  await lookAgain(tx);
}

/** Makes a key of an account, no stronger than the account and than its maker. Throws `not_found` and `forbidden`. */
export async function createAccountKey(
  tx: Tx,
  principal: Principal,
  { serviceAccountId, ...input }: CreateKeyInput & { serviceAccountId: string },
): Promise<{ id: string; secret: string }> {
  const account = await lockAccount(tx, principal, serviceAccountId);
  if (!roleAllows(account.role, input.role))
    throw new AppError("invalid_input", "Some values are not valid.", {
      errors: [{ field: "role", message: `${account.name} is ${account.role}: its keys are no stronger` }],
    });
  return createKey(tx, principal, input, serviceAccountId);
}

/**
 * Notes which accounts rest for want of an owner since the last look, and which do no more. Returns those that people
 * have to be told of.
 */
export async function noteMissingOwners(tx: Tx): Promise<string[]> {
  const noted = await tx.$queryRaw<{ id: string; name: string; suspended: boolean }[]>`
    UPDATE service_account a SET told_at = CASE WHEN a.told_at IS NULL THEN now() END
    WHERE a.organization_id = ${tx.organizationId}::uuid AND a.deleted_at IS NULL
      AND owner_is_missing(a.organization_id, a.owner_id, a.role) <> (a.told_at IS NOT NULL)
    RETURNING a.id, a.name, a.told_at IS NOT NULL AS suspended`;
  await appendEvents(
    tx,
    noted.map(({ id, name, suspended }) => ({
      type: suspended ? "service_account.owner_missing" : "service_account.owner_back",
      actor: ENGINE_ACTOR,
      data: { serviceAccountId: id, name },
    })),
  );
  return noted.map(({ id }) => id);
}

interface Owner {
  userId: string;
  name: string;
  role: Role;
}

/** Tells a member that they answer for an account now, whatever they have chosen to be told of; not who gave it to themselves. */
async function tellOwner(tx: Tx, { actor }: Principal, userId: string, name: string): Promise<void> {
  if (actor.kind === "member" && actor.id === userId) return;
  const { name: organization } = await tx.organization.findUniqueOrThrow({
    where: { id: tx.organizationId },
    select: { name: true },
  });
  await tx.$queryRaw`SELECT 1 AS done FROM gate.account_event(${userId}::uuid, 'account.service_account_given',
    ${JSON.stringify({ name, organization, by: actorWords(actor) })}::jsonb)`;
}

/** Keeps the membership as it is until the commit, so that the account is not given to somebody who is leaving. */
async function lockOwner(tx: Tx, which: Prisma.Sql): Promise<Owner | undefined> {
  const [row] = await tx.$queryRaw<{ userId: string; name: string; role: string }[]>`
    SELECT m.user_id AS "userId", u.name, m.role FROM membership m JOIN "user" u ON u.id = m.user_id
    WHERE m.organization_id = ${tx.organizationId}::uuid AND ${which} FOR SHARE OF m`;
  return row && { ...row, role: roleSchema.parse(row.role) };
}

async function lockAccount(tx: Tx, principal: Principal, id: string) {
  await refuseAccounts(tx, principal);
  await tx.$queryRaw`SELECT FROM service_account WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid
    FOR UPDATE`;
  const found = await tx.serviceAccount.findFirst({
    where: { organizationId: tx.organizationId, id, deletedAt: null },
  });
  if (!found) throw notFound("service account");
  const account = { ...found, role: roleSchema.parse(found.role) };
  refuseStronger(principal, account.role);
  return account;
}

/** Throws `forbidden` for the key of a service account (`memberBehind`): people give and take such accounts. */
async function refuseAccounts(tx: Tx, principal: Principal): Promise<void> {
  await memberBehind(tx, principal);
}

function refuseStronger(principal: Principal, role: Role): void {
  if (!roleAllows(principal.role, role))
    throw new AppError(
      "forbidden",
      `Your role is ${principal.role}: a service account that is ${role} is beyond it.`,
    );
}

function refuseWeakOwner(owner: Owner, role: Role): void {
  if (!roleAllows(owner.role, role))
    throw new AppError("invalid_input", "Some values are not valid.", {
      errors: [{ field: "role", message: `${owner.name} is ${owner.role}: the account is no stronger` }],
    });
}

function nameTaken(): AppError {
  return new AppError("name_taken", "Another service account has this name.");
}

async function record(
  tx: Tx,
  { actor }: Principal,
  type: NewEvent["type"],
  data: Record<string, unknown>,
): Promise<void> {
  await appendEvents(tx, [{ type, actor, data }]);
}

/** Hints about members make every open stream look at its key again. */
async function lookAgain(tx: Tx): Promise<void> {
  await publishChangeNow(tx, "member", [tx.organizationId]);
}

/** Owners' changes to the directory: its token, what its people and groups are worth. And what is noted of its calls. */
import type { Principal } from "../../access/principal.ts";
import { storableText, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { hashSecret, randomSecret, uuidv7 } from "../../base/ids.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import {
  DEFAULT_OVERLAP_MS,
  type MakeDirectoryToken,
  type MappedRole,
  type UpdateDirectory,
} from "./directory-schema.ts";
import { applyRoles } from "./roles.ts";

/** The prefix of every token, so that scanners for leaked secrets recognise it. No API key begins with it. */
const PREFIX = "its_";

/**
 * Makes the organization's one token, or gives it a new secret; the one of before goes on working for the overlap. In
 * person alone: people whom the directory brings count as the maker's where a second person is required. Returns the
 * secret, which is stored nowhere.
 */
export async function makeDirectoryToken(
  tx: Tx,
  principal: Principal,
  { overlapMs = DEFAULT_OVERLAP_MS }: MakeDirectoryToken,
): Promise<string> {
  const { userId, actor } = principal;
  if (userId === null || actor.kind !== "member")
    throw new AppError("forbidden", "Only a person can make the directory’s token, not an API key.");
  const before = await lockDirectory(tx);
  const secret = PREFIX + randomSecret();
  const now = new Date();
  const isRotation = before.tokenId !== null;
  const overlaps = isRotation && overlapMs > 0;
  await tx.directory.updateMany({
    where: { organizationId: tx.organizationId },
    data: {
      tokenId: before.tokenId ?? uuidv7(),
      secretHash: Uint8Array.from(hashSecret(secret)),
      previousSecretHash: overlaps && before.secretHash ? Uint8Array.from(before.secretHash) : null,
      previousUntil: overlaps ? new Date(now.getTime() + overlapMs) : null,
      madeBy: userId,
      madeAt: before.madeAt ?? now,
      rotatedAt: isRotation ? now : null,
    },
  });
  const type = isRotation ? "directory.token_rotated" : "directory.token_made";
  await appendEvents(tx, [{ type, actor, data: {} }]);
  return secret;
}

/** Ends the token at once, with the secret before the last rotation. People and groups stay. Throws `not_found`. */
export async function revokeDirectoryToken(tx: Tx, principal: Principal): Promise<void> {
  const { tokenId } = await lockDirectory(tx);
  if (tokenId === null) throw notFound("directory token");
  await tx.directory.updateMany({
    where: { organizationId: tx.organizationId },
    data: {
      tokenId: null,
      secretHash: null,
      previousSecretHash: null,
      previousUntil: null,
      madeBy: null,
      madeAt: null,
      rotatedAt: null,
    },
  });
  await appendEvents(tx, [{ type: "directory.token_revoked", actor: principal.actor, data: {} }]);
}

export async function updateDirectory(tx: Tx, principal: Principal, change: UpdateDirectory): Promise<void> {
  const before = await lockDirectory(tx);
  const { defaultRole = before.defaultRole, managesOwners = before.managesOwners } = change;
  if (defaultRole === before.defaultRole && managesOwners === before.managesOwners) return;
  await tx.directory.updateMany({
    where: { organizationId: tx.organizationId },
    data: { defaultRole, managesOwners },
  });
  await appendEvents(tx, [
    { type: "directory.updated", actor: principal.actor, data: { defaultRole, managesOwners } },
  ]);
}

/** Sets the role that a group gives, and gives it to those in the group. Throws `not_found`. */
export async function mapGroup(
  tx: Tx,
  principal: Principal,
  groupId: string,
  role: MappedRole | null,
): Promise<void> {
  await lockDirectory(tx);
  const group = await tx.directoryGroup.findFirst({
    where: { organizationId: tx.organizationId, id: groupId },
  });
  if (!group) throw notFound("group");
  if (group.role === role) return;
  await tx.directoryGroup.updateMany({
    where: { organizationId: tx.organizationId, id: groupId },
    data: { role },
  });
  const { actor } = principal;
  await appendEvents(tx, [
    {
      type: "directory.group_mapped",
      actor,
      data: { groupId, name: group.displayName, from: group.role, to: role },
    },
  ]);
  const members = await tx.directoryGroupMember.findMany({
    where: { organizationId: tx.organizationId, groupId },
    select: { personId: true },
  });
  await applyRoles(
    tx,
    principal,
    members.map(({ personId }) => personId),
  );
}

/**
 * Locks and returns the organization's directory, made when it is first needed. All writes of a directory and to it
 * take turns here, so that two calls at once never decide on what the other one changes.
 */
export async function lockDirectory(tx: Tx) {
  await tx.$executeRaw`INSERT INTO directory (organization_id) VALUES (${tx.organizationId}::uuid) ON CONFLICT DO NOTHING`;
  await tx.$queryRaw`SELECT FROM directory WHERE organization_id = ${tx.organizationId}::uuid FOR UPDATE`;
  return tx.directory.findUniqueOrThrow({ where: { organizationId: tx.organizationId } });
}

/** Writes a token's use down. `agent`: the caller's own word. */
export async function noteDirectoryCall(
  tx: Tx,
  tokenId: string,
  { network, agent }: { network: string; agent: string | null },
): Promise<void> {
  await tx.directory.updateMany({
    where: { organizationId: tx.organizationId, tokenId },
    data: {
      lastCalledAt: new Date(),
      lastCalledNetwork: network,
      lastCalledAgent: agent === null ? null : storableText(agent.slice(0, AGENT_CHARACTERS)),
    },
  });
}

/** The longest `User-Agent` that is kept. */
const AGENT_CHARACTERS = 200;

/** Refused calls that are kept. */
const KEPT_FAILURES = 20;

/** Keeps a refused call for the owners to see. */
export async function noteDirectoryFailure(
  tx: Tx,
  { call, status, detail }: { call: string; status: number; detail: string },
): Promise<void> {
  await tx.directoryFailure.create({
    data: {
      organizationId: tx.organizationId,
      id: uuidv7(),
      call: storableText(call),
      status,
      detail: storableText(detail),
    },
  });
  await tx.$executeRaw`DELETE FROM directory_failure WHERE organization_id = ${tx.organizationId}::uuid AND id NOT IN (
    SELECT id FROM directory_failure WHERE organization_id = ${tx.organizationId}::uuid
    ORDER BY at DESC, id DESC LIMIT ${KEPT_FAILURES})`;
}

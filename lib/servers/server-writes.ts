/** All writes to servers and their shared connections, except health (health.ts). */

import type { Actor } from "../access/access-schema.ts";
import type { Principal } from "../access/principal.ts";
import { BOUNDS, refuseFull } from "../base/db/bounds.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { rewatchConnection } from "../base/engine-hints.ts";
import { AppError, notFound } from "../base/errors.ts";
import { uuidv7 } from "../base/ids.ts";
import { publishChange } from "../base/live-updates.ts";
import type { Seal } from "../base/seal.ts";
import { appendEvents } from "../history/events/event-writes.ts";
import { type ForeignEndpoints, hostsOf } from "../mcp/oauth/oauth-hosts.ts";
import { giveClient } from "./connections/clients.ts";
import { credentialsPlace } from "./connections/connection-reads.ts";
import { type Forgotten, forgetGrantsAt } from "./connections/disconnect.ts";
import { lockConnections } from "./locks.ts";
import { ownNameOf, type Probe, whatWasFound } from "./probe.ts";
import type { CreateServerInput, UpdateServerInput } from "./server-schema.ts";
import { recordTools } from "./tool-changes.ts";
import type { Traits } from "./traits.ts";

/** Registers a probed server, with the shared connection for its tasks. Throws `too_many_servers`. */
export async function createServer(
  tx: Tx,
  principal: Principal,
  seal: Seal,
  input: CreateServerInput,
  probed: Probe,
): Promise<string> {
  const { organizationId } = tx;
  await refuseFull(tx, {
    code: "too_many_servers",
    most: BOUNDS.servers,
    count: () =>
      tx.server.count({ where: { organizationId, removedAt: null, operatorEntry: null, builtin: false } }),
    detail: `The organization has ${BOUNDS.servers} servers, which is the limit. Remove one first.`,
  });
  const id = uuidv7();
  const { url, era, auth } = input;
  const name = input.name ?? (await freeName(tx, ownNameOf(probed.found) ?? new URL(url).host.slice(0, 80)));
  await tx.server.create({
    data: {
      organizationId,
      id,
      name,
      url,
      eraSetting: era,
      authKind: auth.kind,
      oauthScope: scopeSetting(auth),
      healthState: probed.health.state,
      healthMessage: probed.health.message,
      healthCheckedAt: new Date(),
      ...whatWasFound(probed),
    },
  });
  if (probed.found) await recordTools(tx, id, probed.found.tools);
  const connectionId = uuidv7();
  await tx.connection.create({
    data: {
      organizationId,
      id: connectionId,
      serverId: id,
      authorizedBy: principal.userId,
      sealedCredentials: sealed(organizationId, seal, connectionId, auth),
    },
  });
  await setClient(tx, seal, id, auth);
  await publishChange(tx, "server", [id]);
  await appendEvents(tx, [
    {
      type: "server.created",
      actor: principal.actor,
      data: { serverId: id, name, url, era, auth: auth.kind },
    },
  ]);
  return id;
}

/** Returns the name, with a number if another server has it. The lock of `refuseFull` keeps two at once apart. */
async function freeName(tx: Tx, name: string): Promise<string> {
  const taken = await tx.server.findMany({
    where: { organizationId: tx.organizationId, removedAt: null },
    select: { name: true },
  });
  const names = new Set(taken.map((server) => server.name.toLowerCase()));
  const numbered = (n: number) => (n === 1 ? name : `${name.slice(0, 76)} ${n}`);
  let n = 1;
  while (names.has(numbered(n).toLowerCase())) n++;
  return numbered(n);
}

/**
 * Applies an admin's changes. Restarts the connections' watchers if their settings changed. Switching away
 * from OAuth deletes the grants: pass the result to `revokeAll` after the commit. Throws
 * `defined_by_operator`.
 */
export async function updateServer(
  tx: Tx,
  principal: Principal,
  seal: Seal,
  serverId: string,
  { name, era, auth, trace }: UpdateServerInput,
): Promise<Forgotten[]> {
  await lockConnections(tx, serverId);
  const updated = await tx.server.updateMany({
    where: {
      organizationId: tx.organizationId,
      id: serverId,
      removedAt: null,
      operatorEntry: null,
      builtin: false,
    },
    data: {
      ...(name !== undefined && { name }),
      ...(trace !== undefined && { trace }),
      // Detected values belong to the old setting.
      ...(era !== undefined && { eraSetting: era, era: era === "auto" ? null : era }),
      ...(auth !== undefined && {
        authKind: auth.kind,
        oauthScope: scopeSetting(auth),
        // The yes was given with the credentials of before.
        oauthHosts: Prisma.DbNull,
      }),
    },
  });
  if (updated.count === 0) throw await whyNotChanged(tx, serverId);
  const forgotten =
    auth && auth.kind !== "oauth" ? await forgetGrantsAt(tx, seal, principal.actor, serverId) : [];
  if (auth) await changeCredentials(tx, principal, seal, serverId, auth);
  if (auth || era) {
    const connections = await tx.connection.findMany({
      where: { organizationId: tx.organizationId, serverId },
      select: { id: true },
    });
    for (const { id } of connections) await rewatchConnection(tx, id);
  }
  await publishChange(tx, "server", [serverId]);
  await appendEvents(tx, [
    {
      type: "server.updated",
      actor: principal.actor,
      data: {
        serverId,
        ...(name && { name }),
        ...(era && { era }),
        ...(auth && { auth: auth.kind }),
        ...(trace !== undefined && { trace }),
      },
    },
  ]);
  return forgotten;
}

/** Stores an admin's yes to endpoints at others' hosts. Throws `not_found`. */
export async function recordAllowedHosts(
  tx: Tx,
  principal: Principal,
  server: { id: string; name: string },
  found: ForeignEndpoints,
): Promise<void> {
  const { count } = await tx.server.updateMany({
    where: { organizationId: tx.organizationId, id: server.id, removedAt: null, authKind: "oauth" },
    data: { oauthHosts: found },
  });
  if (count === 0) throw notFound("server");
  await appendEvents(tx, [
    {
      type: "server.hosts_allowed",
      actor: principal.actor,
      data: { serverId: server.id, name: server.name, hosts: hostsOf(found) },
    },
  ]);
}

/**
 * Removes an admin's server. Pass the result to `revokeAll` after the commit. Throws `server_in_use` while a
 * task is open, and `defined_by_operator`.
 */
export async function removeServer(
  tx: Tx,
  principal: Principal,
  seal: Seal,
  serverId: string,
): Promise<Forgotten[]> {
  const found = await tx.server.count({
    where: {
      organizationId: tx.organizationId,
      id: serverId,
      removedAt: null,
      operatorEntry: null,
      builtin: false,
    },
  });
  if (found === 0) throw await whyNotChanged(tx, serverId);
  if (await retireServer(tx, principal.actor, serverId))
    return forgetGrantsAt(tx, seal, principal.actor, serverId);
  throw new AppError(
    "server_in_use",
    "Tasks of this server are still open; cancel them or wait for their end.",
  );
}

/** Removes a server and its credentials permanently. False: a task is open. Throws `not_found`. */
export async function retireServer(tx: Tx, actor: Actor, serverId: string): Promise<boolean> {
  const { organizationId } = tx;
  await lockConnections(tx, serverId);
  // Locks the row, so that a concurrent start either finishes first or finds the server gone (lockServer).
  const rows = await tx.$queryRaw<{ name: string }[]>`SELECT name FROM server
    WHERE organization_id = ${organizationId}::uuid AND id = ${serverId}::uuid AND removed_at IS NULL FOR UPDATE`;
  if (!rows[0]) throw notFound("server");
  const open = await tx.task.findFirst({
    where: { organizationId, serverId, OR: [{ watched: true }, { finishedAt: null }] },
    select: { id: true },
  });
  if (open) return false;
  await tx.connection.updateMany({ where: { organizationId, serverId }, data: { sealedCredentials: null } });
  await tx.server.updateMany({ where: { organizationId, id: serverId }, data: { removedAt: new Date() } });
  await publishChange(tx, "server", [serverId]);
  await appendEvents(tx, [{ type: "server.removed", actor, data: { serverId, name: rows[0].name } }]);
  return true;
}

/** Returns why nothing was updated. Still true afterwards: servers never move between admin and operator. */
async function whyNotChanged(tx: Tx, serverId: string): Promise<AppError> {
  const exists = await tx.server.count({
    where: { organizationId: tx.organizationId, id: serverId, removedAt: null, builtin: false },
  });
  return exists === 0
    ? notFound("server")
    : new AppError("defined_by_operator", "Only the operator of this installation can change this server.");
}

async function changeCredentials(
  tx: Tx,
  principal: Principal,
  seal: Seal,
  serverId: string,
  auth: CreateServerInput["auth"],
): Promise<void> {
  await setClient(tx, seal, serverId, auth);
  const connection = await tx.connection.findFirstOrThrow({
    where: { organizationId: tx.organizationId, serverId, userId: null },
    select: { id: true },
  });
  await tx.connection.updateMany({
    where: { organizationId: tx.organizationId, id: connection.id },
    data: {
      sealedCredentials: sealed(tx.organizationId, seal, connection.id, auth),
      authorizedBy: principal.userId,
    },
  });
}

/** Sets the admin's client. Servers without OAuth have none. */
function setClient(tx: Tx, seal: Seal, serverId: string, auth: CreateServerInput["auth"]): Promise<void> {
  const given =
    auth.kind === "oauth" && auth.clientId !== undefined
      ? { clientId: auth.clientId, clientSecret: auth.clientSecret ?? null }
      : null;
  return giveClient(tx, seal, serverId, given);
}

function scopeSetting(auth: CreateServerInput["auth"]): string | null {
  return auth.kind === "oauth" ? auth.scopes?.join(" ") || null : null;
}

function sealed(
  organizationId: string,
  seal: Seal,
  connectionId: string,
  auth: CreateServerInput["auth"],
): string | null {
  if (auth.kind !== "bearer") return null;
  return seal.seal(credentialsPlace(organizationId, connectionId), JSON.stringify(auth));
}

/** Merges observed traits; a key set to undefined is deleted. Writes nothing if nothing changed. */
export async function learn(tx: Tx, serverId: string, seen: Traits): Promise<void> {
  const forgotten = Object.keys(seen).filter((key) => seen[key as keyof Traits] === undefined);
  const learned = await tx.$executeRaw`
    UPDATE server SET traits = (traits - ${forgotten}::text[]) || ${JSON.stringify(seen)}::jsonb
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${serverId}::uuid
      AND traits IS DISTINCT FROM (traits - ${forgotten}::text[]) || ${JSON.stringify(seen)}::jsonb`;
  if (learned === 1) await publishChange(tx, "server", [serverId]);
}

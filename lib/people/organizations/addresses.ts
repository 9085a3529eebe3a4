/**
 * The networks from which an organization is reached. Sessions and keys are judged by them at every call
 * (lib/web/auth), and whatever else lets somebody in asks `refuseOutside`.
 */

import type { Actor } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { publishChangeNow } from "../../base/live-updates.ts";
import { isWithin, rememberedNetworkOf } from "../../base/network/address.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import type { SaveAddresses, SavedAddresses } from "./organization-schema.ts";
import { COMMAND_LINE } from "./organization-writes.ts";

/** Refusals of one person or key, from one network, make one line of history within this time. */
const REFUSALS_ARE_ONE_FOR_MS = 3600_000;

/** Whether a list of networks leaves an address out; an empty list leaves out none. */
export function leavesOut(networks: readonly string[], address: string): boolean {
  return networks.length > 0 && !isWithin(networks, address);
}

/** SQL: the networks of an organization, to be read in the statement that finds a session or a key. */
export const networksOf = (organizationId: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`gate.organization_networks(${organizationId})`;

/**
 * Throws `address_not_allowed_for_organization` for an address outside of the organization's networks, which leaves a
 * line of history. For whatever lets somebody in beside sessions and API keys.
 */
export async function refuseOutside(
  db: Database,
  organizationId: string,
  address: string,
  actor: Actor,
): Promise<void> {
  const [row] = await db.gate<{ networks: string[] | null }>(
    Prisma.sql`SELECT ${networksOf(Prisma.sql`${organizationId}::uuid`)} AS networks`,
  );
  if (leavesOut(row?.networks ?? [], address)) await refuse(db, organizationId, address, actor);
}

/** Records a refusal and throws it. For callers that have read the networks, and judged. */
export async function refuse(
  db: Database,
  organizationId: string,
  address: string,
  actor: Actor,
): Promise<never> {
  await db.withOrganization(organizationId, (tx) => recordRefused(tx, address, actor));
  throw new AppError(
    "address_not_allowed_for_organization",
    "This organization can’t be reached from your address.",
  );
}

export async function readAddresses(tx: Tx): Promise<SavedAddresses> {
  const { networks, networksVersion } = await tx.organization.findUniqueOrThrow({
    where: { id: tx.organizationId },
    select: { networks: true, networksVersion: true },
  });
  return { networks, version: networksVersion };
}

/**
 * Saves the list. Throws `own_address_outside`, with the address, for a list that would leave its author out, and
 * `addresses_changed` where somebody else saved since the author looked.
 */
export async function saveAddresses(
  tx: Tx,
  { actor }: Principal,
  { networks, version }: SaveAddresses,
  address: string,
): Promise<void> {
  if (leavesOut(networks, address))
    throw new AppError(
      "own_address_outside",
      `Your own address, ${address}, is not in this list: you would be locked out at once.`,
      { extra: { address } },
    );
  const saved = await lockAddresses(tx);
  if (saved.version !== version)
    throw new AppError("addresses_changed", "Somebody else has changed the networks since you looked.");
  await write(tx, actor, saved, networks);
}

/** Sets the list for the operator, who is bound by no address. */
export async function setAddresses(tx: Tx, networks: string[]): Promise<void> {
  await write(tx, COMMAND_LINE, await lockAddresses(tx), networks);
}

async function lockAddresses(tx: Tx): Promise<SavedAddresses> {
  await tx.$queryRaw`SELECT FROM organization WHERE id = ${tx.organizationId}::uuid FOR NO KEY UPDATE`;
  return readAddresses(tx);
}

async function write(tx: Tx, actor: Actor, saved: SavedAddresses, networks: string[]): Promise<void> {
  if (networks.join() === saved.networks.join()) return;
  await tx.organization.updateMany({
    where: { id: tx.organizationId, networksVersion: saved.version },
    data: { networks, networksVersion: { increment: 1 } },
  });
  await appendEvents(tx, [
    { type: "organization.networks_changed", actor, data: { from: saved.networks, networks } },
  ]);
  // Hints about members make every open stream look at its session or key again.
  await publishChangeNow(tx, "member", [tx.organizationId]);
}

async function recordRefused(tx: Tx, address: string, actor: Actor): Promise<void> {
  const network = rememberedNetworkOf(address);
  const type = "organization.address_refused";
  // Locks, so that two simultaneous calls make one line too.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(
    ${`${tx.organizationId} ${type} ${actor.kind} ${actor.id} ${network}`}, 0))`;
  const [left] = await tx.$queryRaw<unknown[]>`SELECT seq FROM event
    WHERE organization_id = ${tx.organizationId}::uuid AND type = ${type} AND actor->>'name' = ${actor.name}
      AND actor_id IS NOT DISTINCT FROM ${actor.id} AND data->>'network' IS NOT DISTINCT FROM ${network}
      AND at > clock_timestamp() - ${REFUSALS_ARE_ONE_FOR_MS} * interval '1 ms' LIMIT 1`;
  if (!left) await appendEvents(tx, [{ type, actor, data: { network } }]);
}

/** The organizations of a session's person, and the choice among them. */

import { Prisma } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { leavesOut, networksOf, refuse } from "../../people/organizations/addresses.ts";
import { organizationsOf } from "../../people/organizations/organization-reads.ts";
import type { ListedOrganization } from "../../people/organizations/organization-schema.ts";
import { database } from "../database.ts";
import type { Caller } from "./authenticate.ts";
import { staysInOrganization } from "./person.ts";
import { namedProviders } from "./sign-in/providers.ts";

/** The organizations of a session's person, also those that do not let the session in, with what they ask for. */
export async function organizationsOfSession(sessionId: string): Promise<ListedOrganization[]> {
  const organizations = await organizationsOf(await database(), sessionId);
  return Promise.all(
    organizations.map(async ({ providers, ...rest }) => ({
      ...rest,
      providers: rest.refusal === null ? [] : await namedProviders(providers),
    })),
  );
}

/**
 * Switches the caller's session to another of their organizations. Throws `not_found` if they are no member
 * there, `unauthenticated` where an admin there has ended the session, `address_not_allowed_for_organization` where it is
 * not reached from their address, and `forbidden` for an API key.
 */
export async function chooseOrganization(
  { sessionId, me, principal }: Caller,
  organizationId: string,
  address: string,
): Promise<void> {
  if (sessionId === null || !me.user)
    throw new AppError("forbidden", "An API key belongs to one organization.");
  if (await staysInOrganization(sessionId)) throw notFound("organization");
  const db = await database();
  const [own] = await db.gate<{ networks: string[] }>(
    Prisma.sql`SELECT ${networksOf(Prisma.sql`o.id`)} AS networks FROM gate.organizations_of(${me.user.id}::uuid) o
      WHERE o.id = ${organizationId}::uuid`,
  );
  if (!own) throw notFound("organization");
  if (leavesOut(own.networks, address)) await refuse(db, organizationId, address, principal.actor);
  const [row] = await db.gate<{ chosen: boolean }>(
    Prisma.sql`SELECT gate.choose_organization(${sessionId}::uuid, ${organizationId}::uuid) AS chosen`,
  );
  if (row?.chosen) return;
  const [ended] = await db.gate<{ ended: boolean }>(
    Prisma.sql`SELECT gate.is_ended_in(${sessionId}::uuid, ${organizationId}::uuid) AS ended`,
  );
  if (ended?.ended)
    throw new AppError("unauthenticated", "An admin has ended this session there. Sign in again to go on.");
  throw notFound("organization");
}

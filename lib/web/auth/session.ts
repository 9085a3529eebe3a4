import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import type { Principal } from "../../access/principal.ts";
import { Prisma } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import type { Preferences } from "../../people/members/member-schema.ts";
import { readPreferences } from "../../people/members/preferences.ts";
import { leavesOut, networksOf } from "../../people/organizations/addresses.ts";
import type { OwnOrganization } from "../../people/organizations/organization-schema.ts";
import { database } from "../database.ts";
import { clientAddress } from "../http/client-address.ts";
import { forPage } from "../pages/page-failure.ts";
import { PATH_HEADER } from "../pages/page-headers.ts";
import { organizationsOfSession } from "./own-organizations.ts";
import {
  type Person,
  personOf,
  principalOf,
  type RefusedSession,
  refusedSessionOf,
  sessionCookieName,
  sessionOf,
  type WebSession,
} from "./session-cookie.ts";
import { signInOptions } from "./sign-in/sign-in.ts";

export type { WebSession } from "./session-cookie.ts";

/** The session of the page being rendered, read once per request. */
const currentSession = cache(async (): Promise<WebSession | typeof OUTSIDE | null> => {
  return forPage(sessionOf(await currentCookie(), await currentAddress()).catch(asOutside));
});

/** A session whose organization is not reached from the caller's address. */
const OUTSIDE = "outside";

function asOutside(error: unknown): typeof OUTSIDE {
  if (error instanceof AppError && error.code === "address_not_allowed_for_organization") return OUTSIDE;
  throw error;
}

const currentCookie = async () => (await cookies()).get(sessionCookieName())?.value;
const currentAddress = async () => clientAddress((await headers()).get("x-forwarded-for"));

/** Returns the principal of the page being rendered, or null if signed out or not reached from here. */
export async function currentPrincipal(): Promise<Principal | null> {
  const session = await currentSession();
  return session && session !== OUTSIDE ? principalOf(session) : null;
}

/**
 * Returns the session of the page being rendered. Redirects to sign-in (and back), to setup while Intray has no users,
 * or to the page that says so where the organization is not reached from the caller's address. While an admin looks as a
 * member, a page that asks for it without `inView` reads nothing: the shell shows only the lists then (`SHOWN_IN_VIEW`),
 * and a tab from before the view is led to the inbox.
 */
export async function requireSession({ inView = false } = {}): Promise<WebSession> {
  const session = await currentSession();
  if (session === OUTSIDE) redirect("/not-from-here");
  if (session?.view && !inView) redirect("/inbox");
  if (session) return session;
  if ((await signInOptions()).setupNeeded) redirect("/setup");
  const path = (await headers()).get(PATH_HEADER);
  const back = path && path !== "/" ? `?callbackUrl=${encodeURIComponent(path)}` : "";
  const refused = await currentRefusal();
  if (refused?.kind === "second_factor") redirect(`/sign-in/second-factor${back}`);
  if (!refused && (await currentPerson())) redirect("/sign-in?error=no_organization");
  redirect(`/sign-in${back}`);
}

/** The session of the page being rendered where its organization does not let it in; else null. */
export async function currentRefusal(): Promise<RefusedSession | null> {
  const cookie = (await cookies()).get(sessionCookieName())?.value;
  return forPage(refusedSessionOf(cookie));
}

/** Returns the signed-in person, also one without any organization, or null if signed out. */
async function currentPerson(): Promise<Person | null> {
  return forPage(personOf(await currentCookie()));
}

/**
 * What the page for a session from outside shows: the organization's name, and the person's others with whether those
 * are reached. Redirects home if the session's organization is reached.
 */
export async function requireOutside(): Promise<{
  organization: string;
  address: string;
  others: (OwnOrganization & { reached: boolean })[];
}> {
  if ((await currentSession()) !== OUTSIDE) redirect("/");
  const address = await currentAddress();
  const read = async () => {
    const session = await sessionOf(await currentCookie(), address, { isUse: false, anywhere: true });
    if (!session) return null;
    const db = await database();
    const own = await organizationsOfSession(session.id);
    const lists = await db.gate<{ id: string; networks: string[] }>(
      Prisma.sql`SELECT o.id, ${networksOf(Prisma.sql`o.id`)} AS networks
        FROM gate.organizations_of(${session.user.id}::uuid) o`,
    );
    const outside = new Set(lists.filter(({ networks }) => leavesOut(networks, address)).map(({ id }) => id));
    return {
      organization: session.organization.name,
      address,
      others: own
        .filter(({ id }) => id !== session.organization.id)
        .map(({ refusal: _refusal, providers: _providers, ...each }) => ({
          ...each,
          reached: !outside.has(each.id),
        })),
    };
  };
  return (await forPage(read())) ?? redirect("/");
}

/** All organizations of the signed-in member. Only behind `requireSession`. */
export async function currentOrganizations(): Promise<OwnOrganization[]> {
  const { id } = await requireSession({ inView: true });
  const organizations = await forPage(organizationsOfSession(id));
  // Whoever chooses one that does not let the session in is told then.
  return organizations.map(({ refusal: _refusal, providers: _providers, ...own }) => own);
}

/** The signed-in member's own preferences. Only behind `requireSession`. */
export async function currentPreferences(): Promise<Preferences> {
  const principal = await currentPrincipal();
  if (!principal) throw new Error("no session");
  const { organizationId } = principal;
  const read = async () => {
    const db = await database();
    return db.withOrganization(organizationId, (tx) => readPreferences(tx, principal));
  };
  return forPage(read());
}

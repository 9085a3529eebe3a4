import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import type { Principal } from "../../access/principal.ts";
import { readPreferences } from "../../members/preferences.ts";
import type { Preferences } from "../../members/schema.ts";
import type { OwnOrganization } from "../../organizations/schema.ts";
import { database } from "../database.ts";
import { forPage } from "../pages/page-failure.ts";
import { PATH_HEADER } from "../pages/page-headers.ts";
import { organizationsOfSession } from "./own-organizations.ts";
import {
  type Person,
  personOf,
  principalOf,
  sessionCookieName,
  sessionOf,
  type WebSession,
} from "./session-cookie.ts";
import { signInOptions } from "./sign-in/sign-in.ts";

export type { WebSession } from "./session-cookie.ts";

/** The session of the page being rendered, read once per request. */
const currentSession = cache(async (): Promise<WebSession | null> => {
  const cookie = (await cookies()).get(sessionCookieName())?.value;
  return forPage(sessionOf(cookie));
});

/** Returns the principal of the page being rendered, or null if signed out. */
export async function currentPrincipal(): Promise<Principal | null> {
  const session = await currentSession();
  return session && principalOf(session);
}

/**
 * Returns the session of the page being rendered. Redirects to sign-in (and back), or to setup while Intray
 * has no users. While an admin looks as a member, a page that asks for it without `inView` reads nothing:
 * the shell shows only the lists then (`SHOWN_IN_VIEW`), and a tab from before the view is led to the inbox.
 */
export async function requireSession({ inView = false } = {}): Promise<WebSession> {
  const session = await currentSession();
  if (session?.view && !inView) redirect("/inbox");
  if (session) return session;
  if ((await signInOptions()).setupNeeded) redirect("/setup");
  if (await currentPerson()) redirect("/sign-in?error=no_organization");
  const path = (await headers()).get(PATH_HEADER);
  redirect(path && path !== "/" ? `/sign-in?callbackUrl=${encodeURIComponent(path)}` : "/sign-in");
}

/** Returns the signed-in person, also one without any organization, or null if signed out. */
async function currentPerson(): Promise<Person | null> {
  const cookie = (await cookies()).get(sessionCookieName())?.value;
  return forPage(personOf(cookie));
}

/** All organizations of the signed-in member. Only behind `requireSession`. */
export async function currentOrganizations(): Promise<OwnOrganization[]> {
  const { id, user, organization } = await requireSession({ inView: true });
  return forPage(organizationsOfSession(user.id, organization.id, id));
}

/** The signed-in member's own preferences. Only behind `requireSession`. */
export async function currentPreferences(): Promise<Preferences> {
  const principal = await currentPrincipal();
  if (!principal) throw new Error("no session");
  const { organizationId } = principal;
  const read = async () => {
    const db = await database();
    return db.withOrganization(organizationId, (tx) => readPreferences(organizationId, tx, principal));
  };
  return forPage(read());
}

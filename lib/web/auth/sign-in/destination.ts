/**
 * The organization that a sign-in at a provider is for, if any: what it asks of the provider is sent along, and the new
 * session works there. The cookie between the two only chooses among the person's own organizations.
 */
import { z } from "zod";
import { Prisma } from "../../../base/db/db.ts";
import { database } from "../../database.ts";
import {
  cookieName,
  cookieOf,
  cookiesAreSecure,
  refusedSessionOf,
  sessionCookieName,
} from "../session-cookie.ts";
import type { Demand } from "./oidc.ts";

const COOKIE = "intray.sign-in-for";
/** As long as next-auth's own cookies of a sign-in. */
const COOKIE_SECONDS = 900;

interface Destination {
  organizationId: string;
  /** The session that there is was opened too long ago for it. */
  again: boolean;
}

/** The organization that the page's form named, else the one that does not let the browser's session in. */
export async function whereTo(request: Request, form: URLSearchParams): Promise<Destination | null> {
  const refused = await refusedSessionOf(cookieOf(request, sessionCookieName()));
  const organizationId = z.uuid().safeParse(form.get("organization")).data ?? refused?.organization.id;
  if (organizationId === undefined) return null;
  return { organizationId, again: refused?.organization.id === organizationId && refused.kind === "again" };
}

/** What the organization asks of this provider. Null: nothing, or there is no such organization. */
export async function demandOf(
  { organizationId, again }: Destination,
  provider: string,
): Promise<Demand | null> {
  const db = await database();
  const [row] = await db.gate<{ provider_age_ms: bigint | null; acr_values: string[] }>(
    Prisma.sql`SELECT * FROM gate.sign_in_demand(${organizationId}::uuid, ${provider})`,
  );
  if (!row) return null;
  const maxAgeMs = row.provider_age_ms === null ? null : Number(row.provider_age_ms);
  return { maxAgeMs, acrValues: row.acr_values, again: again && maxAgeMs !== null };
}

/** The `Set-Cookie` header; null deletes the cookie. */
export function destinationCookie(organizationId: string | null): string {
  const secure = cookiesAreSecure() ? "; Secure" : "";
  const seconds = organizationId === null ? 0 : COOKIE_SECONDS;
  return `${cookieName(COOKIE)}=${organizationId ?? ""}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

export function destinationIn(request: Request): string | undefined {
  return z.uuid().safeParse(cookieOf(request, cookieName(COOKIE))).data;
}

/**
 * Returns a path of this site, query included, or `/` for anything else, so that no link leads through our
 * sign-in to another site. Two leading slashes would name another host, and `/.//` becomes two.
 */
export function ownPath(url: unknown, site: string): string {
  if (typeof url !== "string") return "/";
  const home = new URL(site).origin;
  const path = url.startsWith(`${home}/`) ? url.slice(home.length) : url;
  if (!path.startsWith("/") || !URL.canParse(path, home)) return "/";
  const { origin, pathname, search } = new URL(path, home);
  return origin === home ? pathname.replace(/^\/+/, "/") + search : "/";
}

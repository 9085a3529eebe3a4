/**
 * The cookie of a signed-in browser: next-auth's encrypted token, which carries a random secret and nothing
 * else of weight. The database is asked for the user and their rights at every request.
 */
import { parseCookie } from "cookie";
import { decode } from "next-auth/jwt";
import { z } from "zod";
import { roleSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import type { Role } from "../../access/roles.ts";
import { Prisma } from "../../base/db/db.ts";
import { env, need } from "../../base/env.ts";
import { hashSecret } from "../../base/ids.ts";
import { SESSION_IDLE_MS } from "../../people/accounts/sessions.ts";
import { leavesOut, networksOf, refuse } from "../../people/organizations/addresses.ts";
import {
  type NamedProvider,
  REFUSALS,
  type RefusalKind,
} from "../../people/organizations/sign-in/sign-in-schema.ts";
import { database } from "../database.ts";
import { namedProviders } from "./sign-in/providers.ts";

export interface WebSession {
  id: string;
  user: { id: string; name: string; email: string };
  organization: { id: string; slug: string; name: string };
  role: Role;
  /** The member as whom the session looks at lists now; null: as its own person. */
  view: { userId: string; name: string; role: Role; until: string; leftMs: number } | null;
}

/** The principal of a session: in a view it has the member's id and role, and acts as nobody. */
export function principalOf({
  user,
  organization,
  role,
  view,
}: Pick<WebSession, "user" | "organization" | "role" | "view">): Principal {
  const actor = { kind: "member" as const, id: user.id, name: user.name };
  const organizationId = organization.id;
  return view
    ? { organizationId, userId: view.userId, role: view.role, actor, isView: true }
    : { organizationId, userId: user.id, role, actor };
}

/** Cookies are `Secure`, and named so, exactly where the site is https. */
export function cookiesAreSecure(): boolean {
  return env().url.startsWith("https://");
}

/** With `__Host-` a browser accepts a cookie from this very host only, so no sibling domain can plant one. */
export function cookieName(name: string): string {
  return `${cookiesAreSecure() ? "__Host-" : ""}${name}`;
}

export const sessionCookieName = (): string => cookieName("next-auth.session-token");

/** The attributes that a `__Host-` name requires; each of our cookies has them. */
export function cookieOptions() {
  return { httpOnly: true, sameSite: "lax", path: "/", secure: cookiesAreSecure() } as const;
}

/** A cookie's value as it was sent, without decoding. */
export function cookieOf(request: Request, name: string): string | undefined {
  return parseCookie(request.headers.get("cookie") ?? "", { decode: (value) => value })[name];
}

/** All cookies by name, decoded; an undecodable value is returned as sent. */
export function cookiesOf(request: Request): Record<string, string> {
  return parseCookie(request.headers.get("cookie") ?? "") as Record<string, string>;
}

/**
 * Returns the session in force behind a cookie's value, or null. `isUse`: this keeps an idle session alive. Throws
 * `address_not_allowed_for_organization` where its organization is not reached from the caller's address, unless
 * `anywhere`: the session may then do no more than leave for another organization. Neither keeps it alive.
 */
export async function sessionOf(
  cookie: string | undefined,
  address: string,
  { isUse = true, anywhere = false } = {},
): Promise<WebSession | null> {
  const secret = cookie ? await secretIn(cookie) : null;
  if (!secret) return null;
  const db = await database();
  const [row] = await db.gate<SessionRow>(
    Prisma.sql`SELECT s.*, ${networksOf(Prisma.sql`s.organization_id`)} AS networks,
        ${isUse} AND gate.use_is_due(s.session_id) AS due
      FROM gate.session(${hashSecret(secret)}, ${SESSION_IDLE_MS}::bigint, false) s`,
  );
  if (!row) return null;
  const isOutside = leavesOut(row.networks, address);
  if (isOutside && !anywhere)
    await refuse(db, row.organization_id, address, { kind: "member", id: row.user_id, name: row.name });
  if (row.due && !isOutside)
    await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.note_session_use(${hashSecret(secret)})`);
  return {
    id: row.session_id,
    user: { id: row.user_id, name: row.name, email: row.email },
    organization: { id: row.organization_id, slug: row.slug, name: row.organization_name },
    role: roleSchema.parse(row.role),
    view:
      row.viewed_user_id === null
        ? null
        : {
            userId: row.viewed_user_id,
            name: row.viewed_name,
            role: roleSchema.parse(row.viewed_role),
            until: row.viewing_until.toISOString(),
            leftMs: row.viewing_left_ms,
          },
  };
}

/** A session that its organization does not let in: see gate.sign_in_refusal. */
export interface RefusedSession {
  id: string;
  user: { id: string; name: string; email: string };
  organization: { id: string; slug: string; name: string };
  role: Role;
  kind: RefusalKind;
  /** The providers that the organization requires, if any. */
  providers: NamedProvider[];
}

/** Returns the session behind a cookie for which `sessionOf` is null because its organization does not let it in. */
export async function refusedSessionOf(cookie: string | undefined): Promise<RefusedSession | null> {
  const secret = cookie ? await secretIn(cookie) : null;
  if (!secret) return null;
  const db = await database();
  const [row] = await db.gate<RefusedRow>(
    Prisma.sql`SELECT * FROM gate.refused_session(${hashSecret(secret)}, ${SESSION_IDLE_MS}::bigint)`,
  );
  if (!row) return null;
  return {
    id: row.session_id,
    user: { id: row.user_id, name: row.name, email: row.email },
    organization: { id: row.organization_id, slug: row.slug, name: row.organization_name },
    role: roleSchema.parse(row.role),
    kind: refusalSchema.parse(row.refusal),
    providers: await namedProviders(row.providers),
  };
}

const refusalSchema = z.enum(REFUSALS);

/** The person of a session, whether or not a member of any organization. */
export interface Person {
  sessionId: string;
  id: string;
  name: string;
  email: string;
}

/** Returns the person behind a cookie's value, member or not, or null if no session is in force. */
export async function personOf(cookie: string | undefined): Promise<Person | null> {
  const secret = cookie ? await secretIn(cookie) : null;
  if (!secret) return null;
  const db = await database();
  const [row] = await db.gate<Person>(
    Prisma.sql`SELECT session_id AS "sessionId", user_id AS id, name, email
      FROM gate.session_person(${hashSecret(secret)}, ${SESSION_IDLE_MS}::bigint)`,
  );
  return row ?? null;
}

type ViewRow =
  | { viewed_user_id: null }
  | {
      viewed_user_id: string;
      viewed_name: string;
      viewed_role: string;
      viewing_until: Date;
      viewing_left_ms: number;
    };

interface RefusedRow {
  session_id: string;
  user_id: string;
  email: string;
  name: string;
  organization_id: string;
  slug: string;
  organization_name: string;
  role: string;
  refusal: string;
  providers: string[];
}

type SessionRow = ViewRow & {
  session_id: string;
  user_id: string;
  email: string;
  name: string;
  organization_id: string;
  slug: string;
  organization_name: string;
  role: string;
  /** The organization's; empty: any. */
  networks: string[];
  /** This use is to be written down. */
  due: boolean;
};

const tokenSchema = z.object({ sid: z.string().min(1) });

/** Returns the session's secret in a cookie's value, or null if the value is altered or too old. */
export async function secretIn(cookie: string): Promise<string | null> {
  // A value that is altered, too old, or sealed with another AUTH_SECRET counts as signed out.
  const token = await decode({ token: cookie, secret: need("authSecret") }).catch(() => null);
  return tokenSchema.safeParse(token).data?.sid ?? null;
}

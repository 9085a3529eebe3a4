/**
 * The cookie of a signed-in browser: next-auth's encrypted token, which carries a random secret and nothing else that
 * counts. Who it is, and what they may do, is asked of the database at every request.
 */
import { parseCookie } from "cookie";
import { decode } from "next-auth/jwt";
import { z } from "zod";
import type { Role } from "../../access/roles.ts";
import { roleSchema } from "../../access/schema.ts";
import { Prisma } from "../../base/db/db.ts";
import { env, need } from "../../base/env.ts";
import { hashSecret } from "../../base/ids.ts";
import { database } from "../database.ts";
import { SESSION_IDLE_MS } from "../tunables.ts";

export interface WebSession {
  id: string;
  user: { id: string; name: string; email: string };
  organization: { id: string; slug: string; name: string };
  role: Role;
}

/** Cookies are `Secure`, and named so, exactly where the site is https. */
export function cookiesAreSecure(): boolean {
  return env().url.startsWith("https://");
}

/** With `__Host-` a browser takes a cookie from this very host alone: no neighbour of the domain can plant one. */
export function cookieName(name: string): string {
  return `${cookiesAreSecure() ? "__Host-" : ""}${name}`;
}

export const sessionCookieName = (): string => cookieName("next-auth.session-token");

/** What `cookieName` promises to browsers; each cookie of ours has these. */
export function cookieOptions() {
  return { httpOnly: true, sameSite: "lax", path: "/", secure: cookiesAreSecure() } as const;
}

/** A cookie's value as it was sent, without decoding. */
export function cookieOf(request: Request, name: string): string | undefined {
  return parseCookie(request.headers.get("cookie") ?? "", { decode: (value) => value })[name];
}

/** All cookies by name, decoded; a value that is no encoding is taken as it is. */
export function cookiesOf(request: Request): Record<string, string> {
  return parseCookie(request.headers.get("cookie") ?? "") as Record<string, string>;
}

/** The session in force behind a cookie's value, or null. */
export async function sessionOf(cookie: string | undefined): Promise<WebSession | null> {
  const secret = cookie ? await secretIn(cookie) : null;
  if (!secret) return null;
  const db = await database();
  const [row] = await db.gate<SessionRow>(
    Prisma.sql`SELECT * FROM gate.session(${hashSecret(secret)}, ${SESSION_IDLE_MS}::bigint)`,
  );
  if (!row) return null;
  return {
    id: row.session_id,
    user: { id: row.user_id, name: row.name, email: row.email },
    organization: { id: row.organization_id, slug: row.slug, name: row.organization_name },
    role: roleSchema.parse(row.role),
  };
}

/** Whose session it is, be they a member of anything or not. */
export interface Person {
  sessionId: string;
  id: string;
  name: string;
  email: string;
}

/** The person behind a cookie's value, also one who is a member nowhere (any more); null: no session in force. */
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

interface SessionRow {
  session_id: string;
  user_id: string;
  email: string;
  name: string;
  organization_id: string;
  slug: string;
  organization_name: string;
  role: string;
}

const tokenSchema = z.object({ sid: z.string().min(1) });

/** The session's secret in a cookie's value; null: altered, or too old. */
export async function secretIn(cookie: string): Promise<string | null> {
  // Altered, too old, or sealed with another AUTH_SECRET: not signed in.
  const token = await decode({ token: cookie, secret: need("authSecret") }).catch(() => null);
  return tokenSchema.safeParse(token).data?.sid ?? null;
}

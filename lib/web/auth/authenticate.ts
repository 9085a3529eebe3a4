import type { Principal } from "../../access/principal.ts";
import { roleSchema } from "../../access/schema.ts";
import { Prisma } from "../../base/db/db.ts";
import { hashSecret } from "../../base/ids.ts";
import type { Me } from "../../members/schema.ts";
import { database } from "../database.ts";
import { UNATTENDED_HEADER } from "../pages/page-headers.ts";
import { cookieOf, principalOf, sessionCookieName, sessionOf } from "./session-cookie.ts";

/** The caller, as transitions know them (`principal`) and as they see themselves (`me`). */
export interface Caller {
  principal: Principal;
  me: Me;
  /** A browser sends a session's cookie by itself, so writes by session must prove their origin. */
  via: "session" | "key";
  /** The caller's session; null for an API key. */
  sessionId: string | null;
}

/**
 * Returns the caller by API key, else by session cookie, or null if neither is valid. A wrong key is refused
 * even with a valid cookie. A session ends once nobody used it for a while: what a page or a stream asks by itself
 * (`isUse`: false, or UNATTENDED_HEADER) does not count as use.
 */
export async function authenticate(request: Request, { isUse = true } = {}): Promise<Caller | null> {
  const header = request.headers.get("authorization");
  if (header !== null) return byKey(/^Bearer +(\S+)$/i.exec(header)?.[1]);
  const session = await sessionOf(cookieOf(request, sessionCookieName()), {
    isUse: isUse && !request.headers.has(UNATTENDED_HEADER),
  });
  if (!session) return null;
  const { user, organization, role } = session;
  return {
    principal: principalOf(session),
    me: { user, organization, role },
    via: "session",
    sessionId: session.id,
  };
}

async function byKey(secret: string | undefined): Promise<Caller | null> {
  if (!secret) return null;
  const db = await database();
  const [row] = await db.gate<KeyRow>(Prisma.sql`SELECT * FROM gate.api_key(${hashSecret(secret)})`);
  if (!row) return null;
  const role = roleSchema.parse(row.role);
  const actor = { kind: "key" as const, id: row.id, name: row.name };
  return {
    principal: { organizationId: row.organization_id, userId: null, role, actor },
    me: {
      user: null,
      organization: { id: row.organization_id, slug: row.slug, name: row.organization_name },
      role,
    },
    via: "key",
    sessionId: null,
  };
}

interface KeyRow {
  organization_id: string;
  slug: string;
  organization_name: string;
  id: string;
  name: string;
  role: string;
}

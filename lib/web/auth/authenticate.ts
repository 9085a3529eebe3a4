import { type Actor, roleSchema } from "../../access/access-schema.ts";
import type { KeyScope, Principal } from "../../access/principal.ts";
import { PREFIX as AGENT_PREFIX } from "../../agents/agent-writes.ts";
import { type Database, Prisma, storableText } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { hashSecret } from "../../base/ids.ts";
import { rememberedNetworkOf } from "../../base/network/address.ts";
import { permissionSchema } from "../../people/api-keys/api-key-schema.ts";
import { recordRefusedAddress } from "../../people/api-keys/api-key-writes.ts";
import type { Me } from "../../people/members/member-schema.ts";
import { leavesOut, refuse, refuseOutside } from "../../people/organizations/addresses.ts";
import { signInRefused } from "../../people/organizations/sign-in/sign-in-status.ts";
import { database } from "../database.ts";
import { clientAddress } from "../http/client-address.ts";
import { UNATTENDED_HEADER } from "../pages/page-headers.ts";
import { cookieOf, principalOf, refusedSessionOf, sessionCookieName, sessionOf } from "./session-cookie.ts";

/** The caller, as transitions know them (`principal`) and as they see themselves (`me`). */
export interface Caller {
  principal: Principal;
  me: Me;
  /** A browser sends a session's cookie by itself, so writes by session must prove their origin. */
  via: "session" | "key";
  /** The caller's session; null for an API key. */
  sessionId: string | null;
}

interface Asked {
  /** False: this does not keep an idle session alive. */
  isUse?: boolean;
  /** Also a session that its organization does not let in: for calls about the person's account alone. */
  whileRefused?: boolean;
  /** Also a session from outside of its organization's networks (see `sessionOf`). */
  anywhere?: boolean;
}

/**
 * Returns the caller by API key, else by session cookie, or null if neither is valid. A wrong key is refused
 * even with a valid cookie. A session ends once nobody used it for a while: what a page or a stream asks by itself
 * (`isUse`: false, or UNATTENDED_HEADER) does not count as use. Throws why for a session that its organization does not
 * let in, for one from outside of the organization's networks (`anywhere`: it is taken nevertheless, see `sessionOf`), and
 * for a key that does not work now.
 */
export async function authenticate(
  request: Request,
  { isUse = true, whileRefused = false, anywhere = false }: Asked = {},
): Promise<Caller | null> {
  const header = request.headers.get("authorization");
  if (header !== null) return byKey(/^Bearer +(\S+)$/i.exec(header)?.[1], request);
  const cookie = cookieOf(request, sessionCookieName());
  const session = await sessionOf(cookie, addressOf(request), {
    isUse: isUse && !request.headers.has(UNATTENDED_HEADER),
    anywhere,
  });
  if (!session) return byRefusedSession(cookie, addressOf(request), whileRefused);
  const { user, organization, role } = session;
  return {
    principal: principalOf(session),
    me: { user, organization, role },
    via: "session",
    sessionId: session.id,
  };
}

/** The caller of a call that has waited: their access may have ended meanwhile. Throws `unauthenticated`. */
export async function authenticateAgain(request: Request): Promise<Caller> {
  const caller = await authenticate(request, { isUse: false });
  if (caller) return caller;
  throw new AppError("unauthenticated", "Sign in, or send an API key as a Bearer token.");
}

/** From outside of the organization's networks nothing is said of it, not even what it asks for. */
async function byRefusedSession(
  cookie: string | undefined,
  address: string,
  isOpen: boolean,
): Promise<Caller | null> {
  const refused = await refusedSessionOf(cookie);
  if (!refused) return null;
  const { user, organization, role } = refused;
  const actor = { kind: "member" as const, id: user.id, name: user.name };
  if (!isOpen) await refuseOutside(await database(), organization.id, address, actor);
  if (!isOpen) throw signInRefused(refused.kind, organization.name, refused.providers);
  return {
    principal: principalOf({ ...refused, view: null }),
    me: { user, organization, role },
    via: "session",
    sessionId: refused.id,
  };
}

const addressOf = (request: Request) => clientAddress(request.headers.get("x-forwarded-for"));

/**
 * Throws `key_rests` if the organization's sign-in provider has signed out the key's maker, `service_account_rests`, and
 * `key_expired`. For an address outside the organization's or the key's networks, adds a line to the history, and throws
 * `address_not_allowed_for_organization` or `address_not_allowed_for_key`.
 */
async function byKey(secret: string | undefined, request: Request): Promise<Caller | null> {
  if (!secret) return null;
  if (secret.startsWith(AGENT_PREFIX))
    throw new AppError(
      "unauthenticated",
      "This is an agent’s secret, which works only at /mcp. Send an API key as a Bearer token.",
    );
  const db = await database();
  const hash = hashSecret(secret);
  const [row] = await db.gate<KeyRow>(Prisma.sql`SELECT * FROM gate.key_behind(${hash})`);
  if (!row) return refuseResting(db, hash);
  if (row.ended)
    throw new AppError("key_expired", `This key, or this secret of it, ended ${row.ends_at?.toISOString()}.`);
  const address = addressOf(request);
  await refuseOtherAddress(db, row, address);
  if (row.rests)
    throw new AppError(
      "service_account_rests",
      "The service account of this key is suspended. It needs an owner with a role as strong as its own, a new sign-in of its owner, or an admin who resumes it.",
    );
  if (!row.noted) await noteUse(db, row, rememberedNetworkOf(address), request.headers.get("user-agent"));
  const role = roleSchema.parse(row.role);
  const actor = actorOf(row);
  return {
    principal: { organizationId: row.organization_id, userId: null, role, actor, ...scopeOf(row) },
    me: {
      user: null,
      organization: { id: row.organization_id, slug: row.slug, name: row.organization_name },
      role,
    },
    via: "key",
    sessionId: null,
  };
}

async function refuseResting(db: Database, hash: Buffer): Promise<null> {
  const [row] = await db.gate<{ rests: boolean }>(Prisma.sql`SELECT gate.key_rests(${hash}) AS rests`);
  if (!row?.rests) return null;
  throw new AppError(
    "key_rests",
    "This key is suspended: its creator must sign in again through the organization’s sign-in provider.",
  );
}

/** A key of a service account acts in the account's name, with its owner's. */
function actorOf({ id, name, service_account_name: account, owner_name: owner }: KeyRow): Actor {
  if (account === null) return { kind: "key", id, name };
  return { kind: "key", id, name: owner === null ? account : `${account} (${owner})`, serviceAccount: true };
}

/** A permission that this version does not know is left out, never taken for all. */
function scopeOf({ permissions, servers, tools }: KeyRow): { scope?: KeyScope } {
  if (permissions === null && servers.length === 0 && tools.length === 0) return {};
  const known =
    permissions?.flatMap((permission) => permissionSchema.safeParse(permission).data ?? []) ?? null;
  return { scope: { permissions: known, servers, tools } };
}

async function refuseOtherAddress(db: Database, row: KeyRow, address: string): Promise<void> {
  if (leavesOut(row.organization_networks, address))
    await refuse(db, row.organization_id, address, actorOf(row));
  if (!leavesOut(row.networks, address)) return;
  await db.withOrganization(row.organization_id, (tx) =>
    recordRefusedAddress(tx, row, rememberedNetworkOf(address)),
  );
  throw new AppError("address_not_allowed_for_key", "This key can’t be used from your address.");
}

/** The longest `User-Agent` that is kept. */
const AGENT_CHARACTERS = 200;

/** Writes a key's use down: the first one of a minute. */
async function noteUse(
  db: Database,
  { organization_id, id }: KeyRow,
  network: string | null,
  agent: string | null,
): Promise<void> {
  const kept = agent === null ? null : storableText(agent.slice(0, AGENT_CHARACTERS));
  await db.gate(Prisma.sql`SELECT 1 AS done
    FROM gate.note_key_use(${organization_id}::uuid, ${id}::uuid, ${network}, ${kept})`);
}

interface KeyRow {
  organization_id: string;
  slug: string;
  organization_name: string;
  id: string;
  name: string;
  role: string;
  ends_at: Date | null;
  ended: boolean;
  networks: string[];
  organization_networks: string[];
  /** Null: the key is its maker's own. */
  service_account_name: string | null;
  owner_name: string | null;
  rests: boolean;
  permissions: string[] | null;
  servers: string[];
  tools: string[];
  /** The use of this minute is written down. */
  noted: boolean;
}

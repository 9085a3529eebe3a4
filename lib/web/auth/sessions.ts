/** Opens and ends sessions: rows found by the cookie's secret, so that an end takes effect at once. */

import { Prisma } from "../../base/db/db.ts";
import { hashSecret, randomSecret } from "../../base/ids.ts";
import type { SignInMethod } from "../../people/accounts/account-schema.ts";
import { database } from "../database.ts";
import { SESSION_LIFETIME_MS } from "../tunables.ts";

/** The browser of a sign-in, as a person can recognise it among their sessions. */
export interface Browser {
  userAgent: string | null;
  address: string | null;
  /** See `Origin`; by these two a sign-in from somewhere new is noticed. Null: unknown. */
  network?: string | null;
  browser?: string | null;
}

/** What a provider said of a sign-in. */
export interface Proof {
  /** The provider's id in the sign-in settings, or `saml:` and the id of an organization's own. */
  provider: string;
  /** Whom the provider means, in its words: `sub`, or a name id. */
  subject: string;
  /** Which of its sessions: `sid`, or a session index. */
  session?: string;
  /** When the person proved to the provider who they are, and by what. */
  authenticatedAt?: Date;
  acr?: string;
  amr?: string[];
  /** When the provider's session ends, and ours with it. */
  endsAt?: Date;
  /** The browser was signed in, so that the provider was asked to ask the person anew. */
  again?: boolean;
}

/** How somebody showed without a provider who they are (RFC 8176): `otp` where a code came with the password. */
export interface OwnProof {
  amr: ("pwd" | "otp")[];
}

/** Where the provider says when the person showed who they are. */
const OPENED_BY: Partial<Record<SignInMethod, string>> = {
  saml: "gate.open_saml_session",
  oidc: "gate.open_oidc_session",
};

/**
 * Opens a session and returns its secret, which is stored nowhere but in the browser's cookie. `epoch`: the account's,
 * as it was before its password, passkey, code or identity was checked. Returns null if the account was given to
 * another person since, and for a person who is no member where an organization's own provider signs them in.
 * `organizationId`: where the person was going; without effect unless they are a member there.
 */
export async function openSession(
  userId: string,
  method: SignInMethod,
  { userAgent, address, network = null, browser = null }: Browser,
  epoch: number,
  proof?: Proof | OwnProof,
  organizationId?: string,
): Promise<string | null> {
  const secret = randomSecret();
  const db = await database();
  const open = Prisma.raw(OPENED_BY[method] ?? "gate.open_session");
  const endsAt = proof && "endsAt" in proof ? proof.endsAt : undefined;
  const lifetimeMs = Math.min(
    SESSION_LIFETIME_MS,
    endsAt ? Math.max(0, endsAt.getTime() - Date.now()) : SESSION_LIFETIME_MS,
  );
  const [row] = await db.gate<{
    id: string | null;
  }>(Prisma.sql`SELECT ${open}(${hashSecret(secret)}, ${userId}::uuid,
    ${lifetimeMs}::bigint, ${method}, ${userAgent?.slice(0, 300) ?? null}, ${address}, ${network},
    ${browser}, ${epoch}::integer, ${proof ? JSON.stringify(proof) : null}::jsonb) AS id`);
  if (!row?.id) return null;
  if (organizationId !== undefined)
    await db.gate(
      Prisma.sql`SELECT gate.choose_organization(${row.id}::uuid, ${organizationId}::uuid) AS chosen`,
    );
  return secret;
}

/** The account's epoch, for `openSession`. */
export async function credentialsEpoch(userId: string): Promise<number> {
  const db = await database();
  const [row] = await db.gate<{ epoch: number | null }>(
    Prisma.sql`SELECT gate.credentials_epoch(${userId}::uuid) AS epoch`,
  );
  return row?.epoch ?? -1;
}

/** The person of a session has set an app of codes up in it, and shown one: as if it had been asked at the sign-in. */
export async function markSecondFactor(sessionId: string, userId: string): Promise<void> {
  const db = await database();
  await db.gate(Prisma.sql`SELECT gate.second_factor_shown(${sessionId}::uuid, ${userId}::uuid) AS done`);
}

export async function closeSession(secret: string): Promise<void> {
  const db = await database();
  await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.revoke_session(${hashSecret(secret)})`);
}

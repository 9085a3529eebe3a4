/**
 * Links accounts to sign-in providers. An identity is an issuer and its subject; an e-mail address only helps
 * to find an existing account, once, where the provider has verified the address and the operator's policy
 * allows it.
 */
import { z } from "zod";
import { type Database, Prisma } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import type { Services } from "../../base/process/services.ts";
import { emailSchema } from "../members/member-schema.ts";
import { applyGroups, type GroupRule, type GroupSource } from "./groups.ts";

/** An operator's rules for one provider. */
export interface IdentityPolicy extends GroupSource {
  issuer: string;
  /** Domains whose verified addresses may sign in; empty: all. */
  allowedDomains: string[];
  /**
   * A verified address of a trusted domain signs in to the account that has it, and any verified one to a new account
   * if it was invited.
   */
  linkByEmail: boolean;
  /** Domains for which the operator takes the provider's word: it proves whose an address is. Empty: none. */
  trustedDomains: string[];
  /** A person in one of the groups gets an account. */
  createAccounts: boolean;
  groupsClaim: string;
  groups: GroupRule[];
}

/** The claims of a checked ID token, with those of the provider's user info. */
export const claimsSchema = z.looseObject({
  iss: z.string(),
  sub: z.string().min(1).max(255),
  email: emailSchema.optional().catch(undefined),
  // Some providers send it as text.
  email_verified: z
    .union([z.boolean(), z.enum(["true", "false"]).transform((value) => value === "true")])
    .optional()
    .catch(undefined),
  name: z.string().trim().min(1).max(80).optional().catch(undefined),
  preferred_username: z.string().trim().min(1).max(80).optional().catch(undefined),
});
export type Claims = z.infer<typeof claimsSchema>;

export type Refusal =
  | "email_unverified"
  | "domain_not_allowed"
  | "no_account"
  | "account_exists"
  | "no_organization";

/**
 * Signs in a person of the provider and applies their groups. Returns the user id and the account's epoch, or a
 * refusal. `provenEmail`: the address that the ID token itself says is verified.
 */
export async function signInIdentity(
  services: Services,
  policy: IdentityPolicy,
  claims: Claims,
  provenEmail: string | null,
): Promise<{ userId: string; epoch: number } | { refused: Refusal }> {
  const { db } = services;
  const known = await findIdentity(db, policy.issuer, claims.sub);
  const trusted = isTrusted(policy, provenEmail) ? provenEmail : null;
  const found =
    judge(policy, claims) ?? (known ? { userId: known } : await adopt(db, policy, claims, trusted));
  if (known && trusted)
    await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.prove_by_identity(${known}::uuid, ${trusted})`);
  if (typeof found === "string" || "refused" in found) {
    const refused = typeof found === "string" ? found : found.refused;
    if (known) await noteRefusal(db, known, refused);
    return { refused };
  }
  await applyGroups(services, policy, found.userId, groupsOf(policy, claims));
  const [person] = await db.gate<{ memberships: number; epoch: number }>(
    Prisma.sql`SELECT memberships, gate.credentials_epoch(${found.userId}::uuid) AS epoch
      FROM gate.person(${found.userId}::uuid)`,
  );
  // The account may have been given to another person meanwhile, without this identity.
  if (!person || (await findIdentity(db, policy.issuer, claims.sub)) !== found.userId)
    return { refused: "no_account" };
  // A person without an organization may see nothing but an invitation.
  return person.memberships || (await isInvited(db, policy, claims))
    ? { ...found, epoch: person.epoch }
    : { refused: "no_organization" };
}

/** Returns a refusal that depends on the claims alone, or null if they are acceptable. */
function judge({ allowedDomains }: IdentityPolicy, { email, email_verified }: Claims): Refusal | null {
  if (allowedDomains.length === 0) return null;
  if (!email || email_verified !== true) return "email_unverified";
  return allowedDomains.includes(domainOf(email)) ? null : "domain_not_allowed";
}

/** Whether the provider's word for an address is enough to hand out the account that has it. */
function isTrusted({ trustedDomains }: IdentityPolicy, email: string | null): boolean {
  return email !== null && trustedDomains.includes(domainOf(email));
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1);
}

/**
 * Finds or makes an account for a new identity: the one with its address, or a new one. `trusted`: the address, if the
 * provider has proved it; only then is an account that exists handed out, and one that nobody has proved is replaced.
 */
async function adopt(
  db: Database,
  policy: IdentityPolicy,
  claims: Claims,
  trusted: string | null,
): Promise<{ userId: string } | { refused: Refusal }> {
  const { email, email_verified, sub } = claims;
  const inGroup = policy.createAccounts && groupsOf(policy, claims).length > 0;
  if (!policy.linkByEmail && !inGroup) return { refused: "no_account" };
  if (!email || email_verified !== true) return { refused: "email_unverified" };
  const [account] = await db.gate<{ user_id: string; proven: boolean }>(
    Prisma.sql`SELECT user_id, proven FROM gate.account_by_email(${email})`,
  );
  const proves = trusted === email;
  if (account && !(policy.linkByEmail && proves)) return { refused: "account_exists" };
  if (!account && !inGroup && !(await isInvited(db, policy, claims))) return { refused: "no_account" };
  const name = claims.name ?? claims.preferred_username ?? email.slice(0, email.indexOf("@"));
  const identity = Prisma.sql`${policy.issuer}, ${sub}`;
  const adopted = account?.proven
    ? Prisma.sql`gate.link_identity(${account.user_id}::uuid, ${identity})`
    : account
      ? Prisma.sql`gate.replace_by_identity(${account.user_id}::uuid, ${name.slice(0, 80)}, ${identity})`
      : Prisma.sql`gate.create_account(${uuidv7()}::uuid, ${email}, ${name.slice(0, 80)}, ${identity}, ${proves})`;
  const [row] = await db.gate<{ user_id: string | null }>(Prisma.sql`SELECT ${adopted} AS user_id`);
  return row?.user_id ? { userId: row.user_id } : { refused: "account_exists" };
}

/**
 * Whether an open invitation exists for the verified address. False unless the operator trusts the provider's
 * addresses.
 */
async function isInvited(
  db: Database,
  { linkByEmail }: IdentityPolicy,
  { email, email_verified }: Claims,
): Promise<boolean> {
  if (!linkByEmail || !email || email_verified !== true) return false;
  const [row] = await db.gate<{ invited: boolean }>(Prisma.sql`SELECT gate.is_invited(${email}) AS invited`);
  return row?.invited === true;
}

export async function findIdentity(db: Database, issuer: string, subject: string): Promise<string | null> {
  const [row] = await db.gate<{ user_id: string | null }>(
    Prisma.sql`SELECT gate.identity(${issuer}, ${subject}) AS user_id`,
  );
  return row?.user_id ?? null;
}

/** The rules whose group the person is in. A claim of one text counts as a list of one. */
function groupsOf({ groups, groupsClaim }: IdentityPolicy, claims: Claims): GroupRule[] {
  const claim = claims[groupsClaim];
  const held = new Set(Array.isArray(claim) ? claim : [claim]);
  return groups.filter((rule) => held.has(rule.claim));
}

const identityRows = z.array(z.object({ issuer: z.string(), created_at: z.date(), last_used_at: z.date() }));

export async function listIdentities(db: Database, userId: string) {
  const rows = await db.gate(Prisma.sql`SELECT * FROM gate.identities(${userId}::uuid)`);
  return identityRows.parse(rows).map((row) => ({
    issuer: row.issuer,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at.toISOString(),
  }));
}

/** Records a refused sign-in in the person's own history, which no organization sees. */
export async function noteRefusal(db: Database, userId: string, reason: string): Promise<void> {
  await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.account_event(${userId}::uuid, 'session.refused',
    ${JSON.stringify({ reason })}::jsonb)`);
}

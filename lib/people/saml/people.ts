/**
 * Whom an organization's identity provider signs in. It is run by one tenant, so that its word counts inside that
 * organization alone: docs/decisions/041-saml-stays-inside.md.
 */
import { z } from "zod";
import { ROLES, type Role } from "../../access/roles.ts";
import { type Database, Prisma } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import type { Services } from "../../base/process/services.ts";
import { applyGroups } from "../accounts/groups.ts";
import { findIdentity, noteRefusal } from "../accounts/identities.ts";
import { acceptInvitationByProvider, isInvited } from "../invitations/invitation-writes.ts";
import { emailSchema } from "../members/member-schema.ts";
import { isVerifiedDomain } from "../organizations/domains/domain-reads.ts";
import { issuerOf, type SignInProvider } from "./saml-reads.ts";
import type { SamlTestReport } from "./saml-schema.ts";

/** An assertion as it was kept between two requests of the browser. */
export const keptClaimsSchema = z.object({
  subject: z.string(),
  sessionIndex: z.string().nullable(),
  authenticatedAt: z.coerce.date(),
  endsAt: z.coerce.date().nullable(),
  acr: z.string().nullable(),
  attributes: z.record(z.string(), z.array(z.string())),
});
export type KeptClaims = z.infer<typeof keptClaimsSchema>;

export type SamlRefusal =
  | "no_email"
  | "account_exists"
  | "no_account"
  | "suspended"
  | "account_unproven"
  | "linked_to_other";

/** The names that Entra, Okta, Google and others use by default. */
const USUAL = {
  email: [
    "email",
    "mail",
    "emailAddress",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
    "urn:oid:0.9.2342.19200300.100.1.3",
  ],
  name: [
    "displayName",
    "name",
    "http://schemas.microsoft.com/identity/claims/displayname",
    "urn:oid:2.16.840.1.113730.3.1.241",
  ],
  groups: ["groups", "group", "memberOf", "http://schemas.microsoft.com/ws/2008/06/identity/claims/groups"],
};

interface Person {
  email: string | null;
  name: string | null;
  groups: string[];
}

/** What the attributes say of the person. A name id that is an address stands in for the address. */
function personIn({ attributes: named }: Pick<SignInProvider, "attributes">, claims: KeptClaims): Person {
  const valuesOf = (kind: keyof typeof USUAL) => {
    const names = named[kind] === null ? USUAL[kind] : [named[kind]];
    const found = names.find((name) => Object.hasOwn(claims.attributes, name));
    return found === undefined ? [] : (claims.attributes[found] ?? []);
  };
  const [email] = [...valuesOf("email"), ...(named.email === null ? [claims.subject] : [])];
  const [name] = valuesOf("name");
  return {
    email: emailSchema.safeParse(email).data ?? null,
    name: z.string().trim().min(1).safeParse(name).data?.slice(0, 80) ?? null,
    groups: valuesOf("groups"),
  };
}

/** The role by the rules; null: the person is in none of the groups. The strongest wins. */
function roleByGroups({ groups }: Pick<SignInProvider, "groups">, held: string[]): Role | null {
  const roles: Role[] = groups.filter(({ claim }) => held.includes(claim)).map(({ role }) => role);
  return ROLES.findLast((role) => roles.includes(role)) ?? null;
}

export function reportOf(provider: SignInProvider, claims: KeptClaims): SamlTestReport {
  const { email, name, groups } = personIn(provider, claims);
  const role = roleByGroups(provider, groups) ?? (provider.createAccounts ? provider.defaultRole : null);
  return { subject: claims.subject, email, name, groups: groups.slice(0, 100), role };
}

/**
 * Finds or makes the account, and brings its membership in line with the rules. Returns the account and its epoch as it
 * was before, or a refusal. An account that exists is handed out to nobody: its person links it (`linkIdentity`).
 */
export async function signInAsserted(
  services: Services,
  provider: SignInProvider,
  claims: KeptClaims,
): Promise<{ userId: string; epoch: number } | { refused: SamlRefusal }> {
  const { db } = services;
  const issuer = issuerOf(provider.id);
  const person = personIn(provider, claims);
  const known = await findIdentity(db, issuer, claims.subject);
  const found = known ? { userId: known } : await adopt(services, provider, claims.subject, person);
  if ("refused" in found) return found;
  const { userId } = found;
  const [row] = await db.gate<{ epoch: number | null }>(
    Prisma.sql`SELECT gate.credentials_epoch(${userId}::uuid) AS epoch`,
  );
  // The account may have been given to another person meanwhile, without this identity.
  if (row?.epoch == null || (await findIdentity(db, issuer, claims.subject)) !== userId)
    return { refused: "no_account" };
  const refused = await joinOrganization(services, provider, userId, person);
  if (!refused) return { userId, epoch: row.epoch };
  await noteRefusal(db, userId, refused);
  return { refused };
}

async function adopt(
  { db }: Services,
  provider: SignInProvider,
  subject: string,
  { email, name, groups }: Person,
): Promise<{ userId: string } | { refused: SamlRefusal }> {
  const { organizationId } = provider;
  if (!email) return { refused: "no_email" };
  const issuer = issuerOf(provider.id);
  const [account] = await db.gate<{ user_id: string; proven: boolean }>(
    Prisma.sql`SELECT user_id, proven FROM gate.account_by_email(${email})`,
  );
  if (account) {
    const isOwn = await db.withOrganization(organizationId, async (tx) => {
      const member = await tx.membership.findFirst({ where: { organizationId, userId: account.user_id } });
      return member !== null && (await isVerifiedDomain(tx, email.slice(email.lastIndexOf("@") + 1)));
    });
    const linked = account.proven && isOwn ? await keepIdentity(db, account.user_id, issuer, subject) : null;
    return linked ? { userId: linked } : { refused: "account_exists" };
  }
  const isLetIn =
    (provider.createAccounts && (roleByGroups(provider, groups) ?? provider.defaultRole) !== null) ||
    (await db.withOrganization(organizationId, (tx) => isInvited(tx, email)));
  if (!isLetIn) return { refused: "no_account" };
  // Unproven: whoever proves the address elsewhere gets the account without this identity (decision 034).
  const [row] = await db.gate<{
    user_id: string | null;
  }>(Prisma.sql`SELECT gate.create_account(${uuidv7()}::uuid,
    ${email}, ${name ?? email.slice(0, email.indexOf("@")).slice(0, 80)}, ${issuer}, ${subject}, false) AS user_id`);
  return row?.user_id ? { userId: row.user_id } : { refused: "account_exists" };
}

/** Null once the person is a member. */
async function joinOrganization(
  services: Services,
  provider: SignInProvider,
  userId: string,
  { groups }: Person,
): Promise<SamlRefusal | null> {
  const { organizationId } = provider;
  const { db } = services;
  const memberOf = () =>
    db.withOrganization(organizationId, (tx) =>
      tx.membership.findFirst({ where: { organizationId, userId }, select: { grantedBy: true, role: true } }),
    );
  const before = await db.withOrganization(organizationId, async (tx) => {
    if (await tx.suspendedMember.findFirst({ where: { organizationId, userId } })) return "suspended";
    const member = await tx.membership.findFirst({ where: { organizationId, userId } });
    return member ? "member" : null;
  });
  if (before === "suspended") return "suspended";
  if (before === null) await acceptOwnInvitation(services, organizationId, userId);
  const member = await memberOf();
  if (member || provider.createAccounts) await applyRules(services, provider, userId, groups, member);
  return (await memberOf()) ? null : "no_account";
}

/** By the account's address, not by what the provider says today. */
async function acceptOwnInvitation({ db }: Services, organizationId: string, userId: string): Promise<void> {
  const [account] = await db.gate<{ name: string; email: string }>(
    Prisma.sql`SELECT name, email FROM gate.person(${userId}::uuid)`,
  );
  if (account)
    await db.withOrganization(organizationId, (tx) =>
      acceptInvitationByProvider(tx, { id: userId, ...account }),
    );
}

/**
 * The rules for groups, as the operator's providers have them. The role for everybody else is a new member's; it takes
 * a role back only where rules gave it. Owners are people's to make and unmade: no rule is about them.
 */
async function applyRules(
  services: Services,
  provider: SignInProvider,
  userId: string,
  held: string[],
  member: { grantedBy: string | null; role: string } | null,
): Promise<void> {
  if (member?.role === "owner") return;
  const { slug: organization, groups, defaultRole, name } = provider;
  const id = issuerOf(provider.id);
  const otherwise = provider.createAccounts ? defaultRole : null;
  const isOurs = member === null || (member.grantedBy === id && groups.length > 0);
  const role = roleByGroups(provider, held) ?? (isOurs ? otherwise : null);
  if (role === null && groups.length === 0) return;
  const rules = groups.map((rule) => ({ ...rule, organization }));
  const given = role === null ? [] : [{ claim: "", organization, role }];
  await applyGroups(services, { id, name, groups: [...rules, ...given] }, userId, given);
}

/**
 * Links the signed-in person's own account, a member's. Another account that the provider means by that name stays
 * with it.
 */
export async function linkIdentity(
  { db }: Services,
  provider: SignInProvider,
  userId: string,
  subject: string,
): Promise<SamlRefusal | null> {
  const { organizationId } = provider;
  const member = await db.withOrganization(organizationId, (tx) =>
    tx.membership.findFirst({ where: { organizationId, userId } }),
  );
  if (!member) return "no_account";
  const whose = await keepIdentity(db, userId, issuerOf(provider.id), subject);
  return whose === userId ? null : whose === null ? "account_unproven" : "linked_to_other";
}

/** Takes the link back: the provider's sessions of the account end. */
export async function unlinkIdentity(db: Database, userId: string, providerId: string): Promise<void> {
  await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.unlink_saml(${userId}::uuid, ${issuerOf(providerId)})`);
}

/** To a proven account alone. Returns whose the identity is now; null: the account is unproven. */
async function keepIdentity(
  db: Database,
  userId: string,
  issuer: string,
  subject: string,
): Promise<string | null> {
  const [row] = await db.gate<{ user_id: string | null }>(
    Prisma.sql`SELECT gate.link_identity(${userId}::uuid, ${issuer}, ${subject}) AS user_id`,
  );
  return row?.user_id ?? null;
}

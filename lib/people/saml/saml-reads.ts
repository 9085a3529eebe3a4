import { may } from "../../access/permissions.ts";
import type { Principal } from "../../access/principal.ts";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import type { Seal, SealedPlace } from "../../base/seal.ts";
import { describeCertificate } from "./certificate.ts";
import type { Parties } from "./response.ts";
import {
  givenRoleSchema,
  groupRulesSchema,
  type SamlLink,
  type SamlProvider,
  storedTestReportSchema,
} from "./saml-schema.ts";

/** The issuer of a provider's identities, which no other provider of anybody's has, and the provider of its sessions. */
export const issuerOf = (providerId: string) => `saml:${providerId}`;

export const keyPlace = (organizationId: string, id: string): SealedPlace => ({
  organizationId,
  table: "saml_provider",
  row: id,
  column: "sealed_key",
});

/** Our side of a provider. `site`: INTRAY_URL. */
function ownAddresses(site: string, id: string) {
  const base = `${site}/api/auth/saml/${id}`;
  return {
    entityId: `${base}/metadata`,
    acsUrl: `${base}/acs`,
    metadataUrl: `${base}/metadata`,
    startUrl: `${base}/start`,
  };
}

/** Lists the organization's providers, oldest first; they are few. */
export async function listSamlProviders(tx: Tx, principal: Principal, site: string): Promise<SamlProvider[]> {
  const rows = await tx.samlProvider.findMany({
    where: { organizationId: tx.organizationId },
    select: SHOWN,
    orderBy: ORDER,
  });
  const holders = await readHolders(tx, principal, rows);
  return rows.map((row) => toProvider(row, holders, site));
}

/** Throws `not_found`. */
export async function readSamlProvider(
  tx: Tx,
  principal: Principal,
  site: string,
  id: string,
): Promise<SamlProvider> {
  const row = await tx.samlProvider.findFirst({
    where: { organizationId: tx.organizationId, id },
    select: SHOWN,
  });
  if (!row) throw notFound("SAML provider");
  return toProvider(row, await readHolders(tx, principal, [row]), site);
}

interface Holder {
  id: string | null;
  name: string;
  /** The principal is another person, by the line of invitations, and may say so. */
  isOther: boolean;
}

/** Who holds the providers, by id. */
async function readHolders(
  tx: Tx,
  { userId, role, isView }: Principal,
  rows: Shown[],
): Promise<Map<string, Holder>> {
  const ids = [...new Set(rows.flatMap(({ heldBy }) => heldBy))];
  if (ids.length === 0) return new Map();
  const maySay = userId !== null && !isView && may(role, "saml:manage");
  const found = await tx.$queryRaw<{ id: string; name: string | null; isOther: boolean }[]>`
    SELECT holder AS id, (SELECT u.name FROM "user" u WHERE u.id = holder) AS name,
      coalesce(${maySay} AND NOT counts_by_line(${tx.organizationId}::uuid, holder, ${userId}::uuid), false) AS "isOther"
    FROM unnest(${ids}::uuid[]) holder`;
  return new Map(
    found.map(({ id, name, isOther }) => [
      id,
      id === tx.organizationId
        ? { id: null, name: "the command line", isOther }
        : { id, name: name ?? "a former member", isOther },
    ]),
  );
}

const ORDER = [{ createdAt: "asc" as const }, { id: "asc" as const }];

const SHOWN = {
  id: true,
  name: true,
  entityId: true,
  ssoUrl: true,
  certificates: true,
  idpInitiated: true,
  signRequests: true,
  emailAttribute: true,
  nameAttribute: true,
  groupsAttribute: true,
  groups: true,
  createAccounts: true,
  defaultRole: true,
  certificate: true,
  testedAt: true,
  testFailure: true,
  testReport: true,
  heldBy: true,
  createdAt: true,
} as const;

type Shown = Prisma.SamlProviderGetPayload<{ select: typeof SHOWN }>;

function toProvider(row: Shown, holders: Map<string, Holder>, site: string): SamlProvider {
  const { certificate, testedAt, testFailure, testReport, heldBy, createdAt, ...rest } = row;
  const held = heldBy.flatMap((id) => holders.get(id) ?? []);
  const { startUrl, ...own } = ownAddresses(site, row.id);
  return {
    ...rest,
    certificates: row.certificates.map(describeCertificate),
    groups: groupRulesSchema.parse(row.groups),
    defaultRole: givenRoleSchema.nullable().parse(row.defaultRole),
    own: { ...own, certificate },
    startUrl,
    test: testedAt && {
      at: testedAt.toISOString(),
      failure: testFailure,
      report: storedTestReportSchema.parse(testReport),
    },
    heldBy: held.map(({ id, name }) => ({ id, name })),
    mayConfirm: held.length > 0 && held.every(({ isOther }) => isOther),
    createdAt: createdAt.toISOString(),
  };
}

/** A provider as sign-ins use it. */
export type SignInProvider = Awaited<ReturnType<typeof readForSignIn>> & {};

/** Null: there is no such provider in the organization. */
export async function readForSignIn(tx: Tx, seal: Seal, site: string, id: string) {
  const { organizationId } = tx;
  const row = await tx.samlProvider.findFirst({ where: { organizationId, id } });
  const organization = row && (await tx.organization.findUniqueOrThrow({ where: { id: organizationId } }));
  if (!row || !organization) return null;
  const own = ownAddresses(site, id);
  const parties: Parties = {
    entityId: row.entityId,
    certificates: row.certificates,
    ownEntityId: own.entityId,
    acsUrl: own.acsUrl,
    privateKey: seal.open(keyPlace(organizationId, id), row.sealedKey),
  };
  return {
    organizationId,
    id,
    slug: organization.slug,
    name: row.name,
    ssoUrl: row.ssoUrl,
    certificate: row.certificate,
    idpInitiated: row.idpInitiated,
    signRequests: row.signRequests,
    createAccounts: row.createAccounts,
    defaultRole: givenRoleSchema.nullable().parse(row.defaultRole),
    groups: groupRulesSchema.parse(row.groups),
    attributes: { email: row.emailAttribute, name: row.nameAttribute, groups: row.groupsAttribute },
    own,
    parties,
  };
}

/** Whose a provider is, before anybody is signed in; null: nobody's. */
export async function ownerOfProvider(db: Database, id: string): Promise<string | null> {
  const [row] = await db.gate<{ organization_id: string }>(
    Prisma.sql`SELECT organization_id FROM gate.saml_provider(${id}::uuid)`,
  );
  return row?.organization_id ?? null;
}

/** The name of a provider of any organization, for the page on which one signs in; undefined: it is gone. */
export async function nameOfProvider(db: Database, id: string): Promise<string | undefined> {
  const [row] = await db.gate<{ name: string }>(Prisma.sql`SELECT name FROM gate.saml_provider(${id}::uuid)`);
  return row?.name;
}

/** Oldest first. */
export async function listSamlProviderNames(tx: Tx) {
  return tx.samlProvider.findMany({
    where: { organizationId: tx.organizationId },
    select: { id: true, name: true },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
}

/** The names of an organization's providers, for the sign-in page; an organization that is unknown has none. */
export async function providersOfSlug(db: Database, slug: string): Promise<{ id: string; name: string }[]> {
  return db.gate<{ id: string; name: string }>(
    Prisma.sql`SELECT id, name FROM gate.saml_providers_of(${slug})`,
  );
}

/** The organization's providers, and whether the person's account is linked to each. */
export async function listSamlLinks(tx: Tx, userId: string): Promise<SamlLink[]> {
  const rows = await tx.samlProvider.findMany({
    where: { organizationId: tx.organizationId },
    select: { id: true, name: true },
    orderBy: ORDER,
  });
  const held = await tx.$queryRaw<{ issuer: string }[]>`SELECT issuer FROM gate.identities(${userId}::uuid)`;
  return rows.map((row) => ({ ...row, linked: held.some(({ issuer }) => issuer === issuerOf(row.id)) }));
}

/** Throws `not_found`. */
export async function readSamlName(tx: Tx, id: string): Promise<string> {
  const row = await tx.samlProvider.findFirst({
    where: { organizationId: tx.organizationId, id },
    select: { name: true },
  });
  if (!row) throw notFound("SAML provider");
  return row.name;
}

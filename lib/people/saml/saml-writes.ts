/** Owners' changes to an organization's SAML providers, and what tests of them bring. requests.ts keeps sign-ins. */

import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChangeNow } from "../../base/live-updates.ts";
import { NetworkError } from "../../base/network/address-rules.ts";
import type { Network } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import type { EventType } from "../../history/events/event-schema.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { makerOf } from "../members/one-maker.ts";
import { unassignUnable } from "../members/unassign.ts";
import { certificatesIn, describeCertificate } from "./certificate.ts";
import { checkHttps, fetchMetadata, type IdpDescription, notAllowed, readMetadata } from "./metadata.ts";
import { issuerOf, keyPlace } from "./saml-reads.ts";
import type { CreateSamlProvider, SamlTestReport, UpdateSamlProvider } from "./saml-schema.ts";

/** Limits providers per organization: a sign-in page with more buttons helps nobody. */
const MOST_PROVIDERS = 5;
const MOST_CERTIFICATES = 5;

/**
 * What an input says of the identity provider; call it outside of any transaction, since it may fetch the document.
 * Throws `invalid_metadata`, `address_not_allowed`, and `invalid_input` for certificates.
 */
export async function describeIdp(
  network: Network,
  input: Pick<CreateSamlProvider, "metadata" | "metadataUrl" | "entityId" | "ssoUrl" | "certificates">,
): Promise<Partial<IdpDescription>> {
  const document =
    input.metadata ??
    (input.metadataUrl === undefined ? undefined : await fetchMetadata(network, input.metadataUrl));
  const { entityId, ssoUrl } = input;
  const certificates = input.certificates === undefined ? undefined : certificatesIn(input.certificates);
  if (certificates === null)
    throw invalid("certificates", "Paste certificates as PEM, with RSA keys of at least 2048 bits");
  const found: Partial<IdpDescription> =
    document !== undefined
      ? readMetadata(document)
      : {
          ...(entityId !== undefined && { entityId }),
          ...(ssoUrl !== undefined && { ssoUrl }),
          ...(certificates && { certificates }),
        };
  if (
    found.certificates &&
    (found.certificates.length === 0 || found.certificates.length > MOST_CERTIFICATES)
  )
    throw invalid("certificates", `One to ${MOST_CERTIFICATES} certificates`);
  if (found.ssoUrl !== undefined) checkSsoUrl(network, found.ssoUrl);
  return found;
}

/** Throws `invalid_metadata` unless all is there that a provider needs. */
export function requireWhole({ entityId, ssoUrl, certificates }: Partial<IdpDescription>): IdpDescription {
  if (entityId === undefined || ssoUrl === undefined || certificates === undefined)
    throw new AppError("invalid_metadata", "The entity id, the address or the certificate is missing.");
  return { entityId, ssoUrl, certificates };
}

/** A browser goes there, never Intray; the rule keeps people from addresses that no provider has. */
function checkSsoUrl(network: Network, ssoUrl: string): void {
  try {
    checkHttps(network, ssoUrl);
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    throw notAllowed("ssoUrl", error);
  }
}

/** `own`: made by `makeOwnCertificate`. Throws `too_many_saml_providers`. */
export async function createSamlProvider(
  tx: Tx,
  principal: Principal,
  seal: Seal,
  idp: IdpDescription,
  own: { certificate: string; privateKey: string },
  {
    name,
    metadata: _m,
    metadataUrl: _u,
    entityId: _e,
    ssoUrl: _s,
    certificates: _c,
    ...settings
  }: CreateSamlProvider,
): Promise<string> {
  const { organizationId } = tx;
  const id = uuidv7();
  // One at a time, so that two at once do not exceed the limit.
  await tx.$queryRaw`SELECT FROM organization WHERE id = ${organizationId}::uuid FOR UPDATE`;
  if ((await tx.samlProvider.count({ where: { organizationId } })) >= MOST_PROVIDERS)
    throw new AppError(
      "too_many_saml_providers",
      `There are ${MOST_PROVIDERS} providers already; remove one first.`,
    );
  const sealedKey = seal.seal(keyPlace(organizationId, id), own.privateKey);
  const { certificate } = own;
  const described = await describedBy(tx, principal);
  await tx.samlProvider.create({
    data: { organizationId, id, name, ...idp, ...settings, ...described, certificate, sealedKey },
  });
  const { actor } = principal;
  await append(tx, actor, "saml_provider.created", { id, name }, { entityId: idp.entityId });
  return id;
}

/**
 * The history names what changed, and for rules what they are now. From then on whoever changed its keys, its address or
 * whom it means counts as one person with everybody whom it signs in, until somebody else confirms it: the database's
 * doing. Throws `not_found`, `other_idp`, and `would_lock_out` where the organization requires the provider and none
 * of its keys, or not its address, would stay.
 */
export async function updateSamlProvider(
  tx: Tx,
  principal: Principal,
  id: string,
  idp: Partial<IdpDescription>,
  { metadata: _m, metadataUrl: _u, ssoUrl: _s, certificates: _c, ...settings }: UpdateSamlProvider,
): Promise<void> {
  const before = await lock(tx, id);
  const { entityId, ...described } = idp;
  if (entityId !== undefined && entityId !== before.entityId)
    throw new AppError(
      "other_idp",
      "This is another identity provider, whose names may mean other people. Add it as a provider of its own.",
    );
  const { certificates, ssoUrl } = described;
  const isReplaced =
    (certificates && !certificates.some((one) => before.certificates.includes(one))) ||
    (ssoUrl !== undefined && ssoUrl !== before.ssoUrl);
  if (isReplaced && (await isRequired(tx, id)))
    throw new AppError(
      "would_lock_out",
      "The organization requires this provider, so a mistake would lock everybody out. Add a new certificate beside the present one, or take the provider out of Settings → Sign-in first.",
    );
  const data = { ...settings, ...described };
  const by = await describedBy(tx, principal);
  await tx.samlProvider.updateMany({
    where: { organizationId: tx.organizationId, id },
    data: { ...data, ...by },
  });
  await unassignUnable(tx, null);
  const { actor } = principal;
  await append(tx, actor, "saml_provider.updated", before, {
    changed: Object.keys(data).sort(),
    ...(settings.idpInitiated !== undefined && { idpInitiated: settings.idpInitiated }),
    ...(settings.createAccounts !== undefined && { createAccounts: settings.createAccounts }),
    ...(settings.groups && { groups: settings.groups }),
  });
}

/**
 * Its sessions end, and its links to accounts go (a trigger of 0070). Throws `not_found`, and `would_lock_out` while the
 * organization requires it: whoever signs in by it could no more, and could not change that.
 */
export async function removeSamlProvider(tx: Tx, { actor }: Principal, id: string): Promise<void> {
  const before = await lock(tx, id);
  if (await isRequired(tx, id))
    throw new AppError(
      "would_lock_out",
      "The organization requires this provider: take it out of Settings → Sign-in first.",
    );
  await tx.samlProvider.deleteMany({ where: { organizationId: tx.organizationId, id } });
  await append(tx, actor, "saml_provider.removed", before);
}

/**
 * Says, as another person than those who described the provider, that it is the organization's as it is: whom it signs in
 * count for themselves again. Its sessions end. Throws `not_found`, `same_maker`, `nothing_to_confirm`.
 */
export async function confirmSamlProvider(tx: Tx, { userId, actor }: Principal, id: string): Promise<void> {
  if (userId === null) throw new AppError("forbidden", "Only a person can confirm this, not an API key.");
  await confirmAs(tx, userId, actor, id);
}

/** `userId`: null for the operator, who can where no owner counts as another person. */
export async function confirmAs(
  tx: Tx,
  userId: string | null,
  actor: Principal["actor"],
  id: string,
): Promise<void> {
  const before = await lock(tx, id);
  const [row] = await tx.$queryRaw<{ outcome: string | null }[]>`
    SELECT gate.confirm_saml_provider(${tx.organizationId}::uuid, ${id}::uuid, ${userId}::uuid) AS outcome`;
  if (row?.outcome === "same")
    throw new AppError(
      "same_maker",
      "You count as one person with somebody who set up or changed this provider. Another owner has to confirm it.",
    );
  if (row?.outcome !== "done")
    throw new AppError("nothing_to_confirm", `${before.name} is confirmed as it is.`);
  await publishChangeNow(tx, "member", [tx.organizationId]);
  await append(tx, actor, "saml_provider.confirmed", before);
}

/** Keeps how a test sign-in went: `failure` is a code, or null with a report. */
export async function recordTest(
  tx: Tx,
  id: string,
  outcome: { failure: string } | { report: SamlTestReport },
): Promise<void> {
  const failure = "failure" in outcome ? outcome.failure : null;
  const report = "report" in outcome ? JSON.stringify(outcome.report) : null;
  await tx.$executeRaw`UPDATE saml_provider SET tested_at = now(), test_failure = ${failure}, test_report = ${report}::jsonb
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid`;
}

/** Tells the organization that its provider signed nobody in, and why, by its code. The caller says it rarely: anybody may try. */
export async function recordRefusal(tx: Tx, id: string, reason: string): Promise<void> {
  const name = await tx.samlProvider.findFirst({
    where: { organizationId: tx.organizationId, id },
    select: { name: true },
  });
  // It was removed meanwhile.
  if (!name) return;
  const actor = { kind: "system" as const, id: null, name: "Sign-in" };
  await append(tx, actor, "saml_provider.sign_in_refused", { id, ...name }, { reason });
}

/**
 * For the rule of a second person: who describes a provider, for a service account everybody who is behind it. The time
 * says to a trigger of 0122 that these columns are meant.
 */
async function describedBy(tx: Tx, principal: Principal) {
  const [row] = await tx.$queryRaw<{ describedBy: string; heldBy: string[]; describedAt: Date }[]>`
    SELECT coalesce(a.owner_id, who.maker) AS "describedBy", now()::timestamptz(3) AS "describedAt",
      coalesce((SELECT array_agg(b.user_id) FROM service_account_maker b
        WHERE b.organization_id = ${tx.organizationId}::uuid AND b.service_account_id = a.id), ARRAY[who.maker]) AS "heldBy"
    FROM (SELECT ${makerOf(tx.organizationId, principal)} AS maker) who
      LEFT JOIN service_account a ON a.organization_id = ${tx.organizationId}::uuid AND a.id = who.maker`;
  return row;
}

/** The caller has locked the provider, so that nobody begins to require it meanwhile. */
async function isRequired(tx: Tx, id: string): Promise<boolean> {
  const where = { organizationId: tx.organizationId, providers: { has: issuerOf(id) } };
  return (await tx.signInPolicy.count({ where })) > 0;
}

interface LockedProvider {
  id: string;
  name: string;
  entityId: string;
  ssoUrl: string;
  certificates: string[];
}

async function lock(tx: Tx, id: string): Promise<LockedProvider> {
  const [found] = await tx.$queryRaw<LockedProvider[]>`
    SELECT id, name, entity_id AS "entityId", sso_url AS "ssoUrl", certificates FROM saml_provider
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid FOR UPDATE`;
  if (!found) throw notFound("SAML provider");
  return found;
}

async function append(
  tx: Tx,
  actor: Principal["actor"],
  type: EventType,
  { id, name }: { id: string; name: string },
  more: Record<string, unknown> = {},
): Promise<void> {
  await appendEvents(tx, [{ type, actor, data: { samlProviderId: id, name, ...more } }]);
}

function invalid(field: string, message: string): AppError {
  return new AppError("invalid_input", "Some values are not valid.", { errors: [{ field, message }] });
}

/**
 * Writes down when the sign-in through each of the organization's providers ends for want of a certificate: with the last of the
 * provider's own, which it changes over by having two, or with Intray's for it. Returns all providers' ids.
 */
export async function noteCertificateEnds(tx: Tx): Promise<string[]> {
  const providers = await tx.samlProvider.findMany({
    where: { organizationId: tx.organizationId },
    select: { id: true, certificates: true, certificate: true, certificateEndsAt: true },
  });
  for (const { id, certificates, certificate, certificateEndsAt: known } of providers) {
    const theirs = certificates.map(endOf).sort((a, b) => b - a)[0] ?? Number.POSITIVE_INFINITY;
    const ends = new Date(Math.min(theirs, endOf(certificate)));
    if (known?.getTime() === ends.getTime()) continue;
    await tx.samlProvider.updateMany({
      where: { organizationId: tx.organizationId, id },
      data: { certificateEndsAt: ends },
    });
  }
  return providers.map(({ id }) => id);
}

const endOf = (pem: string) => Date.parse(describeCertificate(pem).expiresAt);

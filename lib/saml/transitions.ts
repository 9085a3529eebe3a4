/** Owners' changes to an organization's SAML providers, and what tests of them bring. requests.ts keeps sign-ins. */
import type { Principal } from "../access/principal.ts";
import type { Tx } from "../base/db/db.ts";
import { AppError, notFound } from "../base/errors.ts";
import { uuidv7 } from "../base/ids.ts";
import { type Network, NetworkError } from "../base/network.ts";
import type { Seal } from "../base/seal.ts";
import type { EventType } from "../events/schema.ts";
import { appendEvents } from "../events/transitions.ts";
import { certificatesIn } from "./certificate.ts";
import { checkHttps, fetchMetadata, type IdpDescription, notAllowed, readMetadata } from "./metadata.ts";
import { issuerOf, keyPlace } from "./queries.ts";
import type { CreateSamlProvider, SamlTestReport, UpdateSamlProvider } from "./schema.ts";

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
  organizationId: string,
  tx: Tx,
  { actor }: Principal,
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
  await tx.samlProvider.create({
    data: { organizationId, id, name, ...idp, ...settings, certificate, sealedKey },
  });
  await append(organizationId, tx, actor, "saml_provider.created", { id, name }, { entityId: idp.entityId });
  return id;
}

/** The history names what changed, and for certificates and rules what they are now. Throws `not_found`, `other_idp`. */
export async function updateSamlProvider(
  organizationId: string,
  tx: Tx,
  { actor }: Principal,
  id: string,
  idp: Partial<IdpDescription>,
  { metadata: _m, metadataUrl: _u, ssoUrl: _s, certificates: _c, ...settings }: UpdateSamlProvider,
): Promise<void> {
  const before = await lock(organizationId, tx, id);
  const { entityId, ...described } = idp;
  if (entityId !== undefined && entityId !== before.entityId)
    throw new AppError(
      "other_idp",
      "This is another identity provider, whose names may mean other people. Add it as a provider of its own.",
    );
  const data = { ...settings, ...described };
  await tx.samlProvider.updateMany({ where: { organizationId, id }, data });
  await append(organizationId, tx, actor, "saml_provider.updated", before, {
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
export async function removeSamlProvider(
  organizationId: string,
  tx: Tx,
  { actor }: Principal,
  id: string,
): Promise<void> {
  const before = await lock(organizationId, tx, id);
  const where = { organizationId, providers: { has: issuerOf(id) } };
  if ((await tx.signInPolicy.count({ where })) > 0)
    throw new AppError(
      "would_lock_out",
      "The organization requires this provider: take it out of Settings → Sign-in first.",
    );
  await tx.samlProvider.deleteMany({ where: { organizationId, id } });
  await append(organizationId, tx, actor, "saml_provider.removed", before);
}

/** Keeps how a test sign-in went: `failure` is a code, or null with a report. */
export async function recordTest(
  organizationId: string,
  tx: Tx,
  id: string,
  outcome: { failure: string } | { report: SamlTestReport },
): Promise<void> {
  const failure = "failure" in outcome ? outcome.failure : null;
  const report = "report" in outcome ? JSON.stringify(outcome.report) : null;
  await tx.$executeRaw`UPDATE saml_provider SET tested_at = now(), test_failure = ${failure}, test_report = ${report}::jsonb
    WHERE organization_id = ${organizationId}::uuid AND id = ${id}::uuid`;
}

async function lock(organizationId: string, tx: Tx, id: string) {
  const [found] = await tx.$queryRaw<{ id: string; name: string; entityId: string }[]>`
    SELECT id, name, entity_id AS "entityId" FROM saml_provider
    WHERE organization_id = ${organizationId}::uuid AND id = ${id}::uuid FOR UPDATE`;
  if (!found) throw notFound("SAML provider");
  return found;
}

async function append(
  organizationId: string,
  tx: Tx,
  actor: Principal["actor"],
  type: EventType,
  { id, name }: { id: string; name: string },
  more: Record<string, unknown> = {},
): Promise<void> {
  await appendEvents(organizationId, tx, [{ type, actor, data: { samlProviderId: id, name, ...more } }]);
}

function invalid(field: string, message: string): AppError {
  return new AppError("invalid_input", "Some values are not valid.", { errors: [{ field, message }] });
}

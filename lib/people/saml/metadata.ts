/** Metadata documents: an identity provider's, which are read, and ours, which is made. */
import { generateServiceProviderMetadata } from "@node-saml/node-saml";
import { AppError } from "../../base/errors.ts";
import { NetworkError } from "../../base/network/address-rules.ts";
import type { Network } from "../../base/network/network.ts";
import { certificatesIn } from "./certificate.ts";
import { METADATA_CHARACTERS, METADATA_FETCH_MS, METADATA_TAGS } from "./tunables.ts";
import { attribute, children, descendants, isNamed, NS, parseXml, textOf, XmlError } from "./xml.ts";

export interface IdpDescription {
  entityId: string;
  ssoUrl: string;
  certificates: string[];
}

const REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";

/** Reads what sign-ins need. Its signature is not checked: who pastes it vouches for it. Throws `invalid_metadata`. */
export function readMetadata(text: string): IdpDescription {
  const root = parse(text);
  const entities = isNamed(root, NS.metadata, "EntitiesDescriptor")
    ? children(root, NS.metadata, "EntityDescriptor")
    : [root];
  const providers = entities.filter(
    (entity) =>
      isNamed(entity, NS.metadata, "EntityDescriptor") &&
      children(entity, NS.metadata, "IDPSSODescriptor").length === 1,
  );
  const [entity, ...more] = providers;
  if (!entity || more.length > 0) throw invalid("It has to describe one identity provider.");
  const [idp] = children(entity, NS.metadata, "IDPSSODescriptor");
  const service = children(idp!, NS.metadata, "SingleSignOnService").find(
    (each) => attribute(each, "Binding") === REDIRECT,
  );
  const ssoUrl = service && attribute(service, "Location");
  if (!ssoUrl) throw invalid("It names no address for the HTTP-Redirect binding.");
  const keys = children(idp!, NS.metadata, "KeyDescriptor").filter(
    (key) => (attribute(key, "use") ?? "signing") === "signing",
  );
  const texts = keys.flatMap((key) => descendants(key, "X509Certificate").map(certificateText));
  const entityId = attribute(entity, "entityID") ?? "";
  if (entityId === "" || entityId.length > 1_000) throw invalid("It names no entity id.");
  return { entityId, ssoUrl, certificates: [...new Set(texts)] };
}

function certificateText(element: Element): string {
  const read = certificatesIn(textOf(element));
  if (read?.length !== 1)
    throw invalid("One of its certificates can’t be read, or has no RSA key of 2048 bits.");
  return read[0]!;
}

const LIMITS = { characters: METADATA_CHARACTERS, tags: METADATA_TAGS };

function parse(text: string): Element {
  try {
    return parseXml(text.trim(), LIMITS, { comments: true });
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw invalid(`Intray can’t use the document: ${error.message}.`);
  }
}

/** Fetches a metadata document, once, from a public address. Throws `address_not_allowed` and `invalid_metadata`. */
export async function fetchMetadata(network: Network, url: string): Promise<string> {
  try {
    checkHttps(network, url);
    const reply = await network.fetch(url, {
      headers: { accept: "application/samlmetadata+xml, application/xml, text/xml" },
      signal: AbortSignal.timeout(METADATA_FETCH_MS),
    });
    if (reply.status !== 200) {
      await reply.body?.cancel();
      throw new Error(`status ${reply.status}`);
    }
    return await readReply(reply);
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof NetworkError) throw notAllowed("metadataUrl", error);
    throw new AppError("invalid_metadata", "No metadata could be read from this address.", {
      errors: [{ field: "metadataUrl", message: "Nothing could be read from this address" }],
      cause: error,
    });
  }
}

async function readReply(reply: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply.body ?? []) {
    size += chunk.byteLength;
    if (size > METADATA_CHARACTERS) throw invalid("Intray can’t use the document: too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Addresses of sign-ins are a browser's to open: https, but for hosts that the operator allowed. Throws NetworkError. */
export function checkHttps(network: Network, address: string): void {
  const url = network.checkUrl(address);
  if (url.protocol !== "https:" && !network.isNamed(url)) throw new NetworkError("not https");
}

export function notAllowed(field: string, cause: unknown): AppError {
  return new AppError("address_not_allowed", "Intray reads only public https addresses.", {
    errors: [{ field, message: "Use a public https address" }],
    cause,
  });
}

function invalid(message: string): AppError {
  return new AppError("invalid_metadata", message, { errors: [{ field: "metadata", message }] });
}

/** Ours, for one provider. */
export function ownMetadata(
  own: { entityId: string; acsUrl: string; certificate: string },
  signRequests: boolean,
): string {
  const { entityId: issuer, acsUrl: callbackUrl, certificate } = own;
  return generateServiceProviderMetadata({
    issuer,
    callbackUrl,
    identifierFormat: null,
    wantAssertionsSigned: true,
    generateUniqueId: () => `_${issuer.replace(/\W+/g, "-")}`,
    // Only whether there is a key is looked at: the document holds certificates alone.
    decryptionPvk: "present",
    decryptionCert: certificate,
    ...(signRequests && { privateKey: "present", publicCerts: certificate }),
  });
}

/** A SAML identity provider that signs with xml-crypto, and lies where a test wants it to. */
import { createPublicKey, randomBytes } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import { SignedXml } from "xml-crypto";
import { encrypt } from "xml-encryption";
import { makeOwnCertificate } from "../../lib/people/saml/certificate.ts";

export interface IdpKey {
  certificate: string;
  privateKey: string;
}
export const makeIdpKey = (): Promise<IdpKey> => makeOwnCertificate(new Date());

/** Whom and what a response is about; each of them can be a lie. */
export interface Said {
  entityId: string;
  acsUrl: string;
  audience: string;
  inResponseTo?: string | null;
  nameId?: string;
  /** Instead of the plain name id. */
  nameIdXml?: string;
  nameIdFormat?: string;
  attributes?: Record<string, string | string[]>;
  assertionId?: string;
  destination?: string | null;
  recipient?: string;
  /** Minutes from now. */
  issued?: number;
  notBefore?: number;
  notOnOrAfter?: number;
  authenticated?: number | null;
  sessionEnds?: number;
  /** The class of the authentication. */
  acr?: string;
  status?: string;
  sessionIndex?: string;
}

const minutes = (from: number) => new Date(Date.now() + from * 60_000).toISOString();
export const newId = () => `_${randomBytes(16).toString("hex")}`;
const P = "urn:oasis:names:tc:SAML:2.0";

/** The assertion without a signature. */
export function assertionXml(said: Said): string {
  const until = minutes(said.notOnOrAfter ?? 5);
  const answers = said.inResponseTo ? ` InResponseTo="${said.inResponseTo}"` : "";
  const nameId =
    said.nameIdXml ??
    `<saml:NameID Format="${said.nameIdFormat ?? "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"}">${said.nameId ?? "u-1"}</saml:NameID>`;
  const attributes = Object.entries(said.attributes ?? {}).map(
    ([name, values]) =>
      `<saml:Attribute Name="${name}">${[values]
        .flat()
        .map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`)
        .join("")}</saml:Attribute>`,
  );
  const ends = said.sessionEnds === undefined ? "" : ` SessionNotOnOrAfter="${minutes(said.sessionEnds)}"`;
  const statement =
    said.authenticated === null
      ? ""
      : `<saml:AuthnStatement AuthnInstant="${minutes(said.authenticated ?? 0)}" SessionIndex="${said.sessionIndex ?? "s-1"}"${ends}><saml:AuthnContext><saml:AuthnContextClassRef>${said.acr ?? `${P}:ac:classes:PasswordProtectedTransport`}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`;
  return `<saml:Assertion xmlns:saml="${P}:assertion" ID="${said.assertionId ?? newId()}" Version="2.0" IssueInstant="${minutes(said.issued ?? 0)}"><saml:Issuer>${said.entityId}</saml:Issuer><saml:Subject>${nameId}<saml:SubjectConfirmation Method="${P}:cm:bearer"><saml:SubjectConfirmationData Recipient="${said.recipient ?? said.acsUrl}" NotOnOrAfter="${until}"${answers}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${minutes(said.notBefore ?? -1)}" NotOnOrAfter="${until}"><saml:AudienceRestriction><saml:Audience>${said.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>${statement}${attributes.length > 0 ? `<saml:AttributeStatement>${attributes.join("")}</saml:AttributeStatement>` : ""}</saml:Assertion>`;
}

/** A response around some XML, without a signature. */
export function responseXml(said: Said, inner: string, id = newId()): string {
  const destination = said.destination === null ? "" : ` Destination="${said.destination ?? said.acsUrl}"`;
  const answers = said.inResponseTo ? ` InResponseTo="${said.inResponseTo}"` : "";
  return `<samlp:Response xmlns:samlp="${P}:protocol" ID="${id}" Version="2.0" IssueInstant="${minutes(0)}"${destination}${answers}><saml:Issuer xmlns:saml="${P}:assertion">${said.entityId}</saml:Issuer><samlp:Status><samlp:StatusCode Value="${P}:status:${said.status ?? "Success"}"/></samlp:Status>${inner}</samlp:Response>`;
}

/** Signs the element of that local name, which gets the signature behind its issuer. */
export function sign(
  xml: string,
  element: "Assertion" | "Response",
  key: IdpKey,
  {
    signature = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    digest = "http://www.w3.org/2001/04/xmlenc#sha256",
  } = {},
): string {
  const xpath = `//*[local-name(.)='${element}']`;
  const signer = new SignedXml({
    privateKey: key.privateKey,
    publicCert: key.certificate,
    signatureAlgorithm: signature,
    canonicalizationAlgorithm: "http://www.w3.org/2001/10/xml-exc-c14n#",
  });
  signer.addReference({
    xpath,
    digestAlgorithm: digest,
    transforms: [
      "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
      "http://www.w3.org/2001/10/xml-exc-c14n#",
    ],
  });
  signer.computeSignature(xml, {
    prefix: "ds",
    location: { reference: `${xpath}/*[local-name(.)='Issuer']`, action: "after" },
  });
  return signer.getSignedXml();
}

/** What an honest provider answers. */
export function respond(said: Said, key: IdpKey): string {
  return responseXml(said, sign(assertionXml(said), "Assertion", key));
}

/** The same, encrypted for a certificate. */
export async function respondEncrypted(
  said: Said,
  key: IdpKey,
  certificate: string,
  {
    content = "http://www.w3.org/2009/xmlenc11#aes256-gcm",
    wrap = "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
  } = {},
): Promise<string> {
  const encrypted = await new Promise<string>((resolve, reject) =>
    encrypt(
      sign(assertionXml(said), "Assertion", key),
      {
        rsa_pub: createPublicKey(certificate).export({ type: "spki", format: "pem" }),
        pem: certificate,
        encryptionAlgorithm: content,
        keyEncryptionAlgorithm: wrap,
        warnInsecureAlgorithm: false,
      } as Parameters<typeof encrypt>[1],
      (error, result) => (error ? reject(error) : resolve(result)),
    ),
  );
  const inner = `<saml:EncryptedAssertion xmlns:saml="${P}:assertion">${encrypted}</saml:EncryptedAssertion>`;
  return responseXml(said, inner);
}

export const base64 = (xml: string) => Buffer.from(xml).toString("base64");

/** The request in an address that Intray sent a browser to. */
export function requestIn(url: string): { id: string; xml: string; acsUrl: string; forced: boolean } {
  const xml = inflateRawSync(
    Buffer.from(new URL(url).searchParams.get("SAMLRequest") ?? "", "base64"),
  ).toString();
  return {
    xml,
    id: / ID="([^"]+)"/.exec(xml)?.[1] ?? "",
    acsUrl: /AssertionConsumerServiceURL="([^"]+)"/.exec(xml)?.[1] ?? "",
    forced: /ForceAuthn="true"/.test(xml),
  };
}

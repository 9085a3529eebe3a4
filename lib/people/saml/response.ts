/**
 * Judges a provider's response. node-saml checks the signature; everything that is believed is read from the signed
 * assertion alone, by `readAssertion`. The order and the reasons: docs/decisions/041-saml-stays-inside.md.
 */
import { promisify } from "node:util";
import { SAML, ValidateInResponseTo } from "@node-saml/node-saml";
import { DOMParser, XMLSerializer } from "@xmldom/xmldom";
import { decrypt } from "xml-encryption";
import { ASSERTION_AGE_MS, CLOCK_SKEW_MS, RESPONSE_CHARACTERS, RESPONSE_TAGS } from "./tunables.ts";
import { attribute, children, descendants, isNamed, NS, only, parseXml, textOf, XmlError } from "./xml.ts";

/** Why a response is not taken. Stable: in logs, test reports and addresses of pages. */
export type Fault =
  | "malformed"
  | "declined"
  | "algorithm"
  | "undecryptable"
  | "signature"
  | "issuer"
  | "destination"
  | "recipient"
  | "audience"
  | "expired"
  | "not_yet_valid"
  | "no_subject"
  | "transient_subject"
  | "no_authentication"
  | "session_over"
  | "not_started"
  | "provider_started"
  | "used"
  | "other_browser";

/** Whether a fault is one that the provider's settings explain. The others are of the browser, or of who holds it. */
export function isOfProvider(fault: Fault): boolean {
  return !["not_started", "used", "other_browser", "declined", "session_over"].includes(fault);
}

export class SamlFault extends Error {
  readonly fault: Fault;
  constructor(fault: Fault, cause?: unknown) {
    super(fault, { cause });
    this.fault = fault;
  }
}

/** Who may have made a response, and for whom. */
export interface Parties {
  /** The identity provider's. */
  entityId: string;
  certificates: string[];
  /** Ours for this provider, and where its responses arrive. */
  ownEntityId: string;
  acsUrl: string;
  /** Opens encrypted assertions. */
  privateKey: string;
}

export interface Asserted {
  assertionId: string;
  /** The name id. */
  subject: string;
  sessionIndex: string | null;
  authenticatedAt: Date;
  /** When the provider's session ends. */
  endsAt: Date | null;
  acr: string | null;
  /** The request that the assertion answers; null: the provider made it of its own accord. */
  inResponseTo: string | null;
  /** By the attribute's name. */
  attributes: Map<string, string[]>;
}

export type Judged = { asserted: Asserted } | { fault: Fault; why: string | undefined };

/** `encoded`: the form's `SAMLResponse`. May take long: call it through judge-response.ts. */
export async function checkEncoded(parties: Parties, encoded: string, now: Date): Promise<Judged> {
  try {
    return { asserted: await checkResponse(parties, encoded, now) };
  } catch (error) {
    if (!(error instanceof SamlFault)) throw error;
    // A response can be quoted in it.
    const why = error.cause instanceof Error ? error.cause.message.slice(0, 120) : undefined;
    return { fault: error.fault, why };
  }
}

/** Throws SamlFault. */
async function checkResponse(parties: Parties, encoded: string, now: Date): Promise<Asserted> {
  try {
    const response = await openResponse(parties, decode(encoded));
    const assertion = await verify(parties, response);
    return readAssertion(parties, assertion, now);
  } catch (error) {
    throw error instanceof XmlError ? new SamlFault("malformed", error) : error;
  }
}

/**
 * The request that a response claims to answer, before anything of it is read or checked; null: none, or not to be found.
 * A claim decides in which line the response waits and which page tells the outcome, and nothing else.
 */
export function claimedRequest(encoded: string): string | null {
  try {
    const beginning = decode(encoded).slice(0, BEGINNING_CHARACTERS);
    const [, tag = ""] = /<(?:[\w.-]+:)?Response\s([^<>]*)>/.exec(beginning) ?? [];
    return /\sInResponseTo\s*=\s*["']([\w.-]{1,256})["']/.exec(` ${tag}`)?.[1] ?? null;
  } catch (error) {
    if (error instanceof SamlFault) return null; // judged elsewhere
    throw error;
  }
}

/** The root's tag stands there, even with long addresses in it. */
const BEGINNING_CHARACTERS = 8_000;

function decode(encoded: string): string {
  const compact = encoded.replace(/[\r\n\t ]+/g, "");
  if (compact.length > (RESPONSE_CHARACTERS * 4) / 3 + 4 || !/^[A-Za-z0-9+/]+={0,2}$/.test(compact))
    throw new SamlFault("malformed");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(compact, "base64"));
  } catch (error) {
    throw new SamlFault("malformed", error);
  }
}

const RESPONSE_LIMITS = { characters: RESPONSE_CHARACTERS, tags: RESPONSE_TAGS };

/** Checks the form of a response, and puts a decrypted assertion into the place of an encrypted one. */
async function openResponse(parties: Parties, text: string): Promise<string> {
  const response = parseXml(text, RESPONSE_LIMITS);
  checkForm(parties, response);
  const [encrypted] = children(response, NS.assertion, "EncryptedAssertion");
  if (!encrypted) {
    checkSignatures(response);
    return text;
  }
  const plain = parseXml(await decryptAssertion(parties, encrypted), RESPONSE_LIMITS);
  if (!isNamed(plain, NS.assertion, "Assertion")) throw new SamlFault("undecryptable");
  const document = response.ownerDocument;
  // Any signature around it covers the encrypted form, and no longer holds; the assertion's own is the one that counts.
  for (const outer of children(response, NS.signature, "Signature")) response.removeChild(outer);
  response.replaceChild(document.importNode(plain, true), encrypted);
  const opened = new XMLSerializer().serializeToString(document);
  const again = parseXml(opened, { ...RESPONSE_LIMITS, characters: 2 * RESPONSE_CHARACTERS });
  checkForm(parties, again);
  checkSignatures(again);
  return opened;
}

/** One response with one assertion in it, and nothing that could stand in its place. */
function checkForm({ entityId, acsUrl }: Parties, response: Element): void {
  if (!isNamed(response, NS.protocol, "Response") || attribute(response, "Version") !== "2.0")
    throw new SamlFault("malformed");
  const status = only(only(response, NS.protocol, "Status"), NS.protocol, "StatusCode");
  if (attribute(status, "Value") !== "urn:oasis:names:tc:SAML:2.0:status:Success")
    throw new SamlFault("declined");
  const direct = [
    ...children(response, NS.assertion, "Assertion"),
    ...children(response, NS.assertion, "EncryptedAssertion"),
  ];
  const all = [...descendants(response, "Assertion"), ...descendants(response, "EncryptedAssertion")];
  if (direct.length !== 1 || all.length !== 1 || descendants(response, "Response").length > 0)
    throw new SamlFault("malformed");
  const ids = [response, ...everyElement(response)].flatMap((element) =>
    ["ID", "Id", "id"].flatMap((name) => attribute(element, name) ?? []),
  );
  // node-saml puts them into expressions of XPath.
  if (new Set(ids).size !== ids.length || !ids.every(isXmlName)) throw new SamlFault("malformed");
  const destination = attribute(response, "Destination");
  if (destination !== null && destination !== acsUrl) throw new SamlFault("destination");
  for (const issuer of children(response, NS.assertion, "Issuer"))
    if (textOf(issuer) !== entityId) throw new SamlFault("issuer");
}

/** A name without a colon, as ids have to be (XML Schema, NCName). */
const isXmlName = (id: string) => /^[\p{L}_][\p{L}\p{N}._-]{0,255}$/u.test(id);

function everyElement(of: Element): Element[] {
  return children(of).flatMap((child) => [child, ...everyElement(child)]);
}

const EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#";
const ALGORITHMS: Record<string, readonly string[]> = {
  CanonicalizationMethod: [EXCLUSIVE],
  SignatureMethod: [
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
  ],
  DigestMethod: ["http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2001/04/xmlenc#sha512"],
  Transform: [EXCLUSIVE, "http://www.w3.org/2000/09/xmldsig#enveloped-signature"],
};

/** Signatures stand where SAML puts them, sign what they stand in, and use no algorithm that is broken. */
function checkSignatures(response: Element): void {
  const [assertion] = children(response, NS.assertion, "Assertion");
  for (const signature of descendants(response, "Signature")) {
    const signed = signature.parentNode as Element;
    if (signature.namespaceURI !== NS.signature || (signed !== response && signed !== assertion))
      throw new SamlFault("malformed");
    const references = descendants(signature, "Reference");
    const id = attribute(signed, "ID");
    if (!id || references.length !== 1 || attribute(references[0]!, "URI") !== `#${id}`)
      throw new SamlFault("malformed");
    if (children(signature, NS.signature, "Object").length > 0) throw new SamlFault("malformed");
    for (const [name, allowed] of Object.entries(ALGORITHMS))
      for (const method of descendants(signature, name))
        if (!allowed.includes(attribute(method, "Algorithm") ?? "")) throw new SamlFault("algorithm");
    for (const list of descendants(signature, "InclusiveNamespaces"))
      for (const { value } of Array.from(list.attributes))
        if (value.length > PREFIXES_CHARACTERS) throw new SamlFault("malformed");
  }
}

/** A list of prefixes, which is looked through for each namespace of each element. Providers name a handful. */
const PREFIXES_CHARACTERS = 1_000;

const ENCRYPTIONS = [
  "http://www.w3.org/2009/xmlenc11#aes128-gcm",
  "http://www.w3.org/2009/xmlenc11#aes256-gcm",
  "http://www.w3.org/2001/04/xmlenc#aes128-cbc",
  "http://www.w3.org/2001/04/xmlenc#aes256-cbc",
  "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
];
type Decrypt = (xml: string, options: { key: string }) => Promise<string>;

/** One answer to whatever is wrong, so that nobody learns from it what the plain text looks like. */
async function decryptAssertion({ privateKey }: Parties, encrypted: Element): Promise<string> {
  for (const method of descendants(encrypted, "EncryptionMethod"))
    if (!ENCRYPTIONS.includes(attribute(method, "Algorithm") ?? "")) throw new SamlFault("algorithm");
  try {
    const xml = new XMLSerializer().serializeToString(encrypted);
    return await (promisify(decrypt) as Decrypt)(xml, { key: privateKey });
  } catch (error) {
    throw new SamlFault("undecryptable", error);
  }
}

/** Returns the assertion as it was signed: the canonical form that the signature covers, and nothing else. */
async function verify({ certificates, ownEntityId, acsUrl }: Parties, response: string): Promise<Element> {
  const checker = new SAML({
    idpCert: certificates,
    issuer: ownEntityId,
    audience: false,
    callbackUrl: acsUrl,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    // `readAssertion` judges times, by our clock and with reasons.
    acceptedClockSkewMs: -1,
    validateInResponseTo: ValidateInResponseTo.never,
  });
  let signed: string | undefined;
  try {
    const { profile } = await checker.validatePostResponseAsync({
      SAMLResponse: Buffer.from(response).toString("base64"),
    });
    signed = profile?.getAssertionXml?.();
  } catch (error) {
    throw new SamlFault("signature", error);
  }
  if (!signed) throw new SamlFault("signature");
  const document = new DOMParser().parseFromString(signed, "text/xml");
  const assertion = document.documentElement;
  if (!assertion || !isNamed(assertion, NS.assertion, "Assertion")) throw new SamlFault("signature");
  return assertion;
}

const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
const TRANSIENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
/** As long as our identities' subjects. */
const SUBJECT_CHARACTERS = 255;

/** `assertion`: the signed one. Throws SamlFault and XmlError. */
function readAssertion(
  parties: Pick<Parties, "entityId" | "ownEntityId" | "acsUrl">,
  assertion: Element,
  now: Date,
): Asserted {
  const assertionId = attribute(assertion, "ID");
  if (!assertionId || assertionId.length > 250 || attribute(assertion, "Version") !== "2.0")
    throw new SamlFault("malformed");
  if (textOf(only(assertion, NS.assertion, "Issuer")) !== parties.entityId) throw new SamlFault("issuer");
  checkAge(assertion, now);
  checkConditions(parties.ownEntityId, only(assertion, NS.assertion, "Conditions"), now);
  const subjects = children(assertion, NS.assertion, "Subject");
  if (subjects.length !== 1) throw new SamlFault("no_subject");
  return {
    assertionId,
    subject: readSubject(subjects[0]!),
    inResponseTo: readConfirmation(parties.acsUrl, subjects[0]!, now),
    ...readAuthentication(assertion, now),
    attributes: readAttributes(assertion),
  };
}

function checkAge(assertion: Element, now: Date): void {
  const made = timeOf(assertion, "IssueInstant");
  if (made === null) throw new SamlFault("malformed");
  if (made > now.getTime() + CLOCK_SKEW_MS) throw new SamlFault("not_yet_valid");
  if (made + ASSERTION_AGE_MS + CLOCK_SKEW_MS <= now.getTime()) throw new SamlFault("expired");
}

function checkConditions(ownEntityId: string, conditions: Element, now: Date): void {
  checkTimes(conditions, now);
  const restrictions = children(conditions, NS.assertion, "AudienceRestriction");
  const isForUs = (restriction: Element) =>
    children(restriction, NS.assertion, "Audience").some((audience) => textOf(audience) === ownEntityId);
  if (restrictions.length === 0 || !restrictions.every(isForUs)) throw new SamlFault("audience");
}

function checkTimes(element: Element, now: Date): void {
  const [from, until] = [timeOf(element, "NotBefore"), timeOf(element, "NotOnOrAfter")];
  if (from !== null && from > now.getTime() + CLOCK_SKEW_MS) throw new SamlFault("not_yet_valid");
  if (until !== null && until + CLOCK_SKEW_MS <= now.getTime()) throw new SamlFault("expired");
}

function readSubject(subject: Element): string {
  const [nameId, ...more] = children(subject, NS.assertion, "NameID");
  if (!nameId || more.length > 0) throw new SamlFault("no_subject");
  if (attribute(nameId, "Format") === TRANSIENT) throw new SamlFault("transient_subject");
  const name = textOf(nameId);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what Postgres and logs cannot hold is no name
  if (name === "" || name.length > SUBJECT_CHARACTERS || /[\u0000-\u001f]/.test(name))
    throw new SamlFault("no_subject");
  return name;
}

/** The bearer may be the browser that brings the assertion here, and only here. Returns the request that is answered. */
function readConfirmation(acsUrl: string, subject: Element, now: Date): string | null {
  const bearers = children(subject, NS.assertion, "SubjectConfirmation").filter(
    (confirmation) => attribute(confirmation, "Method") === BEARER,
  );
  if (bearers.length !== 1) throw new SamlFault("recipient");
  const data = only(bearers[0]!, NS.assertion, "SubjectConfirmationData");
  if (attribute(data, "Recipient") !== acsUrl) throw new SamlFault("recipient");
  if (timeOf(data, "NotOnOrAfter") === null) throw new SamlFault("expired");
  checkTimes(data, now);
  return attribute(data, "InResponseTo");
}

function readAuthentication(assertion: Element, now: Date) {
  const [statement] = children(assertion, NS.assertion, "AuthnStatement");
  const at = statement ? timeOf(statement, "AuthnInstant") : null;
  if (!statement || at === null) throw new SamlFault("no_authentication");
  if (at > now.getTime() + CLOCK_SKEW_MS) throw new SamlFault("not_yet_valid");
  const ends = timeOf(statement, "SessionNotOnOrAfter");
  if (ends !== null && ends <= now.getTime()) throw new SamlFault("session_over");
  const [context] = children(statement, NS.assertion, "AuthnContext");
  const [classRef] = context ? children(context, NS.assertion, "AuthnContextClassRef") : [];
  return {
    sessionIndex: attribute(statement, "SessionIndex")?.slice(0, 500) ?? null,
    authenticatedAt: new Date(Math.min(at, now.getTime())),
    endsAt: ends === null ? null : new Date(ends),
    acr: classRef ? textOf(classRef).slice(0, 500) : null,
  };
}

function readAttributes(assertion: Element): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const statement of children(assertion, NS.assertion, "AttributeStatement"))
    for (const each of children(statement, NS.assertion, "Attribute")) {
      const name = attribute(each, "Name");
      // A value with elements in it is of no use here.
      const values = children(each, NS.assertion, "AttributeValue").flatMap((value) =>
        children(value).length > 0 ? [] : textOf(value),
      );
      if (name) found.set(name, [...(found.get(name) ?? []), ...values]);
    }
  return found;
}

/** In ms. Throws SamlFault for a time that is none: `xs:dateTime` in UTC, as SAML requires. */
function timeOf(element: Element, name: string): number | null {
  const text = attribute(element, name);
  if (text === null) return null;
  const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|\+00:00)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isNaN(time)) throw new SamlFault("malformed");
  return time;
}

/**
 * SAML sign-ins over HTTP. The provider's response arrives as a POST from another site, with which browsers send no
 * cookie of ours (SameSite=Lax): it is checked and kept there, and the browser is sent on to `finishSaml` with a
 * ticket. That request carries the cookies, so that only the browser that began ends it, without a cookie that other
 * sites' pages can make a browser send.
 */
import { SAML, ValidateInResponseTo } from "@node-saml/node-saml";
import { encode } from "next-auth/jwt";
import { env, need } from "../../../base/env.ts";
import { AppError, notFound } from "../../../base/errors.ts";
import { randomSecret } from "../../../base/ids.ts";
import { log } from "../../../base/log.ts";
import { judgeResponse } from "../../../people/saml/judge-response.ts";
import { ownMetadata } from "../../../people/saml/metadata.ts";
import {
  type KeptClaims,
  keptClaimsSchema,
  linkIdentity,
  reportOf,
  signInAsserted,
} from "../../../people/saml/people.ts";
import {
  type Begun,
  findRequest,
  openRequest,
  takeAssertion,
  takeTicket,
} from "../../../people/saml/requests.ts";
import { claimedRequest, isOfProvider, SamlFault } from "../../../people/saml/response.ts";
import {
  issuerOf,
  ownerOfProvider,
  readForSignIn,
  type SignInProvider,
} from "../../../people/saml/saml-reads.ts";
import { recordRefusal, recordTest } from "../../../people/saml/saml-writes.ts";
import { REQUEST_MS } from "../../../people/saml/tunables.ts";
import { database } from "../../database.ts";
import { readForm } from "../../http/body.ts";
import { mayTry } from "../../http/throttle.ts";
import { sealing } from "../../services.ts";
import { services } from "../../tenant.ts";
import {
  MAX_BODY_BYTES,
  PROVIDER_STARTS_PER_ORIGIN,
  SAML_REFUSALS_TOLD,
  SAML_RESPONSES_PER_ORIGIN,
  SESSION_LIFETIME_MS,
} from "../../tunables.ts";
import { knownBrowser, originOf } from "../origin.ts";
import {
  cookieName,
  cookieOf,
  cookiesAreSecure,
  personOf,
  refusedSessionOf,
  secretIn,
  sessionCookieName,
  sessionOf,
} from "../session-cookie.ts";
import { closeSession, openSession } from "../sessions.ts";
import { ownPath } from "./destination.ts";
import { noteSignIn } from "./note.ts";

/** Binds a sign-in to the browser that began it. */
const COOKIE = "intray.saml";

/** Our metadata for a provider, for whoever sets it up at the identity provider. Throws `not_found`. */
export async function samlMetadata(id: string): Promise<Response> {
  const provider = await findProvider(id);
  if (!provider) throw new AppError("not_found", "There is nothing at this address.");
  const { own, certificate, signRequests } = provider;
  return new Response(ownMetadata({ ...own, certificate }, signRequests), {
    headers: { "content-type": "application/samlmetadata+xml" },
  });
}

/** Sends the browser to the identity provider. Unknown providers end at the sign-in page, as whatever else fails. */
export async function startSaml(request: Request, id: string): Promise<Response> {
  const origin = originOf(request);
  const callback = ownPath(new URL(request.url).searchParams.get("callbackUrl"), env().url);
  return landing(request, id, { purpose: "sign_in", userId: null, callback }, async () => {
    if (!(await mayTry(`saml start ${origin.key}`, PROVIDER_STARTS_PER_ORIGIN))) throw new SamlPause();
    const provider = await findProvider(id);
    if (!provider) throw new SamlFault("not_started");
    const cookie = cookieOf(request, sessionCookieName());
    // A person who is signed in already proves again who they are.
    const isAgain =
      (await sessionOf(cookie, origin.address, { isUse: false, anywhere: true })) !== null ||
      (await refusedSessionOf(cookie)) !== null;
    const { url, setCookie } = await begin(
      request,
      provider,
      { purpose: "sign_in", userId: null, callback },
      isAgain,
    );
    return redirect(url, [setCookie]);
  });
}

/** As `startSaml`, for a person who links their account or tests a provider. Throws `not_found`. */
export async function beginSaml(
  request: Request,
  organizationId: string,
  id: string,
  begun: Begun,
): Promise<{ url: string; setCookie: string }> {
  const db = await database();
  const provider = await db.withOrganization(organizationId, (tx) =>
    readForSignIn(tx, sealing(), env().url, id),
  );
  if (!provider) throw notFound("SAML provider");
  return begin(request, provider, begun, false);
}

async function begin(request: Request, provider: SignInProvider, begun: Begun, forceAuthn: boolean) {
  // A browser with several sign-ins under way has one name.
  const held = cookieOf(request, cookieName(COOKIE));
  const browser = held && /^[\w-]{20,100}$/.test(held) ? held : randomSecret();
  const { organizationId, id, parties, ssoUrl, signRequests, certificate } = provider;
  const db = await database();
  const requestId = await db.withOrganization(organizationId, (tx) => openRequest(tx, id, browser, begun));
  const saml = new SAML({
    idpCert: parties.certificates,
    issuer: parties.ownEntityId,
    callbackUrl: parties.acsUrl,
    entryPoint: ssoUrl,
    generateUniqueId: () => requestId,
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    forceAuthn,
    validateInResponseTo: ValidateInResponseTo.never,
    ...(signRequests && {
      privateKey: parties.privateKey,
      publicCert: certificate,
      signatureAlgorithm: "sha256" as const,
    }),
  });
  const url = await saml.getAuthorizeUrlAsync("", undefined, {});
  return { url, setCookie: cookie(COOKIE, browser, REQUEST_MS / 1000) };
}

/** Takes a provider's response, and sends the browser on to `finishSaml`. */
export async function receiveSaml(request: Request, id: string): Promise<Response> {
  const origin = originOf(request);
  let about: Begun = { purpose: "sign_in", userId: null, callback: "/" };
  return landing(
    request,
    id,
    () => about,
    async () => {
      if (!(await mayTry(`saml response ${origin.key}`, SAML_RESPONSES_PER_ORIGIN))) throw new SamlPause();
      const provider = await findProvider(id);
      if (!provider) throw new SamlFault("not_started");
      const { encoded, relayState } = await readResponse(request);
      const db = await database();
      const { organizationId, parties, idpInitiated } = provider;
      const claimed = claimedRequest(encoded);
      const asked =
        claimed === null
          ? null
          : await db.withOrganization(organizationId, (tx) => findRequest(tx, id, claimed));
      if (asked) about = asked;
      const outcome = await judgeResponse(organizationId, asked !== null, parties, encoded);
      if (!outcome) throw new SamlPause();
      if ("fault" in outcome) throw new SamlFault(outcome.fault, outcome.why && new Error(outcome.why));
      const { asserted } = outcome;
      // A browser may be given a cookie by such a POST, if not asked for one.
      const browser = randomSecret();
      const unasked = idpInitiated ? { browser, callback: ownPath(relayState, env().url) } : null;
      const ticket = await db.withOrganization(organizationId, (tx) =>
        takeAssertion(tx, id, asserted, unasked),
      );
      const isUnasked = asserted.inResponseTo === null;
      return redirect(`${env().url}/api/auth/saml/${id}/finish?ticket=${ticket}`, [
        ...(isUnasked ? [cookie(COOKIE, browser, REQUEST_MS / 1000)] : []),
      ]);
    },
  );
}

async function readResponse(request: Request): Promise<{ encoded: string; relayState: string | null }> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded") throw new SamlFault("malformed");
  const form = await readForm(request, MAX_BODY_BYTES).catch((error: unknown) => {
    throw new SamlFault("malformed", error);
  });
  const [encoded, ...more] = form.getAll("SAMLResponse");
  if (!encoded || more.length > 0) throw new SamlFault("malformed");
  return { encoded, relayState: form.get("RelayState") };
}

/** Ends what the browser began: a sign-in, a link or a test. */
export async function finishSaml(request: Request, id: string): Promise<Response> {
  let about: Begun = { purpose: "sign_in", userId: null, callback: "/" };
  return landing(
    request,
    id,
    () => about,
    async () => {
      const provider = await findProvider(id);
      if (!provider) throw new SamlFault("not_started");
      const ticket = new URL(request.url).searchParams.get("ticket") ?? "";
      const browser = cookieOf(request, cookieName(COOKIE)) ?? "";
      const { organizationId } = provider;
      const db = await database();
      const taken = await db.withOrganization(organizationId, (tx) => takeTicket(tx, id, ticket, browser));
      if (!taken) throw new SamlFault("other_browser");
      about = taken;
      const claims = keptClaimsSchema.parse(taken.claims);
      if (taken.purpose === "test") return finishTest(request, provider, taken, claims);
      if (taken.purpose === "link") return finishLink(request, provider, taken, claims);
      return finishSignIn(request, provider, taken, claims);
    },
  );
}

async function finishSignIn(request: Request, provider: SignInProvider, begun: Begun, claims: KeptClaims) {
  const origin = originOf(request);
  const found = await signInAsserted(await services(), provider, claims);
  if ("refused" in found) throw new SamlRefused(found.refused);
  const former = cookieOf(request, sessionCookieName());
  const formerSecret = former ? await secretIn(former) : null;
  if (formerSecret) await closeSession(formerSecret);
  const { browser, setCookie } = knownBrowser(request, found.userId);
  const from = {
    userAgent: request.headers.get("user-agent"),
    address: origin.address,
    network: origin.network === "unknown" ? null : origin.network,
    browser,
  };
  const sid = await openSession(found.userId, "saml", from, found.epoch, {
    provider: issuerOf(provider.id),
    subject: claims.subject,
    ...(claims.sessionIndex !== null && { session: claims.sessionIndex }),
    authenticatedAt: claims.authenticatedAt,
    ...(claims.acr !== null && { acr: claims.acr }),
    ...(claims.endsAt && { endsAt: claims.endsAt }),
  });
  // Removed or replaced since.
  if (sid === null) throw new SamlRefused("no_account");
  noteSignIn(origin, "provider", "succeeded", { userId: found.userId, provider: issuerOf(provider.id) });
  const maxAge = SESSION_LIFETIME_MS / 1000;
  const token = await encode({ token: { sub: found.userId, sid }, secret: need("authSecret"), maxAge });
  return redirect(env().url + begun.callback, [
    cookieLine(sessionCookieName(), token, maxAge),
    cookie(COOKIE, "", 0),
    setCookie,
  ]);
}

/** The browser's own person, signed in by their own means, confirms by having begun. */
async function finishLink(
  request: Request,
  provider: SignInProvider,
  { userId, callback }: Begun,
  claims: KeptClaims,
) {
  const person = await personOf(cookieOf(request, sessionCookieName()));
  if (!person || person.id !== userId) throw new SamlFault("other_browser");
  const refused = await linkIdentity(await services(), provider, person.id, claims.subject);
  if (refused) throw new SamlRefused(refused);
  return redirect(`${env().url}${callback}?saml=linked`, [cookie(COOKIE, "", 0)]);
}

async function finishTest(
  request: Request,
  provider: SignInProvider,
  { userId, callback }: Begun,
  claims: KeptClaims,
) {
  const session = await sessionOf(cookieOf(request, sessionCookieName()), originOf(request).address);
  if (!session || session.user.id !== userId) throw new SamlFault("other_browser");
  const db = await database();
  const { organizationId, id } = provider;
  await db.withOrganization(organizationId, (tx) =>
    recordTest(tx, id, { report: reportOf(provider, claims) }),
  );
  return redirect(`${env().url}${callback}?tested=${id}`, [cookie(COOKIE, "", 0)]);
}

class SamlRefused extends Error {}
class SamlPause extends Error {}

/** Runs a step. Whatever goes wrong becomes a code in the address of a page; no text of the provider's goes along. */
async function landing(
  request: Request,
  id: string,
  about: Begun | (() => Begun),
  step: () => Promise<Response>,
): Promise<Response> {
  try {
    return await step();
  } catch (error) {
    const begun = typeof about === "function" ? about() : about;
    const code = codeOf(error);
    const outcome = code === "unavailable" ? "failed" : code.startsWith("throttled") ? "paused" : "refused";
    noteSignIn(originOf(request), "provider", outcome, { provider: `saml:${id.slice(0, 36)}`, reason: code });
    if (begun.purpose === "link") return redirect(`${env().url}${begun.callback}?saml=${code}`, []);
    if (begun.purpose === "test") {
      await noteFailedTest(id, code);
      return redirect(`${env().url}${begun.callback}?tested=${encodeURIComponent(id)}`, []);
    }
    if (error instanceof SamlFault && isOfProvider(error.fault)) await tellRefusal(id, code);
    const query = new URLSearchParams({ error: code, callbackUrl: begun.callback });
    return redirect(`${env().url}/sign-in?${query}`, []);
  }
}

function codeOf(error: unknown): string {
  if (error instanceof SamlFault) {
    log.info({ fault: error.fault, why: causeOf(error) }, "A SAML response was not taken");
    return `saml_${error.fault}`;
  }
  if (error instanceof SamlRefused) return `saml_${error.message}`;
  if (error instanceof SamlPause) return `throttled:${PROVIDER_STARTS_PER_ORIGIN.windowMs / 1000}`;
  log.error({ err: error }, "Signing in failed");
  return "unavailable";
}

/** What node-saml or the parser said: in the log alone, shortened, since a response can be quoted in it. */
function causeOf({ cause }: SamlFault): string | undefined {
  return cause instanceof Error ? cause.message.slice(0, 120) : undefined;
}

async function noteFailedTest(id: string, failure: string): Promise<void> {
  const db = await database();
  const organizationId = await ownerOfProvider(db, id);
  if (organizationId) await db.withOrganization(organizationId, (tx) => recordTest(tx, id, { failure }));
}

/** Tells the organization, since nobody else can mend it. The person has their answer, whether or not this can be stored. */
async function tellRefusal(id: string, reason: string): Promise<void> {
  try {
    const provider = await findProvider(id);
    if (!provider || !(await mayTry(`saml refusal ${id} ${reason}`, SAML_REFUSALS_TOLD))) return;
    const db = await database();
    const { organizationId } = provider;
    await db.withOrganization(organizationId, (tx) => recordRefusal(tx, id, reason));
  } catch (error) {
    log.error({ err: error, reason }, "An organization could not be told of a refused sign-in");
  }
}

async function findProvider(id: string): Promise<SignInProvider | null> {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return null;
  const db = await database();
  const organizationId = await ownerOfProvider(db, id);
  if (!organizationId) return null;
  return db.withOrganization(organizationId, (tx) => readForSignIn(tx, sealing(), env().url, id));
}

function redirect(location: string, setCookies: string[]): Response {
  const headers = new Headers({ location, "cache-control": "no-store", "referrer-policy": "no-referrer" });
  for (const line of setCookies) headers.append("set-cookie", line);
  return new Response(null, { status: 303, headers });
}

const cookie = (name: string, value: string, seconds: number) => cookieLine(cookieName(name), value, seconds);

function cookieLine(name: string, value: string, seconds: number): string {
  const secure = cookiesAreSecure() ? "; Secure" : "";
  return `${name}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * Signing in and out, by next-auth. next-auth keeps only a cookie with the secret of one of our sessions; its
 * own notion of a session is never used for authorization, since it does not know of revocation. Its address
 * is NEXTAUTH_URL, which scripts/web.ts sets from INTRAY_URL.
 */
import { randomUUID } from "node:crypto";
import type { NextAuthOptions, User } from "next-auth";
import { env, need } from "../../base/env.ts";
import { AppError } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import { onePerProcess } from "../../base/process/process-wide.ts";
import { Spent, scope } from "../../base/process/scope.ts";
import { fairTurns } from "../fair-turns.ts";
import { readForm } from "../http/body.ts";
import { countCall } from "../http/calls.ts";
import { observe } from "../http/observe.ts";
import { problem } from "../http/problem.ts";
import { setApiHeaders } from "../http/security-headers.ts";
import { mayTry, throttle } from "../http/throttle.ts";
import {
  LOGOUTS_PER_ORIGIN,
  PROVIDER_STARTS_PER_ORIGIN,
  SESSION_LIFETIME_MS,
  TRIES_SHARES,
} from "../tunables.ts";
import { knownBrowser, type Origin, originOf } from "./origin.ts";
import {
  cookieName,
  cookieOf,
  cookieOptions,
  cookiesAreSecure,
  cookiesOf,
  refusedSessionOf,
  secretIn,
  sessionCookieName,
  sessionOf,
} from "./session-cookie.ts";
import { closeSession, type OwnProof, openSession } from "./sessions.ts";
import { takeLogout } from "./sign-in/back-channel.ts";
import { inCodes, ownWaysIn, type Progress, pendingCookie, type SignedIn } from "./sign-in/credentials.ts";
import { demandOf, destinationCookie, destinationIn, ownPath, whereTo } from "./sign-in/destination.ts";
import { discover, type ProviderMetadata } from "./sign-in/discovery.ts";
import { runNextAuth } from "./sign-in/next-auth.ts";
import { noteSignIn } from "./sign-in/note.ts";
import { type Demand, NO_DEMAND, oidcProvider } from "./sign-in/oidc.ts";
import { type SignInProvider, signInSettings } from "./sign-in/providers.ts";
import { signInWithProvider } from "./sign-in/with-provider.ts";

/** The next-auth actions in use. Others (pages, sessions, a log that anyone may write to) answer 404. */
const ACTIONS: Record<string, string[]> = {
  GET: ["csrf", "providers", "signin", "callback", "error"],
  POST: ["signin", "callback", "signout"],
};

/** Where providers say that somebody has signed out there. Not of next-auth: it has a cookie, and this has none. */
const BACK_CHANNEL = "backchannel";

/** Answers a call of `/api/auth/<path>`, observed and counted as those of the rest of the API. */
export async function handleAuth(request: Request, path: string[]): Promise<Response> {
  const requestId = randomUUID();
  const isLogout = request.method === "POST" && path[0] === BACK_CHANNEL && path.length === 2;
  const known = isLogout || (ACTIONS[request.method]?.includes(path[0] ?? "") === true && path.length <= 2);
  // Whatever else somebody writes into an address is no pattern of its own.
  const params = known ? { ...(path[1] && { provider: path[1] }) } : { rest: path };
  const where = { method: request.method, path: `/api/auth/${known ? path[0] : ""}` };
  const response = await observe(
    request,
    Promise.resolve(params as Record<string, string | string[]>),
    requestId,
    new Spent(),
    () =>
      (isLogout ? answerLogout(request, path[1] ?? "") : answer(request, path, known)).catch(
        (error: unknown) => problem(error, requestId, where),
      ),
  );
  response.headers.set("x-request-id", requestId);
  setApiHeaders(response.headers);
  return response;
}

async function answerLogout(request: Request, providerId: string): Promise<Response> {
  const origin = originOf(request);
  await countCall(null, origin.key, request.method);
  const provider = signInSettings().providers.find(({ id }) => id === providerId);
  if (!provider) throw new AppError("not_found", "There is nothing at this address.");
  await throttle(`back-channel logout ${provider.id} ${origin.key}`, LOGOUTS_PER_ORIGIN);
  return takeLogout(request, provider);
}

async function answer(request: Request, path: string[], known: boolean): Promise<Response> {
  const origin = originOf(request);
  await countCall(null, origin.key, request.method);
  if (!known) throw new AppError("not_found", "There is nothing at this address.");
  const isPost = request.method === "POST";
  // Before anything takes turns: a body may come slowly.
  const form = isPost ? await readForm(request) : null;
  const provider = signInSettings().providers.find(({ id }) => id === path[1]);
  const isStart = path[0] === "signin" && isPost;
  const progress: Progress = { setCookies: [] };
  let demand = NO_DEMAND;
  if (provider && isStart && form) {
    await limitStarts(origin, provider.id);
    const going = await whereTo(request, form);
    progress.setCookies.push(destinationCookie(going?.organizationId ?? null));
    const asked = (going && (await demandOf(going, provider.id))) ?? NO_DEMAND;
    demand = { ...asked, again: asked.again || (await isSignedIn(request, origin)) };
  }
  const metadata = provider && path[0] !== "signout" ? await metadataOf(provider) : null;
  const options = authOptions(request, origin, progress, provider, metadata, demand);
  const run = () => runNextAuth(request, path, form, options);
  const isTry = path[0] === "callback" && isPost;
  const response = await (isTry ? amongFew(origin, run) : run());
  if (provider && (isStart ? metadata === null : isFailure(response)))
    noteSignIn(origin, "provider", "failed", { provider: provider.id });
  for (const cookie of progress.setCookies) response.headers.append("set-cookie", cookie);
  // Pages stay in the browser's memory for its Back button. Its storage keeps settings such as the theme.
  if (path[0] === "signout") response.headers.set("clear-site-data", '"cache"');
  return progress.retryAfterMs === undefined ? response : paused(response, progress.retryAfterMs);
}

const tries = onePerProcess("tries to sign in", () =>
  fairTurns(TRIES_SHARES, tooManyTries, () => scope().caller?.left),
);

/**
 * Has the tries of one network take turns: next-auth alone takes some milliseconds of each, and an office may sign in at the same
 * moment. A browser that is known is counted by its account.
 */
async function amongFew(origin: Origin, work: () => Promise<Response>): Promise<Response> {
  const owner = origin.browser === null ? (scope().caller?.network ?? origin.network) : origin.key;
  let hasBegun = false;
  const begin = () => {
    hasBegun = true;
    return work();
  };
  try {
    return await tries()(owner, begin);
  } catch (error) {
    const isRefused = !hasBegun && error instanceof AppError && error.code === "throttled";
    if (isRefused) noteSignIn(origin, "password", "paused");
    throw error;
  }
}

function tooManyTries(): AppError {
  return pausedFor("Too many sign-ins of your network are being checked; try again in a few seconds.", 5_000);
}

/** The answer has an address, which next-auth's client goes to. */
function pausedFor(words: string, retryAfterMs: number): AppError {
  const url = `${env().url}/sign-in?error=${encodeURIComponent(`throttled:${retryAfterMs / 1000}`)}`;
  return new AppError("throttled", words, { retryAfterMs, extra: { url } });
}

/** Null: the provider is away. next-auth has an error code for that, which it finds by itself. */
async function metadataOf({ id, issuer }: SignInProvider): Promise<ProviderMetadata | null> {
  try {
    return await discover(issuer);
  } catch (error) {
    log.warn({ provider: id, why: reasonOf(error) }, "A sign-in provider could not be asked about itself");
    return null;
  }
}

/** Each start keeps the provider and us busy. */
async function limitStarts({ network, key }: Origin, provider: string): Promise<void> {
  if (await mayTry(`provider start ${key}`, PROVIDER_STARTS_PER_ORIGIN)) return;
  noteSignIn({ network }, "provider", "paused", { provider });
  throw pausedFor(
    "Too many sign-ins were begun from your network; wait a minute.",
    PROVIDER_STARTS_PER_ORIGIN.windowMs,
  );
}

/** next-auth answers a wrong password and a try that has to wait alike. */
function paused(response: Response, retryAfterMs: number): Response {
  const status = response.status === 401 ? 429 : response.status;
  const { headers } = response;
  headers.set("retry-after", String(Math.ceil(retryAfterMs / 1000)));
  return new Response(response.body, { status, headers });
}

/** Whether next-auth gave up on a provider: the person's refusals have codes of ours, and are noted where they arise. */
function isFailure(response: Response): boolean {
  const location = response.headers.get("location");
  if (location === null || !URL.canParse(location, env().url)) return false;
  return /^(OAuth|Callback|Configuration)/i.test(
    new URL(location, env().url).searchParams.get("error") ?? "",
  );
}

function authOptions(
  request: Request,
  origin: Origin,
  progress: Progress,
  started: SignInProvider | undefined,
  metadata: ProviderMetadata | null,
  demand: Demand,
): NextAuthOptions {
  const { passwords, providers } = signInSettings();
  // The user that a provider's claims led to; next-auth itself only knows the provider's id of the user.
  let found: SignedIn | undefined;
  return {
    secret: need("authSecret"),
    useSecureCookies: cookiesAreSecure(),
    cookies: authCookies(),
    session: { strategy: "jwt", maxAge: SESSION_LIFETIME_MS / 1000 },
    pages: { signIn: "/sign-in", error: "/sign-in" },
    providers: [
      ...ownWaysIn(request, progress, passwords),
      ...providers.map((each) =>
        each === started ? oidcProvider(each, metadata, demand) : oidcProvider(each, null),
      ),
    ],
    callbacks: {
      signIn: async ({ account, profile }) => {
        const provider = providers.find((candidate) => candidate.id === account?.provider);
        if (!provider) return true;
        const result = await inCodes(origin, "provider", () => signInWithProvider(provider, profile))(
          undefined,
        );
        if ("refused" in result) {
          noteSignIn(origin, "provider", "refused", { provider: provider.id, reason: result.refused });
          return refusal(request, result.refused);
        }
        found = result;
        return true;
      },
      // `user` is present at sign-in only.
      jwt: async ({ token, user, account }) => {
        if (!user) return { sub: token.sub, sid: token.sid };
        const again = await isSignedIn(request, origin);
        await closeFormer(request);
        progress.setCookies.push(pendingCookie("", 0));
        const { userId, epoch, proof: said } = found ?? (user as User & SignedIn);
        const proof = said ? { ...said, again } : ownProofOf(account?.provider);
        const method = methodOf(account?.provider);
        const destination = destinationIn(request);
        progress.setCookies.push(destinationCookie(null));
        const { browser, setCookie } = knownBrowser(request, userId);
        progress.setCookies.push(setCookie);
        const from = {
          userAgent: request.headers.get("user-agent"),
          address: origin.address,
          network: origin.network === "unknown" ? null : origin.network,
          browser,
        };
        const sid = await openSession(userId, method, from, epoch, proof, destination);
        if (sid === null) throw new Error("the account was replaced during the sign-in");
        const kind = progress.kind ?? (method === "oidc" ? "provider" : method);
        noteSignIn(origin, kind, "succeeded", { userId, ...(started && { provider: started.id }) });
        return { sub: userId, sid };
      },
      session: ({ session }) => ({ expires: session.expires }),
      redirect: ({ url, baseUrl }) => baseUrl + ownPath(url, baseUrl),
    },
    events: {
      signOut: async ({ token }) => {
        if (typeof token?.sid === "string") await closeSession(token.sid);
      },
    },
    logger: {
      error: (code, detail) => log.warn({ code, why: reasonOf(detail) }, "Signing in failed"),
      warn: (code) => log.debug({ code }, "next-auth warns"),
      debug: () => undefined,
    },
  };
}

/** The address of the sign-in page with an error code, keeping the page that the person wanted. */
function refusal(request: Request, code: string): string {
  const wanted = cookiesOf(request)[cookieName("next-auth.callback-url")];
  return `/sign-in?${new URLSearchParams({ error: code, callbackUrl: ownPath(wanted, env().url) })}`;
}

function methodOf(provider: string | undefined) {
  if (provider === "demo" || provider === "passkey") return provider;
  return provider === "password" || provider === "code" ? "password" : "oidc";
}

/** A password is a factor of its own, a code a second one; others say by their method what they are. */
function ownProofOf(provider: string | undefined): OwnProof | undefined {
  if (provider === "code") return { amr: ["pwd", "otp"] };
  return provider === "password" ? { amr: ["pwd"] } : undefined;
}

/** Whether the browser has a session, be it one that its organization does not let in. */
async function isSignedIn(request: Request, { address }: Origin): Promise<boolean> {
  const cookie = cookieOf(request, sessionCookieName());
  return (
    (await sessionOf(cookie, address, { isUse: false, anywhere: true })) !== null ||
    (await refusedSessionOf(cookie)) !== null
  );
}

/** Closes the browser's previous session, so that signing in again leaves no session that nobody holds. */
async function closeFormer(request: Request): Promise<void> {
  const cookie = cookieOf(request, sessionCookieName());
  const secret = cookie ? await secretIn(cookie) : null;
  if (secret) await closeSession(secret);
}

function authCookies(): NextAuthOptions["cookies"] {
  const cookie = (name: string, maxAge?: number) => ({
    name: cookieName(`next-auth.${name}`),
    options: { ...cookieOptions(), ...(maxAge && { maxAge }) },
  });
  return {
    sessionToken: { name: sessionCookieName(), options: cookieOptions() },
    callbackUrl: cookie("callback-url"),
    csrfToken: cookie("csrf-token"),
    pkceCodeVerifier: cookie("pkce.code_verifier", 900),
    state: cookie("state", 900),
    nonce: cookie("nonce", 900),
  };
}

/** Only the error's message: errors of openid-client carry tokens, codes and verifiers beside it. */
function reasonOf(detail: unknown): string {
  const inner = detail instanceof Error ? detail : (detail as { error?: unknown })?.error;
  const message = inner instanceof Error ? inner.message : "unknown";
  return message.replace(/\b(state|nonce) mismatch.*/s, "$1 mismatch").slice(0, 300);
}

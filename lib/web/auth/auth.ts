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
import { clientAddress } from "../http/client-address.ts";
import { problem } from "../http/problem.ts";
import { SESSION_LIFETIME_MS } from "../tunables.ts";
import { ownPath } from "./own-path.ts";
import {
  cookieName,
  cookieOf,
  cookieOptions,
  cookiesAreSecure,
  cookiesOf,
  secretIn,
  sessionCookieName,
} from "./session-cookie.ts";
import { closeSession, openSession } from "./sessions.ts";
import { inCodes, ownWaysIn, pendingCookie, type SignedIn } from "./sign-in/credentials.ts";
import { runNextAuth } from "./sign-in/next-auth.ts";
import { oidcProvider } from "./sign-in/oidc.ts";
import { signInSettings } from "./sign-in/providers.ts";
import { signInWithProvider } from "./sign-in/with-provider.ts";

/** The next-auth actions in use. Others (pages, sessions, a log that anyone may write to) answer 404. */
const ACTIONS: Record<string, string[]> = {
  GET: ["csrf", "providers", "signin", "callback", "error"],
  POST: ["signin", "callback", "signout"],
};

/** Answers a call of `/api/auth/<path>`. */
export async function handleAuth(request: Request, path: string[]): Promise<Response> {
  const requestId = randomUUID();
  const where = { method: request.method, path: `/api/auth/${path[0] ?? ""}` };
  try {
    if (!ACTIONS[request.method]?.includes(path[0] ?? ""))
      throw new AppError("not_found", "There is nothing at this address.");
    const setCookies: string[] = [];
    const response = await runNextAuth(request, path, authOptions(request, setCookies));
    for (const cookie of setCookies) response.headers.append("set-cookie", cookie);
    // Pages stay in the browser's memory for its Back button. Its storage keeps settings such as the theme.
    if (path[0] === "signout") response.headers.set("clear-site-data", '"cache"');
    return response;
  } catch (error) {
    return problem(error, requestId, where);
  }
}

function authOptions(request: Request, setCookies: string[]): NextAuthOptions {
  const { passwords, providers } = signInSettings();
  // The user that a provider's claims led to; next-auth itself only knows the provider's id of the user.
  let found: SignedIn | undefined;
  return {
    secret: need("authSecret"),
    useSecureCookies: cookiesAreSecure(),
    cookies: authCookies(),
    session: { strategy: "jwt", maxAge: SESSION_LIFETIME_MS / 1000 },
    pages: { signIn: "/sign-in", error: "/sign-in" },
    providers: [...ownWaysIn(request, setCookies, passwords), ...providers.map(oidcProvider)],
    callbacks: {
      signIn: async ({ account, profile }) => {
        const provider = providers.find((candidate) => candidate.id === account?.provider);
        if (!provider) return true;
        const result = await inCodes(() => signInWithProvider(provider, profile))(undefined);
        if ("refused" in result) return refusal(request, result.refused);
        found = result;
        return true;
      },
      // `user` is present at sign-in only.
      jwt: async ({ token, user, account }) => {
        if (!user) return { sub: token.sub, sid: token.sid };
        await closeFormer(request);
        setCookies.push(pendingCookie("", 0));
        const { userId, epoch } = found ?? (user as User & SignedIn);
        const sid = await openSession(userId, methodOf(account?.provider), browserOf(request), epoch);
        if (sid === null) throw new Error("the account was replaced during the sign-in");
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

function browserOf(request: Request) {
  return {
    userAgent: request.headers.get("user-agent"),
    address: clientAddress(request.headers.get("x-forwarded-for")),
  };
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

/**
 * Our own sign-in methods, as next-auth providers. Their errors end up in an address, so they throw codes
 * only: see `SignInError`.
 */
import type { NextAuthOptions, User } from "next-auth";
import CredentialsProvider from "next-auth/providers/credentials";
import { log } from "../../../base/log.ts";
import { clientAddress } from "../../http/client-address.ts";
import { PENDING_SIGN_IN_MS } from "../../tunables.ts";
import { demoPeople } from "../demo.ts";
import { cookieName, cookieOf, cookiesAreSecure } from "../session-cookie.ts";
import { credentialsEpoch } from "../sessions.ts";
import { checkCode } from "./with-code.ts";
import { checkPasskey } from "./with-passkey.ts";
import { checkPassword } from "./with-password.ts";

/** Binds the second step of a sign-in to the browser that took the first. */
const PENDING_COOKIE = "intray.sign-in";

/** The providers for a request. Cookies for the answer are pushed to `setCookies`. */
export function ownWaysIn(
  request: Request,
  setCookies: string[],
  passwords: boolean,
): NextAuthOptions["providers"] {
  const address = clientAddress(request.headers.get("x-forwarded-for"));

  const password = CredentialsProvider({
    id: "password",
    credentials: { email: {}, password: {} },
    authorize: inCodes(async (given) => {
      const result = await checkPassword(given?.email ?? "", given?.password ?? "", address);
      if (result.kind === "throttled") throw new SignInError("throttled");
      if (result.kind === "second_factor") {
        setCookies.push(pendingCookie(result.secret, PENDING_SIGN_IN_MS / 1000));
        throw new SignInError("second_factor");
      }
      return result.kind === "person" ? signedIn(result) : null;
    }),
  });

  const code = CredentialsProvider({
    id: "code",
    credentials: { code: {} },
    authorize: inCodes(async (given) => {
      const result = await checkCode(cookieOf(request, cookieName(PENDING_COOKIE)), given?.code ?? "");
      if (result.kind !== "person") throw new SignInError(result.kind);
      return signedIn(result);
    }),
  });

  const passkey = CredentialsProvider({
    id: "passkey",
    credentials: { answer: {} },
    authorize: inCodes(async (given) => {
      const result = await checkPasskey(given?.answer ?? "", address);
      if (result.kind === "throttled") throw new SignInError("throttled");
      if (result.kind === "refused") throw new SignInError("passkey_refused");
      return signedIn(result);
    }),
  });

  const demo = CredentialsProvider({
    id: "demo",
    credentials: { email: {} },
    authorize: inCodes(async (given) => {
      const people = await demoPeople(request.headers);
      const person = people.find((candidate) => candidate.email === given?.email);
      return person ? signedIn({ userId: person.id, epoch: await credentialsEpoch(person.id) }) : null;
    }),
  });

  return [...(passwords ? [password, code] : []), passkey, demo];
}

/** Who was signed in; `epoch` as in `openSession`. */
export interface SignedIn {
  userId: string;
  epoch: number;
}

/** next-auth's user. */
function signedIn({ userId, epoch }: SignedIn): User & SignedIn {
  return { id: userId, userId, epoch };
}

type Given = Record<string, string> | undefined;

/** A failure whose message is a code that may stand in an address. */
class SignInError extends Error {}

/** Turns any other error into a code, and logs the error, whose text may hold secrets. */
export function inCodes<T>(work: (given: Given) => Promise<T>): (given: Given) => Promise<T> {
  return async (given) => {
    try {
      return await work(given);
    } catch (error) {
      if (error instanceof SignInError) throw error;
      log.error({ err: error }, "Signing in failed");
      throw new SignInError("unavailable");
    }
  };
}

/** The `Set-Cookie` header between the two steps; 0 seconds delete the cookie. */
export function pendingCookie(secret: string, seconds: number): string {
  const secure = cookiesAreSecure() ? "; Secure" : "";
  return `${cookieName(PENDING_COOKIE)}=${secret}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

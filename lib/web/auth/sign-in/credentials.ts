/**
 * Our own sign-in methods, as next-auth providers. Their errors end up in an address, so they throw codes
 * only: see `SignInError`.
 */
import type { NextAuthOptions, User } from "next-auth";
import CredentialsProvider from "next-auth/providers/credentials";
import { noteRefusal } from "../../../accounts/identities.ts";
import { log } from "../../../base/log.ts";
import { database } from "../../database.ts";
import { PENDING_SIGN_IN_MS } from "../../tunables.ts";
import { demoPeople } from "../demo.ts";
import { type Origin, originOf } from "../origin.ts";
import { cookieName, cookieOf, cookiesAreSecure } from "../session-cookie.ts";
import { credentialsEpoch, type Proof } from "../sessions.ts";
import { noteSignIn, type SignInKind } from "./note.ts";
import { checkCode } from "./with-code.ts";
import { checkPasskey } from "./with-passkey.ts";
import { checkPassword } from "./with-password.ts";

/** Binds the second step of a sign-in to the browser that took the first. */
const PENDING_COOKIE = "intray.sign-in";

/** What the handler of a sign-in learns beside next-auth's answer. */
export interface Progress {
  /** Cookies for the answer. */
  setCookies: string[];
  /** Set where the try has to wait. */
  retryAfterMs?: number;
  /** How the person proved who they are; password and app by default. */
  kind?: SignInKind;
}

/** The providers for a request. */
export function ownWaysIn(
  request: Request,
  progress: Progress,
  passwords: boolean,
): NextAuthOptions["providers"] {
  const origin = originOf(request);
  const pause = (kind: SignInKind, retryAfterMs: number, userId?: string | null, email?: string) => {
    noteSignIn(origin, kind, "paused", { ...(userId && { userId }), ...(email !== undefined && { email }) });
    progress.retryAfterMs = retryAfterMs;
    return new SignInError(`throttled:${Math.ceil(retryAfterMs / 1000)}`);
  };

  const password = CredentialsProvider({
    id: "password",
    credentials: { email: {}, password: {} },
    authorize: inCodes(origin, "password", async (given) => {
      const email = given?.email ?? "";
      const result = await checkPassword(email, given?.password ?? "", origin);
      if (result.kind === "throttled") throw pause("password", result.retryAfterMs, result.userId, email);
      if (result.kind === "refused") {
        noteSignIn(origin, "password", "wrong", { userId: result.userId, email });
        // Not waited for, since the time would tell whether the account is there.
        if (result.userId) void noteWrongPassword(result.userId);
        return null;
      }
      if (result.kind === "second_factor") {
        noteSignIn(origin, "password", "half", { userId: result.userId });
        progress.setCookies.push(pendingCookie(result.secret, PENDING_SIGN_IN_MS / 1000));
        throw new SignInError("second_factor");
      }
      return signedIn(result);
    }),
  });

  const code = CredentialsProvider({
    id: "code",
    credentials: { code: {} },
    authorize: inCodes(origin, "code", async (given) => {
      const secret = cookieOf(request, cookieName(PENDING_COOKIE));
      const result = await checkCode(secret, given?.code ?? "", origin);
      const kind = result.isRecovery ? "recovery_code" : "code";
      if (result.kind === "throttled") throw pause(kind, result.retryAfterMs, result.userId);
      if (result.kind !== "person") {
        const userId = "userId" in result ? result.userId : null;
        noteSignIn(origin, kind, "wrong", { userId, reason: result.kind });
        throw new SignInError(result.kind);
      }
      progress.kind = kind;
      return signedIn(result);
    }),
  });

  const passkey = CredentialsProvider({
    id: "passkey",
    credentials: { answer: {} },
    authorize: inCodes(origin, "passkey", async (given) => {
      const result = await checkPasskey(given?.answer ?? "", origin);
      if (result.kind === "throttled") throw pause("passkey", result.retryAfterMs);
      if (result.kind === "refused") {
        noteSignIn(origin, "passkey", "wrong", { userId: result.userId });
        throw new SignInError("passkey_refused");
      }
      return signedIn(result);
    }),
  });

  const demo = CredentialsProvider({
    id: "demo",
    credentials: { email: {} },
    authorize: inCodes(origin, "demo", async (given) => {
      const people = await demoPeople(request.headers);
      const person = people.find((candidate) => candidate.email === given?.email);
      if (!person) noteSignIn(origin, "demo", "wrong");
      return person ? signedIn({ userId: person.id, epoch: await credentialsEpoch(person.id) }) : null;
    }),
  });

  return [...(passwords ? [password, code] : []), passkey, demo];
}

/** Who was signed in; `epoch` as in `openSession`. */
export interface SignedIn {
  userId: string;
  epoch: number;
  /** What a provider said of it. */
  proof?: Proof;
}

/** next-auth's user. */
function signedIn({ userId, epoch }: SignedIn): User & SignedIn {
  return { id: userId, userId, epoch };
}

/** Adds a wrong password to the account's history. */
async function noteWrongPassword(userId: string): Promise<void> {
  await database()
    .then((db) => noteRefusal(db, userId, "wrong_password"))
    .catch((error: unknown) => log.warn({ err: error }, "A wrong password could not be noted"));
}

type Given = Record<string, string> | undefined;

/** A failure whose message is a code that may stand in an address. */
class SignInError extends Error {}

/** Turns any other error into a code, and logs the error, whose text may hold secrets. */
export function inCodes<T>(
  origin: Origin,
  kind: SignInKind,
  work: (given: Given) => Promise<T>,
): (given: Given) => Promise<T> {
  return async (given) => {
    try {
      return await work(given);
    } catch (error) {
      if (error instanceof SignInError) throw error;
      log.error({ err: error }, "Signing in failed");
      noteSignIn(origin, kind, "failed");
      throw new SignInError("unavailable");
    }
  };
}

/** The `Set-Cookie` header between the two steps; 0 seconds delete the cookie. */
export function pendingCookie(secret: string, seconds: number): string {
  const secure = cookiesAreSecure() ? "; Secure" : "";
  return `${cookieName(PENDING_COOKIE)}=${secret}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * Our own sign-in methods, as next-auth providers. Their errors end up in an address, so they throw codes
 * only: see `SignInError`.
 */
import type { NextAuthOptions, User } from "next-auth";
import CredentialsProvider from "next-auth/providers/credentials";
import { Prisma } from "../../../base/db/db.ts";
import { env } from "../../../base/env.ts";
import { AppError } from "../../../base/errors.ts";
import { hashSecret } from "../../../base/ids.ts";
import { log } from "../../../base/log.ts";
import { assertionSchema, codeSchema } from "../../../people/accounts/account-schema.ts";
import { noteRefusal } from "../../../people/accounts/identities.ts";
import { answerWithPasskey, ownerOfPasskey, relyingParty } from "../../../people/accounts/passkeys.ts";
import { appCodeWaitMs, isAppCode, takeCode } from "../../../people/accounts/second-factor.ts";
import { database } from "../../database.ts";
import { mayTry } from "../../http/throttle.ts";
import { sealing } from "../../services.ts";
import {
  CODES_PER_ACCOUNT,
  PASSKEYS_PER_ORIGIN,
  PENDING_SIGN_IN_MS,
  PENDING_SIGN_IN_TRIES,
} from "../../tunables.ts";
import { demoPeople } from "../demo.ts";
import { type Origin, originOf } from "../origin.ts";
import { cookieName, cookieOf, cookiesAreSecure } from "../session-cookie.ts";
import { credentialsEpoch, type Proof } from "../sessions.ts";
import { noteSignIn, type SignInKind } from "./note.ts";
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
  /** As `inCodes`; a try that found no place in the line of passwords has to wait. */
  const inLine = <T>(kind: SignInKind, work: (given: Given) => Promise<T>) =>
    inCodes(origin, kind, (given) =>
      work(given).catch((error: unknown) => {
        const isFull = error instanceof AppError && error.code === "throttled";
        throw isFull ? pause(kind, error.retryAfterMs ?? 0) : error;
      }),
    );

  const password = CredentialsProvider({
    id: "password",
    credentials: { email: {}, password: {} },
    authorize: inLine("password", async (given) => {
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
    authorize: inLine("code", async (given) => {
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
      // Nobody reads the answer, and nothing of ours failed.
      if (error instanceof AppError && error.code === "caller_left") throw new SignInError("unavailable");
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

type PasskeyResult =
  | { kind: "person"; userId: string; epoch: number }
  /** `userId`: the owner of the passkey that was named, if there is one. */
  | { kind: "refused"; userId: string | null }
  | { kind: "throttled"; retryAfterMs: number };

/** Checks a passkey. `answer`: the browser authenticator's response, as JSON. */
async function checkPasskey(answer: string, origin: Pick<Origin, "key">): Promise<PasskeyResult> {
  if (!(await mayTry(`passkey ${origin.key}`, PASSKEYS_PER_ORIGIN)))
    return { kind: "throttled", retryAfterMs: PASSKEYS_PER_ORIGIN.windowMs };
  const parsed = assertionSchema.safeParse(parseJson(answer));
  if (!parsed.success) return { kind: "refused", userId: null };
  const db = await database();
  try {
    const person = await answerWithPasskey(db, relyingParty(env().url), parsed.data);
    return { kind: "person", ...person };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "passkey_refused") throw error;
    const userId = await ownerOfPasskey(db, parsed.data.id);
    if (userId) await noteRefusal(db, userId, "passkey_refused");
    return { kind: "refused", userId };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // not an authenticator's response
  }
}

/** `isRecovery`: the code was none of an app. */
type CodeResult = { isRecovery: boolean } & (
  | { kind: "person"; userId: string; epoch: number }
  | { kind: "wrong_code"; userId: string }
  /** Too late, tried too often, or finished already: the password is asked again. */
  | { kind: "sign_in_again" }
  | { kind: "throttled"; userId: string; retryAfterMs: number }
);

/** Checks the code of the sign-in that `secret` stands for. Of two simultaneous tries, one succeeds. */
async function checkCode(
  secret: string | undefined,
  typed: string,
  { network, browser }: Pick<Origin, "network" | "browser">,
): Promise<CodeResult> {
  const isRecovery = !isAppCode(typed);
  const db = await database();
  const hash = hashSecret(secret ?? "");
  const [pending] = await db.gate<{ user_id: string | null }>(
    Prisma.sql`SELECT gate.try_pending_sign_in(${hash}, ${PENDING_SIGN_IN_TRIES}::integer) AS user_id`,
  );
  const userId = pending?.user_id;
  if (!userId) return { kind: "sign_in_again", isRecovery };
  // By place as well, so that somebody elsewhere who has the password does not keep the person's recovery code out.
  if (!(await mayTry(`code ${userId} ${browser ?? network}`, CODES_PER_ACCOUNT)))
    return { kind: "throttled", userId, retryAfterMs: CODES_PER_ACCOUNT.windowMs, isRecovery };
  const epoch = await credentialsEpoch(userId);
  const given = codeSchema.safeParse(typed).data;
  const code = given ? await takeCode(db, sealing(), userId, given) : "wrong";
  if (code === "wait")
    return { kind: "throttled", userId, retryAfterMs: await appCodeWaitMs(db, userId), isRecovery };
  if (code === "wrong") {
    await noteRefusal(db, userId, "wrong_code");
    return { kind: "wrong_code", userId, isRecovery };
  }
  const [taken] = await db.gate<{ user_id: string | null }>(
    Prisma.sql`SELECT gate.take_pending_sign_in(${hash}) AS user_id`,
  );
  return taken?.user_id
    ? { kind: "person", userId: taken.user_id, epoch, isRecovery }
    : { kind: "sign_in_again", isRecovery };
}

/** Asks a signed-in person to show again that it is them, before calls that take much out, away or over. */

import { Prisma } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { AppError } from "../../base/errors.ts";
import type { GiveFactor, StepUp } from "../../people/accounts/account-schema.ts";
import { answerWithPasskey, relyingParty } from "../../people/accounts/passkeys.ts";
import { proveAgain } from "../../people/accounts/password.ts";
import { proveByCode } from "../../people/accounts/second-factor.ts";
import { database } from "../database.ts";
import { throttle } from "../http/throttle.ts";
import { sealing } from "../services.ts";
import { CODES_PER_ACCOUNT, PROOFS_PER_ACCOUNT, STEP_UP_MS } from "../tunables.ts";
import type { Caller } from "./authenticate.ts";
import { signedInPerson } from "./person.ts";
import { readSecurity } from "./security.ts";

/** Throws `step_up_required` for a session without a recent factor. A key has none, and does what its role allows. */
export async function refuseWithoutFactor({ sessionId }: Caller): Promise<void> {
  if (sessionId === null || (await isFresh(sessionId))) return;
  throw new AppError(
    "step_up_required",
    "Show that it is you first: with your password, a code or a passkey.",
  );
}

/** How the caller can show that it is them, and whether that is needed now. */
export async function readStepUp(caller: Caller): Promise<StepUp> {
  const { user, sessionId } = signedInPerson(caller);
  return { fresh: await isFresh(sessionId), ways: await waysOf(user.id) };
}

/**
 * Takes a password, code or passkey. Throws `forbidden` for a way that is not the account's, and `wrong_password`,
 * `wrong_code`, `passkey_refused` and `throttled`.
 */
export async function giveFactor(caller: Caller, input: GiveFactor): Promise<undefined> {
  const { user, sessionId } = signedInPerson(caller);
  await throttle(`proof ${user.id}`, PROOFS_PER_ACCOUNT);
  const ways = await waysOf(user.id);
  const given = "password" in input ? "password" : "code" in input ? "code" : "passkey";
  if (!ways.includes(given))
    throw new AppError("forbidden", "Your account cannot be confirmed this way; choose another.");
  const db = await database();
  if ("password" in input) await proveAgain(db, user.id, input.password, "password");
  if ("code" in input) {
    await throttle(`code ${user.id}`, CODES_PER_ACCOUNT);
    await proveByCode(db, sealing(), user.id, input.code);
  }
  if ("passkey" in input) {
    const { userId } = await answerWithPasskey(db, relyingParty(env().url), input.passkey);
    if (userId !== user.id) throw new AppError("passkey_refused", "This passkey is another account’s.");
  }
  await db.gate(Prisma.sql`SELECT gate.give_factor(${sessionId}::uuid, ${user.id}::uuid) AS done`);
}

/**
 * Asks before a way to sign in is added. The password is enough if the account has nothing else. Otherwise a factor has
 * to be fresh: a thief with a session and the password could add a way of their own and then show that one. Throws
 * `step_up_required`, `wrong_password`.
 */
export async function refuseWithoutProof(caller: Caller, password: string | undefined): Promise<void> {
  const { user } = signedInPerson(caller);
  if (!(await waysOf(user.id)).includes("password")) await refuseWithoutFactor(caller);
  await proveAgain(await database(), user.id, password);
}

/** Asks before the password is changed: with two-step sign-in the password of before is not enough. Throws `step_up_required`. */
export async function refuseWithoutCode(caller: Caller): Promise<void> {
  if ((await waysOf(signedInPerson(caller).user.id)).includes("code")) await refuseWithoutFactor(caller);
}

async function isFresh(sessionId: string): Promise<boolean> {
  const db = await database();
  const [row] = await db.gate<{ fresh: boolean }>(
    Prisma.sql`SELECT gate.factor_is_fresh(${sessionId}::uuid, ${STEP_UP_MS}::bigint) AS fresh`,
  );
  return row?.fresh === true;
}

/** Who has two-step sign-in shows a code: a stolen session often comes with the password. */
async function waysOf(userId: string): Promise<StepUp["ways"]> {
  const { password, secondFactor, passkeys } = await readSecurity(userId);
  const ways: StepUp["ways"] = secondFactor.active ? ["code"] : password ? ["password"] : [];
  if (passkeys.length > 0) ways.push("passkey");
  return ways.length > 0 ? ways : ["provider"];
}

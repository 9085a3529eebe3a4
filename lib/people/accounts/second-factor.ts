/**
 * One-time codes of an app (TOTP, RFC 6238: SHA-1, 6 digits, 30 s), and recovery codes for a lost app. The
 * app's secret is sealed; recovery codes are hashed as passwords are. No code works twice.
 */
import { Secret, TOTP } from "otpauth";
import { encode } from "uqr";
import { type Database, Prisma } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { hashSecret } from "../../base/ids.ts";
import type { Seal, SealedPlace } from "../../base/seal.ts";
import { hashPassword, verifyPassword } from "../members/password.ts";
import type { StartedSecondFactor } from "./account-schema.ts";

const STEP_MS = 30_000;
const RECOVERY_CODES = 10;
/** Letters at the start of a recovery code that are no secret: they name the hash that a try is compared with. */
const SELECTOR = 4;
/** Letters of a recovery code, without dashes; and of one from before there were selectors. */
const RECOVERY_CODE = 20;
const DATED_RECOVERY_CODE = 16;
/** Wrong codes of the app in a row before each further one waits, a minute first and twice as long each time. */
const FREE_CODES = 5;
const FIRST_PAUSE_MS = 60_000;
/** At this pace two of a million codes at a time are guessed in 57 years, half the time. */
const LONGEST_PAUSE_MS = 3600_000;

export interface SecondFactor {
  sealedSecret: string;
  /** Whether signing in asks for a code. */
  confirmed: boolean;
  recoveryCodesLeft: number;
  /** How many of those are kept under a fast hash, as codes were made before. */
  recoveryCodesDated: number;
}

export async function readSecondFactor(db: Database, userId: string): Promise<SecondFactor | null> {
  const [row] = await db.gate<{
    sealed_secret: string;
    confirmed: boolean;
    codes_left: number;
    codes_dated: number;
  }>(Prisma.sql`SELECT * FROM gate.second_factor_state(${userId}::uuid)`);
  if (!row) return null;
  return {
    sealedSecret: row.sealed_secret,
    confirmed: row.confirmed,
    recoveryCodesLeft: row.codes_left,
    recoveryCodesDated: row.codes_dated,
  };
}

/** Makes a secret, which takes effect only once confirmed. Throws `second_factor_on`. */
export async function startSecondFactor(
  db: Database,
  seal: Seal,
  user: { id: string; email: string },
): Promise<StartedSecondFactor> {
  const secret = new Secret({ size: 20 });
  const sealed = seal.seal(placeOf(user.id), secret.base32);
  const [row] = await db.gate<{ done: boolean }>(
    Prisma.sql`SELECT gate.start_second_factor(${user.id}::uuid, ${sealed}) AS done`,
  );
  if (!row?.done) throw new AppError("second_factor_on", "Two-step sign-in is on already.");
  const uri = new TOTP({ issuer: "Intray", label: user.email, secret }).toString();
  return { secret: secret.base32, uri, modules: encode(uri, { border: 2 }).data };
}

/** Activates the secret by its first code, and returns the recovery codes. Throws `wrong_code`. */
export async function confirmSecondFactor(
  db: Database,
  seal: Seal,
  userId: string,
  code: string,
  now = Date.now(),
): Promise<string[]> {
  const found = await readSecondFactor(db, userId);
  if (found?.confirmed) throw new AppError("second_factor_on", "Two-step sign-in is on already.");
  const step = found && stepOf(seal.open(placeOf(userId), found.sealedSecret), code, now);
  if (!found || step === null) throw wrongCode();
  const codes = newRecoveryCodes();
  const kept = await hashed(codes, userId);
  const [row] = await db.gate<{ done: boolean }>(
    Prisma.sql`SELECT gate.confirm_second_factor(${userId}::uuid, ${found.sealedSecret}, ${step}::bigint,
      ${kept.selectors}, ${kept.hashes}) AS done`,
  );
  if (!row?.done) throw wrongCode();
  return codes;
}

/**
 * Uses up a code of the app or a recovery code. `wrong`: or used before; of two simultaneous uses, one wins. `wait`:
 * too many wrong codes of the app came before; a recovery code is taken even then.
 */
export async function takeCode(
  db: Database,
  seal: Seal,
  userId: string,
  code: string,
  now = Date.now(),
): Promise<"taken" | "wrong" | "wait"> {
  const found = await readSecondFactor(db, userId);
  if (!found?.confirmed) return "wrong";
  if (!isAppCode(code)) return (await takeRecoveryCode(db, userId, tidy(code))) ? "taken" : "wrong";
  if (!(await mayTryAppCode(db, userId))) return "wait";
  const step = stepOf(seal.open(placeOf(userId), found.sealedSecret), code, now);
  if (step === null) return "wrong";
  const [row] = await db.gate<{ done: boolean }>(
    Prisma.sql`SELECT gate.use_code(${userId}::uuid, ${step}::bigint, NULL::bytea) AS done`,
  );
  return row?.done === true ? "taken" : "wrong";
}

/** Costs one slow hash at most, whether or not there is a code with the selector. */
async function takeRecoveryCode(db: Database, userId: string, code: string): Promise<boolean> {
  if (code.length === DATED_RECOVERY_CODE) {
    const [row] = await db.gate<{ done: boolean }>(
      Prisma.sql`SELECT gate.use_code(${userId}::uuid, NULL::bigint, ${hashSecret(code)}::bytea) AS done`,
    );
    return row?.done === true;
  }
  if (code.length !== RECOVERY_CODE) return false;
  const [selector, secret] = [code.slice(0, SELECTOR), code.slice(SELECTOR)];
  const [found] = await db.gate<{ hash: string | null }>(
    Prisma.sql`SELECT gate.recovery_hash(${userId}::uuid, ${selector}) AS hash`,
  );
  if (!(await verifyPassword(secret, found?.hash ?? null, userId)) || !found?.hash) return false;
  const [row] = await db.gate<{ done: boolean }>(
    Prisma.sql`SELECT gate.use_recovery_code(${userId}::uuid, ${selector}, ${found.hash}) AS done`,
  );
  return row?.done === true;
}

/** Whether a code has the form of an app's; all others are taken for recovery codes. */
export function isAppCode(code: string): boolean {
  return /^\d{6}$/.test(tidy(code));
}

/** How long the next code of the app has to wait, after `takeCode` said `wait`. */
export async function appCodeWaitMs(db: Database, userId: string): Promise<number> {
  const [row] = await db.gate<{ wait_ms: bigint }>(
    Prisma.sql`SELECT gate.app_code_wait(${userId}::uuid, ${FREE_CODES}::integer, ${FIRST_PAUSE_MS}::bigint,
      ${LONGEST_PAUSE_MS}::bigint) AS wait_ms`,
  );
  // At least a second: the pause may end between the two statements.
  return Math.max(1_000, Number(row?.wait_ms ?? 0));
}

async function mayTryAppCode(db: Database, userId: string): Promise<boolean> {
  const [row] = await db.gate<{ ok: boolean }>(
    Prisma.sql`SELECT gate.try_app_code(${userId}::uuid, ${FREE_CODES}::integer, ${FIRST_PAUSE_MS}::bigint,
      ${LONGEST_PAUSE_MS}::bigint) AS ok`,
  );
  return row?.ok === true;
}

/** Replaces the recovery codes by ten new ones. Throws `second_factor_off`, `wrong_code` and `throttled`. */
export async function replaceRecoveryCodes(
  db: Database,
  seal: Seal,
  userId: string,
  code: string,
): Promise<string[]> {
  await proveByCode(db, seal, userId, code);
  const codes = newRecoveryCodes();
  const kept = await hashed(codes, userId);
  await db.gate(
    Prisma.sql`SELECT 1 AS done FROM gate.replace_recovery_codes(${userId}::uuid, ${kept.selectors}, ${kept.hashes})`,
  );
  return codes;
}

/** Throws `second_factor_off`, `wrong_code` and `throttled`. */
export async function removeSecondFactor(
  db: Database,
  seal: Seal,
  userId: string,
  code: string,
): Promise<undefined> {
  await proveByCode(db, seal, userId, code);
  await db.gate(Prisma.sql`SELECT gate.remove_second_factor(${userId}::uuid, false) AS done`);
}

/** Throws `second_factor_off`, `wrong_code` and `throttled`. */
export async function proveByCode(db: Database, seal: Seal, userId: string, code: string): Promise<void> {
  if (!(await readSecondFactor(db, userId))?.confirmed)
    throw new AppError("second_factor_off", "Two-step sign-in is off.");
  const taken = await takeCode(db, seal, userId, code);
  if (taken === "wrong") throw wrongCode();
  if (taken === "wait")
    throw new AppError("throttled", "Too many wrong codes: wait a while, or use a recovery code.", {
      retryAfterMs: await appCodeWaitMs(db, userId),
    });
}

/** Returns the time step of a code, this one or the one before, or null if the code matches neither. */
function stepOf(secret: string, code: string, now: number): number | null {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: tidy(code), timestamp: now, window: 1 });
  return delta === null || delta > 0 ? null : Math.floor(now / STEP_MS) + delta;
}

/** A person's secret belongs to no organization, so `user` takes the place of the organization's id. */
function placeOf(userId: string): SealedPlace {
  return { organizationId: "user", table: "second_factor", row: userId, column: "sealed_secret" };
}

/**
 * `abcd-efgh-2345-klmn-opqr`: a selector, which no other of the ten has, and 80 bits, in base32, which has no 0, 1 or 8
 * to mistake for letters.
 */
function newRecoveryCodes(): string[] {
  const letters = (bytes: number) => new Secret({ size: bytes }).base32.toLowerCase();
  const selectors = new Set<string>();
  while (selectors.size < RECOVERY_CODES) selectors.add(letters(5).slice(0, SELECTOR));
  return [...selectors].map((selector) => (selector + letters(10)).replace(/(.{4})(?=.)/g, "$1-"));
}

/** One after the other: ten slow hashes at once would keep the process's threads from everybody else. */
async function hashed(codes: string[], userId: string): Promise<{ selectors: string[]; hashes: string[] }> {
  const tidied = codes.map(tidy);
  const hashes: string[] = [];
  for (const code of tidied) hashes.push(await hashPassword(code.slice(SELECTOR), userId));
  return { selectors: tidied.map((code) => code.slice(0, SELECTOR)), hashes };
}

function tidy(code: string): string {
  return code.toLowerCase().replace(/[\s-]/g, "");
}

function wrongCode(): AppError {
  return new AppError("wrong_code", "The code is wrong, or was used before.", {
    errors: [{ field: "code", message: "This code does not work; wait for the next one" }],
  });
}

/**
 * Passwords, hashed with Node's scrypt (RFC 7914). Format: `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`, salt and
 * hash in base64url. The parameters are part of the hash, so they can be raised without a migration.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { AppError } from "../../base/errors.ts";
import { onePerProcess } from "../../base/process/process-wide.ts";
import { scope } from "../../base/process/scope.ts";
import { Turns } from "../../base/process/turns.ts";
import { LOG2_N, P, R } from "./password-cost.ts";

const LENGTH = 32;

/** `knownAs`: as for `verifyPassword`. */
export async function hashPassword(password: string, knownAs?: string): Promise<string> {
  const salt = randomBytes(16);
  const derived = await derive(password, { salt, log2N: LOG2_N, r: R, p: P }, knownAs);
  return ["scrypt", LOG2_N, R, P, salt.toString("base64url"), derived.toString("base64url")].join("$");
}

/** Whether a hash was made with other parameters than today's. */
export function isDated(stored: string): boolean {
  return !stored.startsWith(`scrypt$${LOG2_N}$${R}$${P}$`);
}

/**
 * Whether `password` matches `stored`. Null (no account, or no password) takes as long, and is false. `knownAs`: the account, of
 * somebody who is signed in, or has signed in from this network or browser before.
 */
export async function verifyPassword(
  password: string,
  stored: string | null,
  knownAs?: string,
): Promise<boolean> {
  const [kind, log2N, r, p, salt, known] = (stored ?? NO_HASH).split("$");
  if (kind !== "scrypt" || !salt || !known) throw new Error("a stored password hash is not in our format");
  const expected = Buffer.from(known, "base64url");
  const cost = { log2N: Number(log2N), r: Number(r), p: Number(p) };
  const actual = await derive(password, { salt: Buffer.from(salt, "base64url"), ...cost }, knownAs);
  return timingSafeEqual(actual, expected) && stored !== null;
}

/** No password's. */
const NO_HASH = `scrypt$${LOG2_N}$${R}$${P}$${randomBytes(16).toString("base64url")}$${randomBytes(LENGTH).toString("base64url")}`;

/**
 * Hashes at once. Each takes one of the four threads of libuv for a fifth of a second, and cookies, files and compression
 * need these threads too: many sign-ins wait for each other, not everybody for them.
 */
const AT_ONCE = 2;
/** Most that wait: of people who are known, some four seconds together, and of strangers, ten. */
const MOST_KNOWN = 40;
const MOST_STRANGERS = 100;
const RETRY_AFTER_MS = 5_000;

interface Waiting {
  begin(): void;
  refuse(error: AppError): void;
}

/** People who are known have a line of their own, since strangers of enough networks fill every other one. */
const hashes = onePerProcess("password hashes", () => ({
  running: 0,
  /** By account. */
  known: new Turns<Waiting>(MOST_KNOWN),
  /** By network: strangers of a few cannot keep people of others from signing in. */
  strangers: new Turns<Waiting>(MOST_STRANGERS),
  wasKnown: false,
}));

interface Parameters {
  salt: Buffer;
  log2N: number;
  r: number;
  p: number;
}

/** Throws `throttled` where too many wait, and `caller_left`. */
async function derive(password: string, by: Parameters, knownAs: string | undefined): Promise<Buffer> {
  const all = hashes();
  if (all.running < AT_ONCE) all.running++;
  else await turn(knownAs);
  try {
    return await hash(password, by);
  } finally {
    const next = nextOf(all);
    if (next) next.begin();
    else all.running--;
  }
}

/** The two lines take turns. */
function nextOf(all: ReturnType<typeof hashes>): Waiting | undefined {
  all.wasKnown = !all.wasKnown;
  return all.wasKnown
    ? (all.known.take() ?? all.strangers.take())
    : (all.strangers.take() ?? all.known.take());
}

function turn(knownAs: string | undefined): Promise<void> {
  const { network = "none", left } = scope().caller ?? {};
  const { known, strangers } = hashes();
  const [line, owner] = knownAs === undefined ? [strangers, network] : [known, knownAs];
  return new Promise((resolve, reject) => {
    const leave = () => {
      line.remove(owner, waiting);
      reject(new AppError("caller_left", "The caller closed the connection."));
    };
    const waiting: Waiting = {
      begin: () => {
        left?.removeEventListener("abort", leave);
        resolve();
      },
      refuse: (error) => {
        left?.removeEventListener("abort", leave);
        reject(error);
      },
    };
    if (left?.aborted) return leave();
    left?.addEventListener("abort", leave);
    line.add(owner, waiting)?.refuse(
      new AppError("throttled", "Too many passwords are being checked; try again in a few seconds.", {
        retryAfterMs: RETRY_AFTER_MS,
      }),
    );
  });
}

function hash(password: string, { salt, log2N, r, p }: Parameters): Promise<Buffer> {
  const N = 2 ** log2N;
  return new Promise((resolve, reject) => {
    // scrypt needs 128 * N * r bytes, exactly Node's default limit at N = 2^15: allow twice that
    scrypt(password.normalize("NFC"), salt, LENGTH, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

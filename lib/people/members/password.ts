/**
 * Passwords, hashed with Node's scrypt (RFC 7914). Format: `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`, salt and
 * hash in base64url. The parameters are part of the hash, so they can be raised without a migration.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { LOG2_N, P, R } from "./password-cost.ts";

const LENGTH = 32;

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const derived = await derive(password, salt, LOG2_N, R, P);
  return ["scrypt", LOG2_N, R, P, salt.toString("base64url"), derived.toString("base64url")].join("$");
}

/** Whether a hash was made with other parameters than today's. */
export function isDated(stored: string): boolean {
  return !stored.startsWith(`scrypt$${LOG2_N}$${R}$${P}$`);
}

let dummy: Promise<string> | undefined;

/** Whether `password` matches `stored`. Null (no account, or no password) takes as long, and is false. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  dummy ??= hashPassword(randomBytes(16).toString("hex"));
  const [kind, log2N, r, p, salt, known] = (stored ?? (await dummy)).split("$");
  if (kind !== "scrypt" || !salt || !known) throw new Error("a stored password hash is not in our format");
  const expected = Buffer.from(known, "base64url");
  const actual = await derive(password, Buffer.from(salt, "base64url"), Number(log2N), Number(r), Number(p));
  return timingSafeEqual(actual, expected) && stored !== null;
}

/**
 * Hashes at once. Each takes one of the four threads of libuv for a fifth of a second, and cookies, files and compression
 * need these threads too: many sign-ins wait for each other, not everybody for them.
 */
const HASHES_AT_ONCE = 2;
let hashing = 0;
const waiting: (() => void)[] = [];

async function derive(password: string, salt: Buffer, log2N: number, r: number, p: number): Promise<Buffer> {
  if (hashing >= HASHES_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else hashing++;
  try {
    return await hash(password, salt, log2N, r, p);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else hashing--;
  }
}

function hash(password: string, salt: Buffer, log2N: number, r: number, p: number): Promise<Buffer> {
  const N = 2 ** log2N;
  return new Promise((resolve, reject) => {
    // scrypt needs 128 * N * r bytes, exactly Node's default limit at N = 2^15: allow twice that
    scrypt(password.normalize("NFC"), salt, LENGTH, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

import { createHash, randomBytes } from "node:crypto";

/** UUIDv7 (RFC 9562): 48 bits of milliseconds, then random bits, so that ids sort by time of making. */
export function uuidv7(now: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A secret for a person or a program to carry: 256 random bits, in base64url. */
export function randomSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** What is stored of a random secret. Unsalted on purpose: 256 random bits can't be guessed, and it is looked up by. */
export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

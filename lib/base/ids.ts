import { createHash, randomBytes } from "node:crypto";

/** Returns a UUIDv7 (RFC 9562): milliseconds (48 bits), then random bits. Ids sort by creation time. */
export function uuidv7(now: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Returns a secret for a person or a program: 256 random bits, in base64url. */
export function randomSecret(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * Returns the stored form of a random secret. Unsalted on purpose: 256 random bits cannot be guessed, and
 * lookups need the hash.
 */
export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

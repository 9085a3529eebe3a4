/**
 * A new `Idempotency-Key`. Used instead of `crypto.randomUUID`, which needs a secure context: plain-http addresses
 * in an office are none.
 */
export function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

/**
 * The link by which a digest is turned off without a sign-in (RFC 8058): names the membership, signed under the ring's oldest key, so
 * that old mails can still be unsubscribed from. Turning the digest off is all that it can do.
 */
import { timingSafeEqual } from "node:crypto";
import type { Seal } from "../../base/seal.ts";

const PURPOSE = "unsubscribe from digest";
const ID_BYTES = 16;

export function unsubscribeToken(
  seal: Seal,
  { organizationId, userId }: { organizationId: string; userId: string },
): string {
  const ids = Buffer.from(`${organizationId}${userId}`.replaceAll("-", ""), "hex");
  return Buffer.concat([ids, signatureOf(seal, ids)]).toString("base64url");
}

/** Null: no such link was ever made here. */
export function readUnsubscribeToken(
  seal: Seal,
  token: string,
): { organizationId: string; userId: string } | null {
  const bytes = Buffer.from(token, "base64url");
  const ids = bytes.subarray(0, 2 * ID_BYTES);
  const [given, wanted] = [bytes.subarray(2 * ID_BYTES), signatureOf(seal, ids)];
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
  return { organizationId: uuidOf(ids.subarray(0, ID_BYTES)), userId: uuidOf(ids.subarray(ID_BYTES)) };
}

const signatureOf = (seal: Seal, ids: Buffer) => seal.digest(PURPOSE, ids.toString("hex"));

function uuidOf(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Standard Webhooks (standardwebhooks.com): HMAC-SHA256 over `id.timestamp.body`, in base64. */
import { createHmac, randomBytes } from "node:crypto";
import type { SealedPlace } from "../../base/seal.ts";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** Whether a receiver's own secret is one of the standard's: `whsec_` plus the base64 of 24 to 64 bytes. */
export function isSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const encoded = text.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, "base64");
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString("base64") === encoded;
}

/** Returns a new secret in the receivers' format: `whsec_` plus base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** Returns the headers of one attempt, with a signature for each valid secret. */
export function signedHeaders(
  id: string,
  body: string,
  secrets: string[],
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    "content-type": "application/json",
    "user-agent": "Intray",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

export function secretPlace(
  organizationId: string,
  webhookId: string,
  column: "sealed_secret" | "sealed_previous_secret",
): SealedPlace {
  return { organizationId, table: "webhook_endpoint", row: webhookId, column };
}

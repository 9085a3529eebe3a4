import { createHash } from "node:crypto";
import { canonicalJson } from "../../mcp/forms/jcs.ts";

/** SHA-256 of exactly what would be sent. */
export function contentDigest(action: string, content: unknown): string {
  return createHash("sha256")
    .update(canonicalJson({ v: 1, action, content }))
    .digest("hex");
}

/** Names the cause of a failed attempt. What the other side said is not kept, since it may hold anything. */
import { NetworkError } from "../../base/network/network.ts";

/** A failed attempt, by its code (`failureSchema`). */
export class DeliveryFailure extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.name = "DeliveryFailure";
    this.code = code;
  }
}

const UNTRUSTED = new Set([
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_UNTRUSTED",
  "CERT_REJECTED",
  "INVALID_CA",
  "CERT_SIGNATURE_FAILURE",
]);

/** Returns the code of an error of a destination. */
export function failureOf(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code } = each as NodeJS.ErrnoException;
    if (each instanceof DeliveryFailure) return each.code;
    if (each instanceof NetworkError) return "address_not_allowed";
    if (each.name === "TimeoutError" || code === "UND_ERR_CONNECT_TIMEOUT") return "timeout";
    if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "certificate_name";
    if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") return "certificate_expired";
    if (code !== undefined && UNTRUSTED.has(code)) return "certificate_untrusted";
    if (code === "ENOTFOUND") return "name_unknown";
  }
  return "unreachable";
}

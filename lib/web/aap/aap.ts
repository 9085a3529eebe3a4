/**
 * The edge of the Agent Approval Protocol (docs/decisions/092). Its routes are routes of the API: the same keys,
 * permissions, limits and isolation. Bodies are read strictly, and refusals are in the protocol's words.
 */
import { AppError } from "../../base/errors.ts";
import { faultOf, type Refuse, refusal } from "../http/problem.ts";
import { readIdempotencyKey } from "../http/request-headers.ts";

/** The protocol's codes, by ours, by the `reason` of an approval that can't be used, and by the field. Other codes are the same. */
const CODES: Record<string, string> = {
  idempotency_mismatch: "idempotency_conflict",
  task_ended: "already_terminal",
  address_not_allowed: "invalid_webhook_url",
};
const CODES_OF_REASONS: Record<string, string> = {
  missing_idempotency_key: "missing_idempotency_key",
  not_approved: "not_approved",
  waiting: "not_approved",
  declined: "not_approved",
  cancelled: "not_approved",
  expired: "approval_expired",
  already_consumed: "already_consumed",
  not_consumed: "not_consumed",
  outcome_conflict: "outcome_conflict",
};

const CODES_OF_FIELDS: Record<string, string> = {
  "delivery.type": "unsupported_delivery_type",
  "delivery.url": "invalid_webhook_url",
};

const refuse: Refuse = (error, requestId, where) => {
  const { code, detail, errors, extra, retryAfterMs, ...fault } = faultOf(error, requestId, where);
  const status = statusOf(code, fault.status);
  const param = errors?.[0]?.field;
  const body = {
    type: typeOf(status),
    code: CODES_OF_REASONS[String(extra?.reason)] ?? CODES_OF_FIELDS[param ?? ""] ?? CODES[code] ?? code,
    message: errors?.[0] ? `${detail} ${errors[0].message}` : detail,
    ...(param && { param }),
    request_id: requestId,
  };
  return refusal(status, { error: body }, "application/json", retryAfterMs);
};

/** The protocol has 422 for a receiver that does not answer, and 400 for everything that is wrong in a call. */
function statusOf(code: string, status: number): number {
  if (status === 422) return code === "webhook_verification_failed" ? 422 : 400;
  return status === 502 ? 503 : status;
}

function typeOf(status: number): string {
  if (status >= 500) return status === 503 ? "dependency" : "internal";
  return TYPES[status] ?? "invalid_request";
}
const TYPES: Record<number, string> = {
  401: "authentication",
  403: "authorization",
  404: "not_found",
  409: "conflict",
  429: "rate_limit",
};

/** What the definition of every route of the protocol has. */
export const AAP = { refuse, strictBody: true } as const;

/** The `Idempotency-Key`, which the protocol requires. Throws `invalid_input`. */
export function requiredKey(request: Request): string {
  const key = readIdempotencyKey(request);
  if (key !== null) return key;
  throw new AppError("invalid_input", "The header Idempotency-Key is missing.", {
    extra: { reason: "missing_idempotency_key" },
  });
}

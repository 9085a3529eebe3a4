import { isDatabaseDown } from "../../base/db/database-errors.ts";
import { AppError, type FieldError } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import type { Caller } from "../auth/authenticate.ts";
import { DATABASE_RETRY_AFTER_MS } from "../tunables.ts";

/** Answers a failure, in the format of the route's protocol. */
export type Refuse = (error: unknown, requestId: string, where: { method: string; path: string }) => Response;

/** The problem document (RFC 9457) of a failure. */
export const problem: Refuse = (error, requestId, where) => respond(faultOf(error, requestId, where));

/** What a failure is to the caller. Unexpected errors are logged, and shown as generic text. */
export function faultOf(error: unknown, requestId: string, where: { method: string; path: string }): Fault {
  if (error instanceof AppError) {
    return {
      status: error.status,
      code: error.code,
      detail: error.detail,
      requestId,
      errors: error.errors,
      extra: error.extra,
      retryAfterMs: error.retryAfterMs,
    };
  }
  if (isDatabaseDown(error)) {
    log.warn({ err: error, requestId, ...where }, "The database cannot be reached");
    return {
      status: 503,
      code: "database_unavailable",
      detail: isRead(where.method)
        ? "The database cannot be reached just now. Try again."
        : "The database cannot be reached just now. What was sent may or may not have been stored: look before you repeat it.",
      requestId,
      retryAfterMs: DATABASE_RETRY_AFTER_MS,
    };
  }
  log.error({ err: error, requestId, ...where }, "A request failed");
  return {
    status: 500,
    code: "internal",
    detail: "Something went wrong in Intray. Its log has the error under the request’s id.",
    requestId,
  };
}

/** Says in the log who was refused what, by ids: reads are not logged otherwise, and no call's line has its caller. */
export function noteRefusal(
  error: unknown,
  caller: Caller | null,
  where: { method: string; path: string },
): void {
  if (!(error instanceof AppError) || error.status !== 403) return;
  const { organizationId, actor } = caller?.principal ?? { organizationId: null, actor: null };
  log.info(
    {
      code: error.code,
      ...where,
      organizationId,
      actorKind: actor?.kind ?? null,
      actorId: actor?.id ?? null,
    },
    "a call was refused",
  );
}

/** A lost connection leaves a read without effect, but a write may have been committed. */
function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

export interface Fault {
  status: number;
  code: string;
  detail: string;
  requestId: string;
  errors?: FieldError[];
  extra?: Record<string, unknown>;
  retryAfterMs?: number;
}

function respond({ status, code, detail, requestId, errors, extra, retryAfterMs }: Fault): Response {
  const body = {
    ...extra,
    type: "about:blank",
    title: titleOf(code),
    status,
    code,
    detail,
    requestId,
    ...(errors && { errors }),
  };
  return refusal(status, body, "application/problem+json", retryAfterMs);
}

export function refusal(
  status: number,
  body: object,
  type: string,
  retryAfterMs: number | undefined,
): Response {
  const headers = new Headers({ "content-type": type });
  if (retryAfterMs !== undefined) headers.set("retry-after", String(Math.ceil(retryAfterMs / 1000)));
  return new Response(JSON.stringify(body), { status, headers });
}

/** `already_answered` → "Already answered". */
function titleOf(code: string): string {
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

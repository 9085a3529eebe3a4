import { isDatabaseDown } from "../../base/db/database-errors.ts";
import { AppError, type FieldError } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import type { Caller } from "../auth/authenticate.ts";
import { DATABASE_RETRY_AFTER_MS } from "../tunables.ts";

/** The problem document (RFC 9457) of a failure. Unexpected errors are logged, and shown as generic text. */
export function problem(
  error: unknown,
  requestId: string,
  where: { method: string; path: string },
): Response {
  if (error instanceof AppError) {
    return respond(error.status, {
      code: error.code,
      detail: error.detail,
      requestId,
      errors: error.errors,
      extra: error.extra,
      retryAfterMs: error.retryAfterMs,
    });
  }
  if (isDatabaseDown(error)) {
    log.warn({ err: error, requestId, ...where }, "The database cannot be reached");
    return respond(503, {
      code: "database_unavailable",
      detail: isRead(where.method)
        ? "The database cannot be reached just now. Try again."
        : "The database cannot be reached just now. What was sent may or may not have been stored: look before you repeat it.",
      requestId,
      retryAfterMs: DATABASE_RETRY_AFTER_MS,
    });
  }
  log.error({ err: error, requestId, ...where }, "A request failed");
  return respond(500, {
    code: "internal",
    detail: "Something went wrong on our side; it was noted under the request's id.",
    requestId,
  });
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

interface Problem {
  code: string;
  detail: string;
  requestId: string;
  errors?: FieldError[];
  extra?: Record<string, unknown>;
  retryAfterMs?: number;
}

function respond(
  status: number,
  { code, detail, requestId, errors, extra, retryAfterMs }: Problem,
): Response {
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
  const headers = new Headers({ "content-type": "application/problem+json" });
  if (retryAfterMs !== undefined) headers.set("retry-after", String(Math.ceil(retryAfterMs / 1000)));
  return new Response(JSON.stringify(body), { status, headers });
}

/** `already_answered` → "Already answered". */
function titleOf(code: string): string {
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Converts a call's failure to a PeerError: from the connection, the HTTP status, or the JSON-RPC error. */
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import { NetworkError } from "../base/network/address-rules.ts";
import { ERROR_CHARACTERS } from "./limits.ts";
import { type RpcError, rpcErrorSchema } from "./messages.ts";
import { tokenChallenge } from "./oauth/challenges.ts";
import { PeerError, type PeerErrorCode } from "./peer-error.ts";
import { parseJson } from "./wire/json.ts";
import { shownTarget } from "./wire/redirect.ts";

const TIMEOUTS = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/** Converts a connection failure. `sent` is false if the request was still waiting for its connection. */
export function transportError(error: Error, sent: boolean): PeerError {
  if (error instanceof PeerError) return error;
  if (error instanceof NetworkError) {
    return new PeerError("address_not_allowed", "no", "The address is not allowed", { cause: error });
  }
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (code.startsWith("Z_") || code.startsWith("ERR__ERROR_FORMAT"))
    return badReply("The reply can’t be unpacked", error);
  const reached = sent ? "maybe" : "no";
  if (TIMEOUTS.has(code))
    return new PeerError("timeout", reached, "The server fell silent", { cause: error });
  return new PeerError("unreachable", reached, "The connection failed", { cause: error });
}

/** Returns an error for an unintelligible reply. Returns a PeerError thrown while reading unchanged. */
export function badReply(message: string, cause?: unknown): PeerError {
  return cause instanceof PeerError ? cause : new PeerError("bad_reply", "yes", message, { cause });
}

export interface HttpAnswer {
  /** Where the answer is from. */
  url: URL;
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/**
 * Converts an HTTP response outside 2xx. `inSession`: the request had an `Mcp-Session-Id`. `method` is null
 * for notifications and responses.
 */
export function httpError(answer: HttpAnswer, method: string | null, inSession: boolean): PeerError {
  const { status } = answer;
  const rpcError = errorIn(answer.body);
  const detail = { httpStatus: status, rpcError };
  const fail = (
    code: PeerErrorCode,
    message: string,
    reached: "maybe" | "yes" = "yes",
    retryAfterMs?: number,
  ) => new PeerError(code, reached, message, { ...detail, retryAfterMs });

  const retryAfterMs = retryAfter(answer.headers["retry-after"], Date.now());
  const isRefused = status === 429 || status === 503;
  if (
    method === "initialize" &&
    isRefused &&
    (SESSIONS_FULL.test(wordsOf(answer.body)) || (rpcError && status === 503))
  ) {
    return new PeerError("sessions_full", "no", NO_MORE_SESSIONS, { ...detail, retryAfterMs });
  }
  if (status === 401 || status === 403) {
    const neededScope = status === 403 ? insufficientScope(answer.headers["www-authenticate"]) : undefined;
    return new PeerError("unauthorized", "yes", "The server refused the credentials", {
      ...detail,
      neededScope,
    });
  }
  if (status === 429 || (status === 503 && retryAfterMs !== undefined)) {
    return fail("rate_limited", "The server asks for fewer calls", "yes", retryAfterMs);
  }
  const isUnknownMethod = rpcError?.code === METHOD_NOT_FOUND;
  // The session is alive; only the task is unknown.
  if (rpcError && method?.startsWith("tasks/") && isAboutTask(rpcError.message))
    return fail("task_not_found", "The server does not know the task");
  if (
    inSession &&
    !isUnknownMethod &&
    (status === 404 || (status === 400 && namesSession(wordsOf(answer.body))))
  ) {
    return fail("session_gone", "The server no longer knows the session");
  }
  // A gateway timed out or lost its server, which may still have acted. A JSON-RPC body proves nothing, since
  // the gateway may have written it. Only a `Retry-After` (handled above) shows that the request was refused.
  if (status === 502 || status === 503 || status === 504)
    return new PeerError("unreachable", "maybe", `The server answered HTTP ${status}`, {
      httpStatus: status,
    });
  if (rpcError) return rpcFailure(rpcError, method, status);
  if (status === 405 || status === 501) return fail("not_supported", `The server answered HTTP ${status}`);
  // 414 and 431: an argument that the tool wants in a header is too long for the server.
  if ([400, 409, 413, 414, 422, 431].includes(status)) {
    return fail("rejected", `The server answered HTTP ${status}`);
  }
  const redirectsTo = shownTarget(status, answer.headers.location, answer.url) ?? undefined;
  const message = redirectsTo
    ? `The server redirects to ${redirectsTo}; set that address`
    : `The server answered HTTP ${status}`;
  return new PeerError("bad_reply", "yes", message, { ...detail, redirectsTo });
}

/** Converts a JSON-RPC error in the reply to `method`. */
export function rpcFailure(error: RpcError, method: string | null, httpStatus = 200): PeerError {
  const detail = { httpStatus, rpcError: error };
  if (method === "initialize" && SESSIONS_FULL.test(error.message)) {
    return new PeerError("sessions_full", "no", NO_MORE_SESSIONS, detail);
  }
  const message = missingCapabilities(error) ?? "The server answered with an error";
  return new PeerError(rpcCode(error, method, httpStatus), "yes", message, detail);
}

/** No error code exists for a server's session limit, so the message is searched. */
const SESSIONS_FULL =
  /\b(too many|max(imum)?|limit|capacity|quota)\b.*\bsessions?\b|\bsessions?\b.*\b(limit|capacity|quota|max(imum)?|exhausted|full)\b/i;
const NO_MORE_SESSIONS = "The server takes no further session";

const missingSchema = z.looseObject({ requiredCapabilities: z.record(z.string(), z.unknown()) });
const CAPABILITY = /^[\w./-]{1,100}$/;

/** Returns a message about client capabilities that a server requires and Intray lacks (-32021), or null. */
function missingCapabilities({ code, data }: RpcError): string | null {
  if (code !== MISSING_CAPABILITY) return null;
  const { extensions, ...required } = missingSchema.safeParse(data).data?.requiredCapabilities ?? {};
  const names = [...Object.keys(required), ...Object.keys((extensions as object | undefined) ?? {})];
  const shown = names.filter((name) => CAPABILITY.test(name)).slice(0, 10);
  return shown.length === 0
    ? "The server requires of its client what Intray does not offer"
    : `The server requires of its client what Intray does not offer: ${shown.join(", ")}`;
}

const HEADER_MISMATCH = -32020;
const MISSING_CAPABILITY = -32021;
/** Calls that change state on the server. */
const CHANGES = new Set(["tools/call", "tasks/update", "tasks/cancel"]);
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

function rpcCode(error: RpcError, method: string | null, httpStatus: number): PeerErrorCode {
  if (error.code === METHOD_NOT_FOUND) return "not_supported";
  if (error.code === HEADER_MISMATCH) return "header_mismatch";
  // The server crashed during the call and may have acted, so the call was not refused.
  if (error.code === INTERNAL_ERROR && CHANGES.has(method ?? "") && !UNKNOWN_TASK.test(error.message))
    return "bad_reply";
  if (!method?.startsWith("tasks/")) return "rejected";
  // The specified reply for an unknown task. Malformed calls get HTTP 400 instead.
  if (method === "tasks/get" && error.code === INVALID_PARAMS && httpStatus === 200) return "task_not_found";
  if (error.code === INVALID_PARAMS || error.code === INTERNAL_ERROR)
    return fromMessage(error.message, method);
  return "rejected";
}

/**
 * Reads the error's message, the only place to do so. Servers send -32602 or -32603 for an unknown task, for
 * a task without a result yet, and for other faults, and only the message differs.
 */
function fromMessage(message: string, method: string): PeerErrorCode {
  if (method === "tasks/result" && NOT_READY.test(message)) return "not_ready";
  return UNKNOWN_TASK.test(message) ? "task_not_found" : "rejected";
}

const NOT_READY = /not (yet )?(completed|complete|finished|ready|done|terminal)|no result/i;
const UNKNOWN_TASK = /\btask\b.*(not found|does not exist|expired|unknown)|(unknown|no such) task/i;

/** Accepts "Task not found", but not "Session not found, nor its task": the first noun counts. */
function isAboutTask(message: string): boolean {
  return UNKNOWN_TASK.test(message) && /task|session/i.exec(message)?.[0].toLowerCase() === "task";
}

/** Limits the text given to regular expressions, whose time grows with the square of its length. */
function wordsOf(body: string): string {
  return body.slice(0, ERROR_CHARACTERS);
}

/** Some servers send 400 instead of 404 for an unknown session, and only the message says so. */
function namesSession(body: string): boolean {
  return /session|not initialized/i.test(body);
}

const bodySchema = z.looseObject({ error: rpcErrorSchema });

function errorIn(body: string): RpcError | undefined {
  // Also trims a byte order mark.
  if (!body.trimStart().startsWith("{")) return undefined;
  try {
    return bodySchema.safeParse(parseJson(body)).data?.error;
  } catch {
    return undefined; // not JSON: only the HTTP status counts
  }
}

/** Returns the scopes of `Bearer error="insufficient_scope", scope="…"` (RFC 6750, 3.1), or undefined. */
function insufficientScope(challenges: string | string[] | undefined): string | undefined {
  const refusal = tokenChallenge(challenges, (said) => said.get("error") === "insufficient_scope");
  const scope = refusal?.get("scope")?.trim() ?? "";
  return scope.length <= SCOPE_CHARACTERS && SCOPE.test(scope) ? scope : undefined;
}

const SCOPE_CHARACTERS = 2_000;
/** Scope syntax of RFC 6749, 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** Caps `Retry-After`: the server's clock may be wrong, and answers are waiting. */
const LONGEST_RETRY_AFTER_MS = 3600_000;

/** Returns `Retry-After` in ms, from seconds or a date (RFC 9110, 10.2.3), or undefined if invalid. */
function retryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, ms));
}

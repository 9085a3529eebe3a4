import { trace } from "@opentelemetry/api";
import pino, { type DestinationStream, type Logger } from "pino";
import { ConfigurationError, readEnvironment } from "./env.ts";
import { scope } from "./process/scope.ts";

/** Names whose values are never logged, at up to three levels inside a logged object. */
const secretNames = [
  "authorization",
  "Authorization",
  "cookie",
  "token",
  "accessToken",
  "refreshToken",
  "password",
  "secret",
  "clientSecret",
  "codeVerifier",
  "apiKey",
  "handle",
  "sessionId",
  "requestState",
];
const secretPaths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `*.*.*.${name}`]);
// Header names with a hyphen need the bracket form.
const secretHeaders = ["set-cookie", "mcp-session-id", "proxy-authorization"].flatMap((name) => [
  `["${name}"]`,
  `*["${name}"]`,
  `*.*["${name}"]`,
]);

/**
 * Writes one line of JSON to stdout per entry. Each part uses a child: `log.child({ part: "engine" })`. A
 * line of an API call has its `requestId`, and its `traceId` if traced. Errors go under `err`. Texts of
 * remote servers are data, never part of the message.
 */
export const log = createLog(levelAtImport());

/** A process with a wrong setting says so itself, by `env()` in its own code: an import could only crash. */
function levelAtImport(): string {
  try {
    return readEnvironment().logLevel;
  } catch (error) {
    if (error instanceof ConfigurationError) return "info";
    throw error;
  }
}

/** Creates a logger; without `destination`, for stdout. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      serializers: { err: describe },
      level,
      base: null,
      mixin: named,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: [...secretPaths, ...secretHeaders], censor: "[removed]" },
    },
    destination,
  );
}

/** Returns the call that a log line belongs to. The line's own fields take precedence. */
function named(): object {
  const { requestId, trace: context } = scope();
  const traceId = context && trace.getSpanContext(context)?.traceId;
  return { ...(requestId && { requestId }), ...(traceId && { traceId }) };
}

/** Returns the loggable parts of an error. Drivers attach whole connections to other fields. */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return scrub(String(error));
  const { code } = error as { code?: unknown };
  const cause = error.cause === undefined ? {} : { cause: describe(error.cause) };
  const stack = error.stack === undefined ? {} : { stack: scrub(error.stack) };
  return { type: error.name, message: scrub(error.message), code, ...stack, ...cause };
}

/** Removes secrets from error texts: passwords and queries in URLs, credentials, our own keys. */
function scrub(text: string): string {
  return text
    .replace(/:\/\/[^\s/@"']+@/g, "://[removed]@")
    .replace(/:\/\/[^\s"'<>]+/g, withoutQuery)
    .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, "$1 [removed]")
    .replace(/\bitk_[\w-]+/g, "[removed]");
}

function withoutQuery(url: string): string {
  const at = url.search(/[?#]/);
  return at === -1 ? url : `${url.slice(0, at)}?[removed]`;
}

import { trace } from "@opentelemetry/api";
import pino, { type DestinationStream, type Logger } from "pino";
import { env } from "./env.ts";
import { scope } from "./scope.ts";

/** Never written, wherever they stand in a logged object down to three levels. */
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
// A Set-Cookie, Mcp-Session-Id or Proxy-Authorization header needs the bracket form.
const secretHeaders = ["set-cookie", "mcp-session-id", "proxy-authorization"].flatMap((name) => [
  `["${name}"]`,
  `*["${name}"]`,
  `*.*["${name}"]`,
]);

/**
 * One line of JSON on stdout for each entry. Parts take a child: `log.child({ part: "engine" })`.
 * A line written for a call of the API has its `requestId`, and its `traceId` where it is traced. Errors go under
 * `err`; texts that came from a remote server are data, so never part of the message.
 */
export const log = createLog(env().logLevel);

/** `destination`: other than stdout. */
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

/** Which call a line is about, unless the line says so itself. */
function named(): object {
  const { requestId, trace: context } = scope();
  const traceId = context && trace.getSpanContext(context)?.traceId;
  return { ...(requestId && { requestId }), ...(traceId && { traceId }) };
}

/** What a log needs of an error. Not its other fields: drivers hang whole connections on theirs. */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return scrub(String(error));
  const { code } = error as { code?: unknown };
  const cause = error.cause === undefined ? {} : { cause: describe(error.cause) };
  const stack = error.stack === undefined ? {} : { stack: scrub(error.stack) };
  return { type: error.name, message: scrub(error.message), code, ...stack, ...cause };
}

/** An error's words without what libraries put into them: passwords and queries of addresses, credentials, our own keys. */
function scrub(text: string): string {
  return text
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, "$1[removed]@")
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>]+)[?#][^\s"'<>]*/gi, "$1?[removed]")
    .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, "$1 [removed]")
    .replace(/\bitk_[\w-]+/g, "[removed]");
}

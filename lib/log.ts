import pino from "pino";
import { env } from "./env.ts";

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
 * Errors go under `err`; texts that came from a remote server are data, so never part of the message.
 */
export const log = pino({
  serializers: { err: describe },
  level: env().logLevel,
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  redact: { paths: [...secretPaths, ...secretHeaders], censor: "[removed]" },
});

/** What a log needs of an error. Not its other fields: drivers hang whole connections on theirs. */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  const cause = error.cause === undefined ? {} : { cause: describe(error.cause) };
  return { type: error.name, message: error.message, code, stack: error.stack, ...cause };
}
